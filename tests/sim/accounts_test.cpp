#include "sim/accounts.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace mesim;

namespace {

Accounts balanced() {
  Accounts a;
  a.time.unit("core0", 100);
  a.time.owner("core0", "compute", 60);
  a.time.owner("core0", "memory", 30);
  a.time.owner("core0", "memory", 10);
  a.bytes.link("bus", 640, 128);
  a.bytes.share("bus", "core0", 320, 128);
  a.bytes.share("bus", "core1", 320, 0);
  a.energy.event("l1d0", "read", 10, 20.0);
  a.energy.leakage("l1d0", 2.0, 50.0);
  return a;
}

}  // namespace

TEST_CASE("accounts whose parts sum to wholes are balanced") { CHECK(imbalances(balanced()).empty()); }

TEST_CASE("energy is events times energy per event plus static power times time") {
  const Accounts a = balanced();
  CHECK(a.energy.static_pj() == 100.0);
  CHECK(a.energy.total_pj() == 300.0);
}

TEST_CASE("a lost byte or cycle is named") {
  Accounts a = balanced();
  a.time.owner("core0", "idle", 1);
  a.bytes.share("bus", "core1", 0, 64);
  const auto faults = imbalances(a);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0] == "cycles of core0: the whole is 100, the parts sum to 101");
  CHECK(faults[1] == "bytes written of bus: the whole is 128, the parts sum to 192");
}

TEST_CASE("a ledger refuses a second owner of a name") {
  Accounts a = balanced();
  CHECK_THROWS_AS(a.bytes.link("bus", 0, 0), std::logic_error);
  CHECK_THROWS_AS(a.bytes.share("mesh", "core0", 1, 1), std::logic_error);
  CHECK_THROWS_AS(a.energy.event("l1d0", "read", 1, 1.0), std::logic_error);
  CHECK_THROWS_AS(a.time.owner("core9", "idle", 1), std::logic_error);
}
