// Every rule of every family is broken once, and nothing else with it: traces of the controller, which keep
// all rules, go to a checker that knows one time to be longer.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/memory/dram_helpers.hpp"

using namespace mesim;
using test::memory_of;

namespace {

using Names = std::set<std::string>;

// Which rules a time is part of, by the standards' text.
const std::map<std::string, Names> rules_of_times = {
    {"nRCD", {"tRCD", "tRCDWR"}},
    {"nRCDRD", {"tRCD"}},
    {"nRCDWR", {"tRCDWR"}},
    {"nRAS", {"tRAS"}},
    {"nRC", {"tRC", "tRC before REF", "tRC before REFpb"}},
    {"nRP",
     {"tRP", "tRPab", "tRTP+tRP", "tWR+tRP", "tRP before REF", "tRTP+tRP before REF", "tWR+tRP before REF",
      "tRP before REFpb"}},
    {"nRPab", {"tRPab"}},
    {"nRTP", {"tRTP", "tRTP+tRP", "tRTP+tRP before REF"}},
    {"nWR", {"tWR", "tWR+tRP", "tWR+tRP before REF"}},
    {"nRRD_S", {"tRRD_S"}},
    {"nRRD_L", {"tRRD_L"}},
    {"nFAW", {"tFAW"}},
    {"nCCD_S", {"tCCD_S"}},
    {"nCCD_L", {"tCCD_L"}},
    {"nCCD_L_WR2", {"tCCD_L_WR2"}},
    {"nCCD_R", {"tCCD_R"}},
    {"nRTRS", {"tRTRS", "tWRRD other rank"}},
    {"nRTW", {"tRTW"}},
    {"nCL", {"tRTW", "data bus"}},
    {"nWTR_S", {"tWTR_S"}},
    {"nWTR_L", {"tWTR_L"}},
    {"nPPD", {"tPPD"}},
    {"nRFC", {"tRFC"}},
    {"nRFCB", {"tRFCpb", "tRFCpb before REF"}},
    {"nREFB_REFB", {"REFpb to REFpb"}},
    {"nREFB_ACT", {"REFpb to ACT"}},
    {"nRREFD", {"REFpb to ACT"}},
    {"nXP", {"tXP"}},
    {"nXS", {"tXS"}},
    {"nCKE", {"tCKE", "tCKESR"}},
};

struct Traced {
  dram_check::Parameters parameters;
  std::vector<dram_check::DramCommand> commands;
  std::string text;
};

Traced traced(const std::string& preset, const std::string& pattern, std::vector<std::string> overrides) {
  const std::string text = fmt::format("{} {}", pattern, fmt::join(overrides, " "));
  const MemoryConfig config = memory_of(preset, std::move(overrides));
  dram::Channels channels(config, "test");
  Traced out{dram::checker_parameters(config, channels.timings()), {}, text};
  const dram::CommandTap tap(channels, [&](const dram_check::DramCommand& c) { out.commands.push_back(c); });
  const auto source = dram::request_pattern(
      test::pattern_of(pattern, pattern == "sparse" ? 500 : 3000, channels.timings().clock_ns()));
  test::WatchNothing watch;
  dram::run_direct(channels, *source, watch);
  return out;
}

// Between them every command meets every other that a rule holds back.
std::vector<Traced> traces_of(const std::string& preset) {
  const std::string family = memory_of(preset).family;
  std::vector<Traced> out;
  const auto add = [&](const std::string& pattern, std::vector<std::string> overrides) {
    overrides.push_back("organisation.channels=1");
    out.push_back(traced(preset, pattern, std::move(overrides)));
  };
  add("stream", {"mapping=A"});
  for (const std::string pattern : {"mixed", "random", "sparse"}) {
    add(pattern, {});
    add(pattern, {"controller.rows=closed"});
    add(pattern, {"organisation.ranks=2", "mapping=row:bank:column:group:rank:channel:pseudo"});
  }
  if (family != "ddr4") {
    const std::string some = family == "ddr5" ? "same_bank" : "per_bank";
    for (const std::string rows : {"open", "closed"})
      add("random", {"controller.refresh=" + some, "controller.rows=" + rows});
    add("sparse", {"controller.refresh=" + some, "controller.pulled_in_refreshes=8",
                   "controller.self_refresh_after_cycles=20"});
  }
  add("sparse", {"controller.power_down_after_cycles=20"});
  add("sparse", {"controller.power_down_after_cycles=1", "controller.rows=closed"});
  add("sparse", {"controller.self_refresh_after_cycles=20"});
  return out;
}

Names broken_in(const Traced& trace, const std::string& time, std::uint32_t longer_by) {
  dram_check::Parameters wrong = trace.parameters;
  wrong.cycles.at(time) += longer_by;
  dram_check::TimingChecker checker(wrong);
  for (const auto& c : trace.commands) checker.observe(c);
  Names out;
  for (const auto& v : checker.violations()) out.insert(v.rule);
  return out;
}

}  // namespace

TEST_CASE("the checker finds each rule of each family broken, and blames no other") {
  for (const std::string preset : {"ddr4-3200", "ddr5-4800", "lpddr5-6400", "gddr6-16", "hbm2", "hbm3"}) {
    const auto traces = traces_of(preset);
    for (const Traced& trace : traces) {
      INFO(preset << ": " << trace.text);
      CHECK(broken_in(trace, "nRP", 0).empty());
    }
    Names found;
    for (const Traced& trace : traces) {
      for (const auto& [time, rules] : rules_of_times) {
        if (trace.parameters.cycles.count(time) == 0) continue;
        for (const std::uint32_t longer_by : {1U, 4096U}) {
          for (const std::string& rule : broken_in(trace, time, longer_by)) {
            INFO(preset << ": " << time << " longer by " << longer_by << " breaks " << rule);
            CHECK(rules.count(rule) == 1);
            found.insert(rule);
          }
        }
      }
    }
    const dram_check::TimingChecker checker(traces.front().parameters);
    for (const std::string& rule : checker.rules()) {
      INFO(preset << ": " << rule);
      CHECK(found.count(rule) == 1);
    }
    CHECK(found.count("tFAW") == 1);
    CHECK(found.count("data bus") == 1);
  }
}
