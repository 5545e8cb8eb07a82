// The patterns' counts are those that a lecture derives by hand: Culler, Singh, Gupta, chapter 5.
#include "system/patterns.hpp"

#include <catch2/catch.hpp>

#include "tests/system/run_helpers.hpp"

using namespace mesim;
using mesim::test::run_with;

namespace {

std::uint64_t transactions(const std::string& pattern, const std::string& protocol,
                           std::vector<std::string> more = {}) {
  more.insert(more.end(), {"workload.pattern=" + pattern, "coherence.protocol=" + protocol});
  return run_with(more).stats.component("bus")->count("transactions");
}

std::uint64_t total(const RunResult& result, const char* name) {
  return result.stats.component("total")->count(name);
}

}  // namespace

TEST_CASE("packed counters bounce one line; counters a line apart need no traffic beyond the first touch") {
  for (const std::string n : {"2", "4", "8"}) {
    const std::uint64_t cores = std::stoul(n);
    for (const std::string k : {"1", "1000"}) {
      const std::uint64_t rounds = std::stoul(k);
      const std::vector<std::string> shape = {"cores.count=" + n, "workload.rounds=" + k};
      auto apart = shape;
      apart.push_back("workload.stride_bytes=64");
      CHECK(transactions("counters", "MSI", shape) == 2 * cores * rounds);
      CHECK(transactions("counters", "MSI", apart) == 2 * cores);
      CHECK(transactions("counters", "MESI", apart) == cores);
    }
  }
  CHECK(transactions("counters", "MESI") == 2 * 4 * 1000 - 1);
}

TEST_CASE("private read-then-write costs two transactions a line in MSI and one in MESI") {
  const std::vector<std::string> shape = {"workload.rounds=1024"};
  CHECK(transactions("private", "MSI", shape) == 8192);
  CHECK(transactions("private", "MESI", shape) == 4096);
}

TEST_CASE("migratory sharing gains nothing from E, and each hand-over writes back unless there is an O") {
  const std::vector<std::string> shape = {"workload.pattern=migratory", "workload.rounds=250"};  // 1000 turns
  const auto run = [&](const std::string& protocol) {
    auto overrides = shape;
    overrides.push_back("coherence.protocol=" + protocol);
    return run_with(overrides);
  };
  CHECK(transactions("migratory", "MSI", {"workload.rounds=250"}) == 2000);
  CHECK(transactions("migratory", "MESI", {"workload.rounds=250"}) == 1999);
  CHECK(transactions("migratory", "MOESI", {"workload.rounds=250"}) == 1999);
  CHECK(total(run("MSI"), "writebacks") == 999);
  CHECK(total(run("MESI"), "writebacks") == 999);
  CHECK(total(run("MOESI"), "writebacks") == 0);
}

TEST_CASE("a producer and its consumers: O saves the write-back, not the transactions") {
  for (const std::string protocol : {"MSI", "MESI", "MOESI"}) {
    CHECK(transactions("producer_consumer", protocol) == 4000);
    const auto result = run_with({"workload.pattern=producer_consumer", "coherence.protocol=" + protocol});
    CHECK(total(result, "writebacks") == (protocol == "MOESI" ? 0 : 1000));
  }
}

TEST_CASE("a pattern in the order of its trace is one that obeys its own waits") {
  CHECK(transactions("migratory", "MSI", {"workload.rounds=250", "order=serial"}) == 2000);
  CHECK(transactions("producer_consumer", "MSI", {"order=serial"}) == 4000);
}

TEST_CASE("a pattern says how many records it has") {
  for (const auto& name : pattern_names()) {
    const auto trace = pattern_trace(name, {.cores = 3, .rounds = 5});
    std::uint64_t records = 0;
    const auto merged = trace->merged();
    for (auto batch = merged->next(); !batch.empty(); batch = merged->next()) records += batch.size();
    CHECK(records == trace->info().records);
    std::uint64_t by_thread = 0;
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      const auto stream = trace->thread(thread);
      for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) by_thread += batch.size();
    }
    CHECK(by_thread == records);
  }
}

TEST_CASE("stores alone need the line once each time they find it elsewhere") {
  for (const std::string protocol : {"MSI", "MESI", "MOESI"}) {
    CHECK(transactions("stores", protocol, {"workload.rounds=100", "workload.stride_bytes=4"}) == 400);
    CHECK(transactions("stores", protocol, {"workload.rounds=100", "workload.stride_bytes=64"}) == 4);
  }
}
