// Why a cell of a table was not reached with some number of caches: a search with one more must not refute
// it.
#include <catch2/catch.hpp>
#include <map>

#include "coherence/checker/explorer.hpp"
#include "coherence/checker/protocols.hpp"

using namespace mesim;
using namespace mesim::checker;

namespace {

std::map<std::string, std::string> unreached(const ProtocolChoice& choice, unsigned caches) {
  const Exploration found = explore(*protocol_model(choice, caches));
  REQUIRE_FALSE(found.violation);
  std::map<std::string, std::string> reasons;
  for (const UnreachedCell& cell : found.coverage.unreached) {
    CHECK_FALSE(cell.reason.empty());
    reasons[cell.cell] = cell.reason;
  }
  return reasons;
}

// A reason that speaks of the number of caches is none against more of them.
void check_reasons(const ProtocolChoice& choice, unsigned caches) {
  INFO(choice.name << " with " << caches << " caches");
  const auto more = unreached(choice, caches + 1);
  const std::string too_few = "takes more than " + std::to_string(caches) + " caches";
  for (const auto& [cell, reason] : unreached(choice, caches)) {
    INFO(cell << ": " << reason);
    CHECK((more.contains(cell) || reason.find(too_few) == 0));
  }
}

}  // namespace

TEST_CASE("no reason why a cell is not reached is refuted by one more cache") {
  for (const std::string& name : protocol_names()) {
    check_reasons({.name = name}, 2);
    const bool atomic_bus = name.ends_with("-bus") && !is_split_bus(name);
    if (!atomic_bus) check_reasons({.name = name, .nonstalling = true}, 2);
    if (!is_split_bus(name)) check_reasons({.name = name}, 3);
  }
}

TEST_CASE("nor with recall and DMA", "[slow]") {
  for (const std::string& name : protocol_names()) {
    if (!is_split_bus(name)) check_reasons({.name = name, .all_events = true}, 1);
  }
}
