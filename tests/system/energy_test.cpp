#include "system/energy.hpp"

#include <catch2/catch.hpp>

#include "tests/system/run_helpers.hpp"

using namespace mesim;
using mesim::test::run_with;

namespace {

double pj(const RunResult& result, const std::string& component, const std::string& event) {
  for (const auto& e : result.accounts.energy.entries()) {
    if (e.component == component && e.event == event) return e.pj();
  }
  FAIL("no energy of " + component + "/" + event);
  return 0;
}

// The table with round figures.
RunResult by_horowitz(std::vector<std::string> overrides) {
  overrides.emplace_back("technology.preset=horowitz-45nm");
  return run_with(std::move(overrides));
}

double group(const RunResult& result, const std::string& name) {
  return result_document(result).at("ledgers").at("energy_pj").at("groups").at(name).get<double>();
}

}  // namespace

TEST_CASE("one core that loads and stores one word: every event by hand") {
  const auto result = by_horowitz({"cores.count=1", "workload.rounds=1", "coherence.protocol=MESI"});
  CHECK(pj(result, "core0", "atomic") == 45.2);  // one instruction that reads and writes
  CHECK(pj(result, "core0", "other") == 0);
  CHECK(pj(result, "l1d0", "read") == 20);
  CHECK(pj(result, "l1d0", "write") == 20);
  CHECK(pj(result, "l1d0", "fill") == 8 * 20);  // a line of 64 bytes, 8 at a time
  CHECK(pj(result, "l1d0", "drain") == 0);
  CHECK(pj(result, "bus", "snoop") == 0);                          // nobody else listens
  CHECK(pj(result, "bus", "address") == Approx(64 * 0.11 * 2.5));  // a bus as long as the one tile
  CHECK(pj(result, "bus", "data") == Approx(64 * 8 * 0.11 * 2.5));
  CHECK(pj(result, "memory", "read") == 8 * 1300);
  CHECK(result.accounts.energy.total_pj() == Approx(45.2 + 20 + 20 + 160 + 17.6 + 140.8 + 10400));
}

TEST_CASE("false sharing costs energy in snoops and moved lines, not in accesses") {
  const auto packed = by_horowitz({});
  const auto apart = by_horowitz({"workload.stride_bytes=64"});
  CHECK(pj(packed, "l1d0", "read") == pj(apart, "l1d0", "read"));
  CHECK(pj(packed, "core0", "store") == pj(apart, "core0", "store"));
  CHECK(pj(packed, "bus", "snoop") == 7999 * 3 * 10.0);
  CHECK(pj(apart, "bus", "snoop") == 4 * 3 * 10.0);
  CHECK(group(packed, "interconnect") > 100 * group(apart, "interconnect"));
}

TEST_CASE("a last-level cache takes the place of memory accesses") {
  const auto with =
      run_with({"llc.enabled=true", "workload.pattern=private", "l1d.size_bytes=4K", "workload.rounds=200"});
  CHECK(pj(with, "llc", "write") > 0);
  CHECK(imbalances(with.accounts).empty());
}

TEST_CASE("size and ways of a cache set the price of its accesses") {
  const auto small = run_with({"l1d.size_bytes=8K", "l1d.ways=1"});
  const auto large = run_with({"l1d.size_bytes=64K", "l1d.ways=8"});
  const double reads = 1000;
  CHECK(pj(small, "l1d0", "read") == Approx(reads * 6.95));
  CHECK(pj(large, "l1d0", "read") == Approx(reads * 38.8));
}

TEST_CASE("arrays leak for as long as the run lasts, and only a run with a clock has that time") {
  CHECK(run_with({}).accounts.energy.static_pj() == 0);
  for (const char* interconnect : {"bus", "directory"}) {
    const std::string on = std::string("coherence.interconnect=") + interconnect;
    const auto result =
        run_with({"order=timed", on, "llc.enabled=true", "llc.size_bytes=512K", "llc.ways=8"});
    const double ns = result.time->simulated_ns;
    double l1s = 0, llc = 0;
    for (const auto& s : result.accounts.energy.statics()) {
      if (s.component.starts_with("l1d")) l1s += s.pj();
      if (s.component == "llc") llc += s.pj();
    }
    CHECK(l1s == Approx(4 * 45.6 * ns));  // 32 KiB, 8 ways
    if (on.ends_with("bus")) CHECK(llc == Approx(72.8 * ns));
    if (on.ends_with("directory")) CHECK(llc == Approx(4 * 19.1 * ns));  // four slices of 128 KiB
    CHECK(imbalances(result.accounts).empty());
  }
}

TEST_CASE("the groups of a result sum to its total") {
  for (const char* interconnect : {"bus", "directory"}) {
    const auto result = run_with({"order=timed", std::string("coherence.interconnect=") + interconnect,
                                  "llc.enabled=true", "l1i.enabled=false"});
    const auto energy = result_document(result).at("ledgers").at("energy_pj");
    double sum = 0;
    for (const auto& [name, value] : energy.at("groups").items()) {
      CHECK(name != "other");
      sum += value.get<double>();
    }
    CHECK(sum == Approx(energy.at("total").get<double>()));
  }
}

TEST_CASE("a directory holds an entry for each line it may have to remember") {
  const auto bytes = [](std::vector<std::string> overrides) {
    overrides.push_back("coherence.interconnect=directory");
    return directory_bytes(test::config_with(std::move(overrides)));
  };
  // 4 cores: 4 bits of state, 3 of owner, 4 of sharers are 2 bytes; 512 lines a core, 4 homes
  CHECK(bytes({"cores.count=4"}) == 4 * 512 / 4 * 2);
  CHECK(bytes({"cores.count=4", "llc.enabled=true", "llc.size_bytes=2M"}) == 32768 / 4 * 2);
  // 64 cores: 4 + 7 + 64 bits are 10 bytes
  CHECK(bytes({"cores.count=64"}) == 64 * 512 / 4 * 10);
  // other formats: 4 pointers of 7 bits and a mark; 16 groups of 4; full maps for 1024 lines a home
  CHECK(bytes({"cores.count=64", "coherence.directory.format=limited-broadcast"}) == 64 * 512 / 4 * 5);
  CHECK(bytes({"cores.count=64", "coherence.directory.format=coarse"}) == 64 * 512 / 4 * 4);
  CHECK(bytes({"cores.count=64", "coherence.directory.format=sparse",
               "coherence.directory.sparse_entries=1024"}) == 1024 * 10);
}
