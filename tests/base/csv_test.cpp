#include "base/csv.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace t3sim {
namespace {

std::string error_of(const std::string& text) {
  try {
    CsvTable table(text, "a.csv");
    table.expect("name,value");
    while (table.next_row()) table.real(1);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Csv, FieldsAreReadAsTheyWereWritten) {
  for (const std::string text : {"plain", "with, comma", "with \"quotes\"", "\"", "", " spaces "}) {
    std::vector<CsvField> fields;
    split_csv("before," + csv_field(text) + ",after", fields);
    ASSERT_EQ(fields.size(), 3U) << text;
    EXPECT_EQ(fields[1].text, text);
    EXPECT_EQ(fields[2].text, "after");
  }
}

TEST(Csv, AFieldKnowsItsColumn) {
  std::vector<CsvField> fields;
  split_csv("ab,\"c,d\",e", fields);
  EXPECT_EQ(fields[1].column, 4U);
  EXPECT_EQ(fields[2].column, 10U);
}

TEST(Csv, ATableInMemoryIsReadByTheNamesOfItsColumns) {
  CsvTable table("name,value\n\na,1.5\nb,2", "a.csv");
  EXPECT_EQ(table.column("value"), 1U);
  ASSERT_TRUE(table.next_row());
  EXPECT_EQ(table.text(0), "a");
  EXPECT_EQ(table.real(1), 1.5);
  EXPECT_EQ(table.line_number(), 3U);
  ASSERT_TRUE(table.next_row());
  EXPECT_EQ(table.number(1), 2U);
  EXPECT_FALSE(table.next_row());
}

TEST(Csv, ErrorsNameTheLine) {
  EXPECT_EQ(error_of(""), "a.csv: the file is empty");
  EXPECT_EQ(error_of("a,b\n"), "a.csv:1: expected the columns name,value");
  EXPECT_EQ(error_of("name,value\nx\n"), "a.csv:2: 1 fields where there are 2 columns");
  EXPECT_EQ(error_of("name,value\nx,1\ny,nan\n"), "a.csv:3: value: 'nan' is not a number");
  EXPECT_EQ(error_of("name,value\nx,1 \n"), "a.csv:2: value: '1 ' is not a number");
}

}  // namespace
}  // namespace t3sim
