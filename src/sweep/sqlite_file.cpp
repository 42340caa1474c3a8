// The results as a SQLite file. It is built beside its place by one writer and renamed, so SQLite's own
// journal and locks are off: they are what breaks on shared file systems.
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/number.h"
#include "sweep/tables.h"

namespace t3sim::sweep {
namespace {

std::string identifier(const std::string& name) {
  std::string quoted = "\"";
  for (char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

class Database {
 public:
  // Messages call the file `named`.
  Database(const std::string& path, std::string named) : named_(std::move(named)) {
    check(::sqlite3_open(path.c_str(), &db_));
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() {
    ::sqlite3_finalize(insert_);
    ::sqlite3_close(db_);
  }

  void run(const std::string& sql) { check(::sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr)); }

  void prepare_insert(std::size_t columns) {
    std::string marks = "?";
    for (std::size_t i = 1; i < columns; ++i) marks += ",?";
    const std::string sql = fmt::format("INSERT INTO results VALUES ({})", marks);
    check(::sqlite3_prepare_v2(db_, sql.c_str(), -1, &insert_, nullptr));
  }

  // The columns' types turn texts of numbers into numbers.
  void insert(const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int at = narrow<int>(i) + 1;
      check(row[i].empty()
                ? ::sqlite3_bind_null(insert_, at)
                : ::sqlite3_bind_text(insert_, at, row[i].data(), narrow<int>(row[i].size()), SQLITE_STATIC));
    }
    check(::sqlite3_step(insert_) == SQLITE_DONE ? SQLITE_OK : ::sqlite3_errcode(db_));
    check(::sqlite3_reset(insert_));
  }

 private:
  void check(int code) const {
    if (code != SQLITE_OK)
      throw StorageError(fmt::format("{}: cannot be written: {}", named_, ::sqlite3_errmsg(db_)));
  }

  std::string named_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

void fill(const Table& table, const std::string& path, const std::string& named) {
  Database database(path, named);
  database.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  std::string columns;
  for (const Table::Column& column : table.columns)
    columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", identifier(column.name),
                           column.numeric ? "NUMERIC" : "TEXT");
  database.run(fmt::format("CREATE TABLE results ({})", columns));
  database.prepare_insert(table.columns.size());
  for (const auto& row : table.rows) database.insert(row);
  database.run("COMMIT");
}

}  // namespace

void write_sqlite(const Table& table, const std::string& path) {
  const std::string partial = partial_name(path);
  try {
    fill(table, partial, path);
  } catch (...) {
    ::unlink(partial.c_str());
    throw;
  }
  put_in_place(partial, path);
}

}  // namespace t3sim::sweep
