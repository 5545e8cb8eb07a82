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

}  // namespace

TEST_CASE("one core that loads and stores one word: every event by hand") {
  const auto result = run_with({"cores.count=1", "workload.rounds=1", "coherence.protocol=MESI"});
  CHECK(pj(result, "l1d0", "read") == 20);
  CHECK(pj(result, "l1d0", "write") == 20);
  CHECK(pj(result, "l1d0", "fill") == 8 * 20);  // a line of 64 bytes, 8 at a time
  CHECK(pj(result, "l1d0", "drain") == 0);
  CHECK(pj(result, "bus", "snoop") == 0);  // nobody else listens
  CHECK(pj(result, "bus", "address") == Approx(64 * 0.11 * 10));
  CHECK(pj(result, "bus", "data") == Approx(64 * 8 * 0.11 * 10));
  CHECK(pj(result, "memory", "read") == 8 * 1300);
  CHECK(result.accounts.energy.total_pj() == Approx(20 + 20 + 160 + 70.4 + 563.2 + 10400));
}

TEST_CASE("false sharing costs energy in snoops and moved lines, not in accesses") {
  const auto packed = run_with({});
  const auto apart = run_with({"workload.stride_bytes=64"});
  CHECK(pj(packed, "l1d0", "read") == pj(apart, "l1d0", "read"));
  CHECK(pj(packed, "bus", "snoop") == 7999 * 3 * 10.0);
  CHECK(pj(apart, "bus", "snoop") == 4 * 3 * 10.0);
  CHECK(packed.accounts.energy.total_pj() > 10 * apart.accounts.energy.total_pj());
}

TEST_CASE("a last-level cache takes the place of memory accesses") {
  const auto with =
      run_with({"llc.enabled=true", "workload.pattern=private", "l1d.size_bytes=4K", "workload.rounds=200"});
  CHECK(pj(with, "llc", "write") > 0);
  CHECK(imbalances(with.accounts).empty());
}
