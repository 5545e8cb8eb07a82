#include "app/sweep/point_database.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "sim/error.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

Database open_database(const std::string& path, int flags) {
  sqlite3* raw = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  Database database(raw);
  if (status != SQLITE_OK) throw file_error(path, std::string("cannot be opened: ") + sqlite3_errstr(status));
  return database;
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string marks(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += i == 0 ? "?" : ",?";
  return text;
}

void bind(sqlite3_stmt* statement, int index, const Json& value) {
  if (value.is_boolean()) {
    sqlite3_bind_int(statement, index, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_integer()) {
    sqlite3_bind_int64(statement, index, value.get<std::int64_t>());
  } else if (value.is_number()) {
    sqlite3_bind_double(statement, index, value.get<double>());
  } else if (value.is_string()) {
    const auto text = value.get<std::string>();
    sqlite3_bind_text(statement, index, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }  // null is what an unbound value is
}

Json column(sqlite3_stmt* statement, int index) {
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, index);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, index);
    case SQLITE_NULL:
      return nullptr;
    default:
      return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, index)),
                         static_cast<std::size_t>(sqlite3_column_bytes(statement, index)));
  }
}

// Writes into a database that nobody else sees.
class Writer {
 public:
  explicit Writer(std::string path)
      : path_(std::move(path)), database_(open_database(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {}
  void execute(const std::string& sql) {
    check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
  }
  Statement prepare(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr));
    return Statement(raw);
  }
  void step(const Statement& statement) {
    const int status = sqlite3_step(statement.get());
    if (status != SQLITE_DONE) check(status);
    sqlite3_reset(statement.get());
    sqlite3_clear_bindings(statement.get());
  }

 private:
  void check(int status) {
    if (status != SQLITE_OK)
      throw file_error(path_, std::string("cannot be written: ") + sqlite3_errmsg(database_.get()));
  }
  std::string path_;
  Database database_;
};

void fill(const SweepTable& table, const std::string& path) {
  Writer writer(path);
  std::string columns;
  for (const auto& name : table.columns) columns += (columns.empty() ? "" : ", ") + quoted(name);
  writer.execute("BEGIN");
  writer.execute("CREATE TABLE points (" + columns + ")");
  const Statement insert = writer.prepare("INSERT INTO points VALUES (" + marks(table.columns.size()) + ")");
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) bind(insert.get(), static_cast<int>(i) + 1, row[i]);
    writer.step(insert);
  }
  writer.execute("COMMIT");
}

}  // namespace

void write_point_database(const SweepTable& table, const std::string& path) {
  const std::string temporary = fmt::format("{}.tmp.{}", path, ::getpid());
  std::filesystem::remove(temporary);
  try {
    fill(table, temporary);
    std::filesystem::rename(temporary, path);
  } catch (const std::filesystem::filesystem_error& error) {
    throw file_error(path, "cannot be replaced", error.code().value());
  } catch (...) {
    std::filesystem::remove(temporary);
    throw;
  }
}

QueryResult query_points(const std::string& path, const std::string& sql) {
  if (!std::filesystem::exists(path)) throw file_error(path, "no such file: a sweep writes it at its end");
  const Database database = open_database(path, SQLITE_OPEN_READONLY);
  const auto wrong = [&] {
    return bad_input({sql},
                     fmt::format("{}, expected SQL over the table points", sqlite3_errmsg(database.get())));
  };
  sqlite3_stmt* raw = nullptr;
  const int prepared = sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &raw, nullptr);
  const Statement statement(raw);
  if (prepared == SQLITE_NOTADB) throw file_error(path, "is no SQLite database");
  if (prepared != SQLITE_OK) throw wrong();
  if (raw == nullptr) throw bad_input({"mesim sweep query"}, "found no SQL, expected a SELECT");
  QueryResult result;
  const int columns = sqlite3_column_count(raw);
  for (int i = 0; i < columns; ++i) result.columns.emplace_back(sqlite3_column_name(raw, i));
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(raw)) == SQLITE_ROW) {
    std::vector<Json> row;
    for (int i = 0; i < columns; ++i) row.push_back(column(raw, i));
    result.rows.push_back(std::move(row));
  }
  if (status != SQLITE_DONE) throw wrong();
  return result;
}

}  // namespace mesim
