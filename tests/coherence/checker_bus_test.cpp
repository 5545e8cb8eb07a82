// The model checker on the atomic bus: states that counting predicts, and faults found.
#include <catch2/catch.hpp>

#include "coherence/bus_tables.hpp"
#include "coherence/checker/bus_model.hpp"
#include "coherence/checker/explorer.hpp"
#include "coherence/checker/protocols.hpp"
#include "sim/error.hpp"

using namespace mesim;
using namespace mesim::checker;

namespace {
Exploration explored(const std::string& name, unsigned caches, bool symmetry, bool all_events = false) {
  const auto model = protocol_model({.name = name, .all_events = all_events}, caches);
  return explore(*model, {.symmetry = symmetry});
}
}  // namespace

TEST_CASE("bus states are as many as counting says", "[bus]") {
  for (unsigned n = 1; n <= 5; ++n) {
    // Without names: 0 .. n sharers or one writer; each with the last value 0 or 1, and under a writer a
    // stale memory with either value of its own. MESI adds one clean exclusive copy; a last value that went
    // back to the old one makes no difference to what is current.
    INFO(n);
    CHECK(explored("msi-bus", n, true).states == 2 * (n + 1) + 2 * 2);
    CHECK(explored("mesi-bus", n, true).states == 2 * (n + 1) + 2 + 2 * 2 - (n == 1 ? 2 : 0));
    CHECK(explored("msi-bus", n, false).states == 2 * (1u << n) + 2 * 2 * n);
  }
}

TEST_CASE("every bus protocol is coherent with every event and uses every row", "[bus]") {
  for (const std::string& name : protocol_names()) {
    if (!name.ends_with("-bus") || name.ends_with("-split-bus")) continue;
    for (const bool all_events : {false, true}) {
      const Exploration result = explored(name, 4, true, all_events);
      INFO(name);
      CHECK_FALSE(result.violation);
      for (const UnreachedCell& cell : result.coverage.unreached) {
        INFO(cell.cell << ": " << cell.reason);
        CHECK_FALSE(cell.has_row);
        CHECK_FALSE(cell.reason.empty());
      }
    }
  }
}

TEST_CASE("a bus protocol without one of its rows is found out", "[bus]") {
  for (const std::string& name : bus_protocol_names()) {
    const std::vector<BusRow> rows = bus_rows(name);
    for (std::size_t leave = 0; leave < rows.size(); ++leave) {
      if (rows[leave].state == BusState::I && rows[leave].event > BusEvent::Evict) continue;
      std::vector<BusRow> fewer = rows;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(leave));
      INFO(name << ": " << name_of(rows[leave].state) << " x " << name_of(rows[leave].event));
      const auto model = bus_model(name, BusProtocol(name, fewer), 3, true);
      // where an `owned` row is missing the `shared` row takes its place and two caches answer
      CHECK((explore(*model).violation.has_value() || rows[leave].guard == BusGuard::owned));
    }
  }
}

TEST_CASE("choices that a protocol does not have are refused", "[bus]") {
  CHECK_THROWS_WITH(protocol_model({.name = "mesi-buss"}, 2), Catch::Contains("mesi-bus"));
  CHECK_THROWS_AS(protocol_model({.name = "mesi-bus", .nonstalling = true}, 2), Error);
  CHECK_THROWS_AS(protocol_model({.name = "mesi-bus", .mutation = "ack-count-zero"}, 2), Error);
  CHECK_THROWS_AS(protocol_model({.name = "mesi-bus"}, 9), Error);
}
