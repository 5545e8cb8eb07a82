// The split-bus tables as data: what every table must satisfy by its form, and where the protocols differ.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "coherence/split_bus_protocol.hpp"

using namespace mesim;
using namespace mesim::split_bus;

namespace {
std::vector<Protocol> every_protocol() {
  std::vector<Protocol> out;
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true}) out.emplace_back(ProtocolOptions{family, nonstalling});
  }
  return out;
}
bool waits(const MemoryTable::Row& row) { return row.actions.has(MemoryAction::stall); }
bool waits(const CacheTable::Row& row) { return row.actions.has(CacheAction::stall); }
}  // namespace

TEST_CASE("a cache takes its data and its own request whatever it waits for", "[splitbus]") {
  for (const Protocol& protocol : every_protocol()) {
    for (const auto& row : protocol.cache().rows()) {
      const bool own = row.event >= CacheEvent::OwnGetS && row.event <= CacheEvent::OwnPutM;
      if (own || row.event >= CacheEvent::Data) CHECK_FALSE(waits(row));
    }
  }
}

TEST_CASE("every cache state says what another's request does to it", "[splitbus]") {
  for (const Protocol& protocol : every_protocol()) {
    for (const auto& row : protocol.cache().rows()) {
      INFO(protocol.name() << " " << name(row.next));
      for (const CacheEvent event : {CacheEvent::OtherGetS, CacheEvent::OtherGetM, CacheEvent::OtherPutM})
        CHECK(protocol.cache().cell(row.next, event).size() == 1);
    }
  }
}

TEST_CASE("memory lets data wait until it awaits it, and its requests while it awaits data", "[splitbus]") {
  for (const Protocol& protocol : every_protocol()) {
    for (const auto& row : protocol.memory().rows()) {
      INFO(protocol.name() << " " << name(row.state) << " x " << name(row.event));
      if (row.event < MemoryEvent::Data) {
        CHECK(waits(row) == !stable(row.state));
      } else if (stable(row.state)) {
        CHECK(waits(row));
      } else {
        CHECK(row.guard != MemoryGuard::always);
        CHECK(waits(row) == (row.guard == MemoryGuard::not_awaited));
      }
    }
  }
}

TEST_CASE("a store in a shared copy is not visible before its request is ordered", "[splitbus]") {
  for (const Protocol& protocol : every_protocol()) {
    for (const auto& row : protocol.cache().rows()) {
      if (!row.actions.has(CacheAction::store)) continue;
      INFO(protocol.name() << " " << name(row.state) << " x " << name(row.event));
      // it owns the line, sees its own request, or has seen it and gets the data
      CHECK((row.state == CacheState::M || row.state == CacheState::E || row.event == CacheEvent::OwnGetM ||
             row.event == CacheEvent::Data));
      if (row.event == CacheEvent::Data) {
        CHECK((row.state != CacheState::IM_AD && row.state != CacheState::SM_AD));
      }
    }
    CHECK_FALSE(readable(CacheState::SM_A));
  }
}

TEST_CASE("the nonstalling form of a split bus leaves fewer requests in the queue", "[splitbus]") {
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    const auto stalls_of = [&](bool nonstalling) {
      std::set<std::pair<CacheState, CacheEvent>> out;
      const Protocol protocol({family, nonstalling});
      for (const auto& row : protocol.cache().rows()) {
        if (row.event >= CacheEvent::OtherGetS && waits(row)) out.insert({row.state, row.event});
      }
      return out;
    };
    CHECK(stalls_of(true).size() < stalls_of(false).size());
    // an owner of MOESI would have to note every reader, and so leaves them in the queue
    CHECK(stalls_of(true).empty() == (family != Family::moesi));
  }
}

TEST_CASE("a split-bus listing prints every row once and stays within 100 columns", "[splitbus]") {
  for (const Protocol& protocol : every_protocol()) {
    const ProtocolListing listing = protocol.listing();
    CHECK(listing.tables[0].rows.size() == protocol.cache().rows().size());
    CHECK(listing.tables[1].rows.size() == protocol.memory().rows().size());
    std::istringstream text(listing_text(listing));
    for (std::string line; std::getline(text, line);) {
      INFO(line);
      CHECK(line.size() <= 100);
    }
  }
}
