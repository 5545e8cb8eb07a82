#include "system/ideal.hpp"

#include <catch2/catch.hpp>

#include "tests/system/run_helpers.hpp"

using namespace mesim;
using mesim::test::run_with;

namespace {

Cycles owned(const RunResult& run, const std::string& owner) {
  Cycles sum = 0;
  for (const auto& unit : run.accounts.time.units()) {
    for (const auto& part : unit.owners) sum += part.name == owner ? part.cycles : 0;
  }
  return sum;
}

}  // namespace

TEST_CASE("with ideal memory a single core saves exactly the cycles that memory owned") {
  const std::vector<std::string> machine = {"order=timed", "cores.count=1", "workload.pattern=private",
                                            "workload.rounds=2000", "coherence.protocol=MSI"};
  auto ideal_machine = machine;
  ideal_machine.push_back("ideal=dram");
  const RunResult real = run_with(machine);
  const RunResult ideal = run_with(ideal_machine);
  REQUIRE(owned(real, "memory") > 0);
  CHECK(real.time->cycles - ideal.time->cycles == owned(real, "memory") - owned(ideal, "memory"));
}

TEST_CASE("no ideal component makes a machine slower") {
  for (const std::string interconnect : {"bus", "directory"}) {
    const std::vector<std::string> machine = {"order=timed", "cores.count=4", "workload.pattern=migratory",
                                              "workload.rounds=200",
                                              "coherence.interconnect=" + interconnect};
    const Cycles real = run_with(machine).time->cycles;
    for (const auto& name : ideal_names()) {
      auto changed = machine;
      changed.push_back("ideal=" + name);
      INFO(interconnect << ", ideal " << name);
      CHECK(run_with(changed).time->cycles <= real);
    }
  }
}

TEST_CASE("the result keeps the config as it was written") {
  const RunResult run = run_with({"order=timed", "workload.rounds=10", "ideal=dram", "memory.latency_ns=70"});
  CHECK(run.config.at("memory").at("latency_ns") == 70);
  CHECK(run.config.at("ideal") == "dram");
}
