// Command traces of DRAMSys: an SQLite database with a row for each command, its times in picoseconds
// (DRAMSys 5.5, src/DRAMSys/common/TlmRecorder.h).
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "memory/checker/dram_command.hpp"
#include "sim/error.hpp"

namespace mesim::dram_check {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    sqlite3* raw = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
    database_.reset(raw);
    if (status != SQLITE_OK) wrong();
  }

  Statement prepare(const std::string& text) const {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &raw, nullptr) != SQLITE_OK) wrong();
    return Statement(raw);
  }
  bool step(const Statement& statement) const {
    const int status = sqlite3_step(statement.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE) wrong();
    return status == SQLITE_ROW;
  }

  [[noreturn]] void wrong() const {
    throw bad_input({path_}, fmt::format("is no trace of DRAMSys: {}; expected a database with the tables "
                                         "Phases, GeneralInfo and CommandLengths",
                                         sqlite3_errmsg(database_.get())));
  }

 private:
  std::string path_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
};

// What the recorder says of the memory. Banks and groups are numbered through all ranks.
struct General {
  std::int64_t clock_ps = 0;
  std::uint32_t ranks = 1;
  std::uint32_t groups = 1;
  std::uint32_t banks = 1;
  bool ranks_are_pseudo_channels = false;
};

General read_general(const Database& database, const std::string& path) {
  const auto row = database.prepare(
      "SELECT clk, NumberOfRanks, NumberOfBankgroups, NumberOfBanks, PseudoChannelMode FROM GeneralInfo");
  if (!database.step(row)) throw bad_input({path}, "GeneralInfo has no row, expected one");
  const auto number = [&](int column) {
    return static_cast<std::uint32_t>(std::max(sqlite3_column_int(row.get(), column), 1));
  };
  General out{sqlite3_column_int64(row.get(), 0), number(1), number(2), number(3),
              sqlite3_column_int(row.get(), 4) != 0};
  if (out.clock_ps <= 0)
    throw bad_input({path},
                    fmt::format("GeneralInfo has clk {}, expected picoseconds of a clock", out.clock_ps));
  return out;
}

// Clocks that the command takes with which a phase ends.
Cycles exit_clocks(const Database& database, const std::string& command) {
  const auto row = database.prepare("SELECT Length FROM CommandLengths WHERE Command = ?");
  sqlite3_bind_text(row.get(), 1, command.c_str(), -1, SQLITE_TRANSIENT);
  return database.step(row) ? static_cast<Cycles>(sqlite3_column_double(row.get(), 0)) : 1;
}

// A phase between two commands; its end is that of the second.
struct Sleep {
  const char* phase;
  Op enter;
  Op exit;
  const char* exit_command;
  Cycles exit_clocks = 1;
};

}  // namespace

std::vector<DramCommand> read_dramsys_trace(const std::string& path) {
  const Database database(path);
  const General general = read_general(database, path);
  const std::uint32_t groups = std::max(general.groups / general.ranks, 1U);
  const std::uint32_t banks = std::max(general.banks / general.groups, 1U);
  std::array sleeps = {Sleep{"PDNA", Op::pde, Op::pdx, "PDXA"}, Sleep{"PDNP", Op::pde, Op::pdx, "PDXP"},
                       Sleep{"SREF", Op::sre, Op::srx, "SREFEX"}};
  for (Sleep& sleep : sleeps) sleep.exit_clocks = exit_clocks(database, sleep.exit_command);
  std::vector<DramCommand> out;
  const auto row = database.prepare(
      "SELECT PhaseName, PhaseBegin, PhaseEnd, Rank, BankGroup, Bank, Row, Column FROM Phases");
  while (database.step(row)) {
    const std::string name(reinterpret_cast<const char*>(sqlite3_column_text(row.get(), 0)));
    if (name == "REQ" || name == "RESP") continue;  // the two ends of a request, no commands
    const auto number = [&](int column) {
      return static_cast<std::uint32_t>(std::max(sqlite3_column_int(row.get(), column), 0));
    };
    const auto clock_of = [&](int column) {
      return static_cast<Cycles>(sqlite3_column_int64(row.get(), column) / general.clock_ps);
    };
    DramCommand c;
    c.at = clock_of(1);
    (general.ranks_are_pseudo_channels ? c.pseudo : c.rank) = number(3);
    c.group = number(4) % groups;
    c.bank = number(5) % banks;
    c.row = number(6);
    c.column = number(7);
    const auto* const sleep =
        std::find_if(sleeps.begin(), sleeps.end(), [&](const Sleep& s) { return name == s.phase; });
    const auto op = sleep != sleeps.end() ? std::optional(sleep->enter) : op_named(name);
    if (!op)
      throw bad_input({path}, fmt::format("Phases has a '{}', expected ACT, RD, PREPB, REFAB ...", name));
    c.op = *op;
    out.push_back(c);
    if (sleep == sleeps.end() || clock_of(2) <= c.at) continue;
    c.op = sleep->exit;
    c.at = clock_of(2) - sleep->exit_clocks;
    out.push_back(c);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const DramCommand& a, const DramCommand& b) { return a.at < b.at; });
  return out;
}

}  // namespace mesim::dram_check
