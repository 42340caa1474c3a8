#include "base/text_source.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "trace/packed.h"
#include "trace/temporary.h"

namespace t3sim {
namespace {

using testing_support::TemporaryFolder;
using testing_support::write_file;

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  TextSource source(path);
  std::vector<std::string> lines;
  for (std::string_view line; source.next_line(line);) lines.emplace_back(line);
  return lines;
}

void expect_error(const std::filesystem::path& path, const std::string& part) {
  try {
    lines_of(path);
    FAIL() << "no error: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

// Long enough for several refills of every buffer.
std::string long_text() {
  std::string text;
  for (unsigned i = 0; i < 300'000; ++i) text += "line " + std::to_string(i * 79 % 10007) + "\n";
  return text;
}

TEST(TextSource, ReadsPlainGzipAndXzAlike) {
  TemporaryFolder folder;
  const std::string text = long_text();
  const auto plain = lines_of(write_file(folder / "a", text));
  ASSERT_EQ(plain.size(), 300'000U);
  EXPECT_EQ(plain[1], "line 79");
  EXPECT_EQ(lines_of(write_file(folder / "b", testing_support::gzip(text))), plain);
  EXPECT_EQ(lines_of(write_file(folder / "c", testing_support::xz(text))), plain);
}

TEST(TextSource, ReadsALastLineWithoutAnEndWhereverItBegins) {
  TemporaryFolder folder;
  EXPECT_EQ(lines_of(write_file(folder / "a", "#\n123456 0x40 R  ")),
            (std::vector<std::string>{"#", "123456 0x40 R  "}));
  const std::string lines = long_text().substr(0, (64 << 10) - 3);  // ends just before a buffer is full
  const std::string last = "a last line that is longer than what is before it in the buffer";
  EXPECT_EQ(lines_of(write_file(folder / "b", lines + "\n" + last)).back(), last);
}

TEST(TextSource, ReadsPackedFilesThatAreSeveralOneAfterTheOther) {
  TemporaryFolder folder;
  const std::vector<std::string> expected{"one", "two"};
  EXPECT_EQ(
      lines_of(write_file(folder / "a", testing_support::gzip("one\n") + testing_support::gzip("two\n"))),
      expected);
  EXPECT_EQ(lines_of(write_file(folder / "b", testing_support::xz("one\n") + testing_support::xz("two\n"))),
            expected);
}

TEST(TextSource, TakesALastLineWithoutAnEndAndWindowsLineEnds) {
  TemporaryFolder folder;
  EXPECT_EQ(lines_of(write_file(folder / "a", "one\r\n\ntwo")), (std::vector<std::string>{"one", "", "two"}));
  EXPECT_TRUE(lines_of(write_file(folder / "b", "")).empty());
}

TEST(TextSource, SaysWhenPackedDataIsTruncated) {
  TemporaryFolder folder;
  const std::string text = long_text();
  const std::string gzip = testing_support::gzip(text), xz = testing_support::xz(text);
  expect_error(write_file(folder / "a", gzip.substr(0, gzip.size() / 2)), "the gzip data is truncated");
  expect_error(write_file(folder / "b", xz.substr(0, xz.size() / 2)), "the xz data is truncated");
}

TEST(TextSource, SaysWhenPackedDataIsCorrupt) {
  TemporaryFolder folder;
  std::string gzip = testing_support::gzip(long_text()), xz = testing_support::xz(long_text());
  for (std::size_t i = 0; i < 64; ++i) gzip[gzip.size() / 2 + i] = xz[xz.size() / 2 + i] = 0;
  expect_error(write_file(folder / "a", gzip), "the gzip data is corrupt");
  expect_error(write_file(folder / "b", xz), "the xz data is corrupt");
}

TEST(TextSource, RefusesALineWithoutEnd) {
  TemporaryFolder folder;
  expect_error(write_file(folder / "a", "first\n" + std::string(3 << 20, 'x')),
               ":2: a line of more than 1 MiB");
}

TEST(TextSource, KnowsTheLineItIsAt) {
  TemporaryFolder folder;
  TextSource source(write_file(folder / "a", "one\ntwo\n"));
  std::string_view line;
  source.next_line(line);
  source.next_line(line);
  EXPECT_EQ(source.line_number(), 2U);
  EXPECT_EQ(source.text_bytes(), 8U);
}

}  // namespace
}  // namespace t3sim
