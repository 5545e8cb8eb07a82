// The controller under the independent checker, and the checker under traces with one rule broken.
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/memory/dram_helpers.hpp"

using namespace mesim;
using dram_check::Op;
using test::memory_of;
using test::run_checked;

namespace {

std::uint64_t columns(const dram_check::TimingChecker& checker) {
  return checker.count(Op::rd) + checker.count(Op::rda) + checker.count(Op::wr) + checker.count(Op::wra);
}

void is_clean(const MemoryConfig& config, const std::string& pattern, std::uint64_t requests) {
  const auto run = run_checked(config, pattern, requests);
  INFO(pattern << " of " << config.preset << ", refresh " << config.controller.refresh << ", rows "
               << config.controller.rows << ": " << run.first_violation);
  CHECK(run.checker.violation_count() == 0);
  CHECK(columns(run.checker) == run.bursts);
}

std::vector<std::string> refresh_kinds(const std::string& preset) {
  if (preset.starts_with("ddr4")) return {"all_bank", "none"};
  if (preset.starts_with("ddr5")) return {"all_bank", "same_bank"};
  return {"all_bank", "per_bank"};
}

void is_clean_in_all(const std::string& preset, std::uint64_t requests) {
  for (const auto& refresh : refresh_kinds(preset)) {
    for (const std::string pattern : {"stream", "mixed", "random", "sparse", "chase"}) {
      is_clean(memory_of(preset, {"controller.refresh=" + refresh}), pattern, requests);
    }
  }
}

// A database as DRAMSys writes it (TlmRecorder.h), of DDR4-3200.
std::filesystem::path dramsys_trace(const std::string& phases) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("mesim-{}.tdb", ::getpid());
  std::filesystem::remove(path);
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  const std::string text =
      "CREATE TABLE Phases(ID INTEGER PRIMARY KEY, PhaseName TEXT, PhaseBegin INTEGER, PhaseEnd INTEGER,"
      " DataStrobeBegin INTEGER, DataStrobeEnd INTEGER, Rank INTEGER, BankGroup INTEGER, Bank INTEGER,"
      " Row INTEGER, Column INTEGER, BurstLength INTEGER, Transact INTEGER);"
      "CREATE TABLE GeneralInfo(NumberOfRanks INTEGER, NumberOfBankgroups INTEGER, NumberOfBanks INTEGER,"
      " clk INTEGER, UnitOfTime TEXT, PseudoChannelMode BOOL);"
      "CREATE TABLE CommandLengths(Command TEXT, Length DOUBLE);"
      "INSERT INTO GeneralInfo VALUES (1, 4, 16, 625, 'PS', 0);"
      "INSERT INTO CommandLengths VALUES ('PDXP', 1);"
      "INSERT INTO Phases(PhaseName, PhaseBegin, PhaseEnd, Rank, BankGroup, Bank, Row, Column) VALUES " +
      phases;
  REQUIRE(sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  return path;
}

// Runs with one time a clock shorter than the checker knows it: the rules that it finds broken.
std::set<std::string> broken_by(const std::string& preset, const std::string& shorter,
                                const std::string& pattern, std::vector<std::string> overrides = {},
                                const std::string& given = "") {
  auto right = overrides;
  if (!given.empty()) right.push_back("replaced_timings=[\"" + given + "\"]");
  const MemoryConfig truth = memory_of(preset, right);
  const dram::Timings timings(truth, "test");
  const std::string cut = "\"" + shorter + "=" + std::to_string(timings.at(shorter) - 1) + "\"";
  overrides.push_back("replaced_timings=[" + cut + (given.empty() ? "" : ", \"" + given + "\"") + "]");
  auto requests = test::pattern_of(pattern, 4000, timings.clock_ns());
  const auto run = run_checked(memory_of(preset, overrides), requests, truth);
  std::set<std::string> rules;
  for (const auto& v : run.checker.violations()) rules.insert(v.rule);
  return rules;
}

dram_check::TimingChecker ddr4_checker() {
  const MemoryConfig config = memory_of("ddr4-3200");
  return dram_check::TimingChecker(dram::checker_parameters(config, dram::Timings(config, "test")));
}

std::string rules_of(const std::string& trace) {
  auto checker = ddr4_checker();
  for (const auto& c : dram_check::read_command_text(trace, "test")) checker.observe(c);
  std::string out;
  for (const auto& v : checker.violations()) out += (out.empty() ? "" : ", ") + v.rule;
  return out;
}

}  // namespace

TEST_CASE("no standard, refresh or pattern breaks a rule, and every burst has one column command") {
  for (const auto& preset : test::dram_presets) is_clean_in_all(preset, 3000);
}

TEST_CASE("a million requests of each pattern on each standard break no rule", "[.long]") {
  for (const auto& preset : test::dram_presets) {
    DYNAMIC_SECTION(preset) { is_clean_in_all(preset, 1'000'000); }
  }
}

TEST_CASE("no policy of rows, scheduler, grouping, postponing or sleep breaks a rule") {
  for (const std::string preset : {"ddr4-3200", "ddr5-4800", "lpddr5-6400", "hbm3"}) {
    for (const std::string choice :
         {"rows=closed", "rows=adaptive", "rows=timeout", "scheduler=fcfs", "scheduler=fr-fcfs-cap",
          "grouping=none", "postponed_refreshes=8", "pulled_in_refreshes=8", "power_down_after_cycles=20",
          "self_refresh_after_cycles=100", "read_queue=1", "write_queue=1"}) {
      for (const std::string pattern : {"mixed", "random", "sparse"}) {
        INFO(choice);
        is_clean(memory_of(preset, {"controller." + choice}), pattern, 1500);
      }
    }
  }
}

TEST_CASE("several ranks break no rule") {
  for (const std::string preset : {"ddr4-3200", "lpddr5-6400"}) {
    for (const std::string pattern : {"mixed", "random"}) {
      is_clean(memory_of(preset, {"organisation.ranks=2", "mapping=row:bank:column:rank:group:channel"}),
               pattern, 3000);
    }
  }
}

TEST_CASE("the checker finds each time of DDR4 that a controller cuts by a clock, and no other") {
  struct Cut {
    const char* time;
    const char* pattern;
    std::set<std::string> rules;  // that rest on it
    std::vector<std::string> overrides = {};
    std::string given = "";
  };
  const std::vector<Cut> cuts = {
      {"nRCD", "random", {"tRCD", "tRCDWR"}},
      {"nRAS", "random", {"tRAS"}},
      {"nRC", "random", {"tRC", "tRC before REF"}, {}, "nRAS=40"},  // otherwise tRAS + tRP binds
      {"nRP", "chase", {"tRP", "tRPab", "tRP before REF"}},
      {"nRTP", "random", {"tRTP"}, {"organisation.banks_per_group=1"}},
      {"nWR", "random", {"tWR"}},
      {"nRRD_S", "random", {"tRRD_S"}, {"mapping=row:bank:column:group:channel"}},
      {"nRRD_L", "random", {"tRRD_L"}},
      {"nFAW", "random", {"tFAW"}},
      {"nCCD_S", "stream", {"tCCD_S", "data bus"}, {"mapping=B"}},
      {"nCCD_L", "stream", {"tCCD_L"}, {"mapping=A"}},
      {"nWTR_S", "mixed", {"tWTR_S"}, {"mapping=B"}},
      {"nWTR_L", "mixed", {"tWTR_L"}, {"mapping=A"}},
      {"nRFC", "stream", {"tRFC"}},
      {"nXP", "sparse", {"tXP"}, {"controller.power_down_after_cycles=20"}},
      {"nXS", "sparse", {"tXS"}, {"controller.self_refresh_after_cycles=20"}},
  };
  for (const Cut& cut : cuts) {
    const auto found = broken_by("ddr4-3200", cut.time, cut.pattern, cut.overrides, cut.given);
    INFO(cut.time << " found: " << fmt::format("{}", fmt::join(found, ", ")));
    CHECK(!found.empty());
    for (const auto& rule : found) CHECK(cut.rules.count(rule) == 1);
  }
}

TEST_CASE("the checker finds times of other standards that a controller cuts by a clock") {
  CHECK(broken_by("ddr5-4800", "nCCD_L_WR2", "mixed", {"mapping=A"}) == std::set<std::string>{"tCCD_L_WR2"});
  CHECK(broken_by("ddr5-4800", "nRFCB", "random", {"controller.refresh=same_bank"}) ==
        std::set<std::string>{"tRFCpb"});
  CHECK(broken_by("lpddr5-6400", "nRFCB", "random", {"controller.refresh=per_bank"}) ==
        std::set<std::string>{"tRFCpb"});
  CHECK(broken_by("hbm2", "nRTW", "mixed") == std::set<std::string>{"tRTW"});
  CHECK(broken_by("hbm2", "nRCDRD", "random") == std::set<std::string>{"tRCD"});
  CHECK(broken_by("hbm2", "nRCDWR", "random") == std::set<std::string>{"tRCDWR"});
  CHECK(broken_by("hbm3", "nCCD_R", "stream", {"mapping=row:bank:column:rank:group:channel:pseudo"})
            .count("tCCD_R") == 1);
}

TEST_CASE("the checker keeps the state of banks and the command bus") {
  CHECK(rules_of("0 activate 0 0 0 0 0x1 0x0\n22 read 0 0 0 0 0x1 0x0\n") == "");
  CHECK(rules_of("0 activate 0 0 0 0 0x1 0x0\n22 read 0 0 0 0 0x2 0x0\n") == "state");       // another row
  CHECK(rules_of("0 read 0 0 0 0 0x1 0x0\n") == "state");                                    // nothing open
  CHECK(rules_of("0 activate 0 0 0 0 0x1 0x0\n100 activate 0 0 0 0 0x2 0x0\n") == "state");  // not precharged
  CHECK(rules_of("0 activate 0 0 0 0 0x1 0x0\n100 refresh 0 0 0 0 0x0 0x0\n") == "state");   // a row is open
  CHECK(rules_of("5 activate 0 0 0 0 0x1 0x0\n5 precharge 0 0 1 0 0x1 0x0\n") == "command bus");
  CHECK(rules_of("0 activate 0 0 4 0 0x1 0x0\n") == "place");
}

TEST_CASE("a refresh that never comes is missed") {
  auto checker = ddr4_checker();
  checker.finish(8 * 12480, true);
  CHECK(checker.violation_count() == 0);
  checker.finish(9 * 12480, true);
  CHECK(checker.violation_count() == 1);
}

TEST_CASE("command traces of Ramulator and of our own are read by their headers") {
  const std::string ramulator =
      "clock,command,Channel,Rank,BankGroup,Bank,Row,Column,type,source\n7,ACT,0,0,2,1,99,-1,0,0\n29,RD,0,0,"
      "2,1,99,8,0,0\n";
  const auto commands = dram_check::read_command_text(ramulator, "test");
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].group == 2);
  CHECK(commands[0].row == 99);
  const auto again = dram_check::read_command_text(
      dram_check::command_trace_header() + dram_check::command_trace_line(commands[1]), "test");
  REQUIRE(again.size() == 1);
  CHECK(again[0].at == 29);
  CHECK(again[0].op == Op::rd);
  CHECK(again[0].column == 8);
  CHECK_THROWS_WITH(dram_check::read_command_text("0 fly 0 0 0 0 0 0\n", "f"), Catch::Contains("f:1"));
}

TEST_CASE("command traces of DRAMSys are databases, whose phases are commands") {
  const auto path = dramsys_trace(
      "('REQ', 0, 625, 0, 0, 0, 0, 0), ('ACT', 625, 1250, 0, 2, 9, 7, 0), ('RD', 14375, 15000, 0, 2, 9, 7, "
      "3),"
      "('PREPB', 43125, 43750, 0, 2, 9, 7, 0), ('PDNP', 62500, 125000, 0, 0, 0, 0, 0),"
      "('REFAB', 187500, 537500, 0, 0, 0, 0, 0)");
  const auto commands = dram_check::read_command_trace(path.string());
  REQUIRE(commands.size() == 6);
  CHECK(commands[0].op == Op::act);
  CHECK(commands[0].at == 1);
  CHECK(commands[0].group == 2);
  CHECK(commands[0].bank == 1);
  CHECK(commands[0].row == 7);
  CHECK(commands[1].op == Op::rd);
  CHECK(commands[1].at == 23);
  CHECK(commands[1].column == 3);
  CHECK(commands[3].op == Op::pde);
  CHECK(commands[4].op == Op::pdx);
  CHECK(commands[4].at == 199);
  auto checker = ddr4_checker();
  for (const auto& c : commands) checker.observe(c);
  CHECK(checker.violation_count() == 0);
  std::filesystem::remove(path);

  const auto early = dramsys_trace("('ACT', 0, 625, 0, 0, 0, 1, 0), ('RD', 13125, 13750, 0, 0, 0, 1, 0)");
  auto second = ddr4_checker();
  for (const auto& c : dram_check::read_command_trace(early.string())) second.observe(c);
  REQUIRE(second.violation_count() == 1);
  CHECK(second.violations()[0].rule == "tRCD");
  std::filesystem::remove(early);

  std::ofstream(path) << "SQLite format 3 and no more";
  CHECK_THROWS_WITH(dram_check::read_command_trace(path.string()), Catch::Contains("is no trace of DRAMSys"));
  std::filesystem::remove(path);
}
