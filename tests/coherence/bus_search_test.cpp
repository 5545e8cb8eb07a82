// Every state that a line can reach on the atomic bus, for every protocol and every setting of its knobs:
// one writer or many readers, no stale copy readable, memory stale only while a dirty copy exists, every
// row of the table used, no event without a row.
#include <catch2/catch.hpp>
#include <deque>
#include <set>
#include <stdexcept>
#include <vector>

#include "coherence/bus_protocol.hpp"
#include "coherence/bus_tables.hpp"
#include "coherence/bus_transaction.hpp"
#include "tests/coherence/wrong_bus_rows.hpp"

using namespace mesim;

namespace {

// Data is "the last value stored" or "an older one": a store makes everything else older.
struct Line {
  std::vector<BusState> states;
  std::vector<bool> current;
  bool memory_current = true;
  auto operator<=>(const Line&) const = default;
};

using Reached = std::set<const BusRow*>;

void must(bool holds, const char* invariant) {
  if (!holds) throw std::logic_error(invariant);
}

struct Copies {
  Line line;
  Reached* reached;
  bool bus_current = false;
  bool updating = false;

  unsigned count() const { return static_cast<unsigned>(line.states.size()); }
  BusState state(unsigned cache) const { return line.states[cache]; }
  bool own_queued(unsigned) const { return false; }
  void respond(unsigned cache, BusEvent, const BusRow& row, bool supplies) {
    reached->insert(&row);
    if (supplies) bus_current = line.current[cache];
    if (row.actions.has(BusAction::update_memory)) line.memory_current = line.current[cache];
    if (row.actions.has(BusAction::take_update)) updating = true;
    line.states[cache] = row.next;
  }
};

Line access(const BusProtocol& protocol, Line line, unsigned cache, BusEvent event, Reached& reached) {
  const BusState state = line.states[cache];
  Copies copies{std::move(line), &reached};
  if (const BusRow* hit = protocol.hit(state, event)) {
    reached.insert(hit);
    copies.line.states[cache] = hit->next;
  } else {
    const BusOutcome outcome = bus_request(protocol, copies, cache, state, event);
    reached.insert(outcome.row);
    if (state == BusState::I) {
      copies.line.current[cache] = outcome.supplier < 0 ? copies.line.memory_current : copies.bus_current;
    }
    copies.line.states[cache] = outcome.row->next;
  }
  must(copies.line.current[cache], "a load returns, and a store writes into, the last value");
  if (event == BusEvent::Store) {
    for (unsigned c = 0; c < copies.count(); ++c) {
      if (c != cache && !copies.updating) copies.line.current[c] = false;
    }
    copies.line.memory_current = false;
  }
  return copies.line;
}

Line evict(const BusProtocol& protocol, Line line, unsigned cache, Reached& reached) {
  const BusRow& row = protocol.respond(line.states[cache], BusEvent::Evict);
  reached.insert(&row);
  if (row.actions.has(BusAction::write_back)) line.memory_current = line.current[cache];
  line.states[cache] = row.next;
  return line;
}

Line memory_side(const BusProtocol& protocol, Line line, BusEvent event, Reached& reached) {
  Copies copies{std::move(line), &reached};
  BusOutcome outcome;
  snoop(protocol, copies, copies.count(), event, outcome);
  if (event == BusEvent::DmaRead) {
    must(outcome.supplier < 0 ? copies.line.memory_current : copies.bus_current,
         "a device reads the last value");
  }
  must(event != BusEvent::DmaWrite || copies.line.memory_current,
       "the bytes beside a device's write are current");
  return copies.line;
}

void check(const Line& line) {
  int exclusive = 0, valid = 0, dirty = 0;
  for (std::size_t c = 0; c < line.states.size(); ++c) {
    if (line.states[c] == BusState::I) continue;
    ++valid;
    exclusive += is_exclusive(line.states[c]);
    dirty += is_dirty(line.states[c]);
    must(line.current[c], "every copy is current");
  }
  must(exclusive == 0 || valid == 1, "one writer or many readers");
  must(dirty <= 1, "one cache answers for a stale memory");
  must(line.memory_current || dirty == 1, "a stale memory has an owner");
}

std::size_t explore(const BusProtocol& protocol, unsigned caches) {
  Reached reached;
  std::set<Line> seen;
  std::deque<Line> frontier;
  const auto visit = [&](Line line) {
    check(line);
    for (std::size_t c = 0; c < caches; ++c) {
      if (line.states[c] == BusState::I) line.current[c] = false;
    }
    if (seen.insert(line).second) frontier.push_back(std::move(line));
  };
  visit({std::vector<BusState>(caches, BusState::I), std::vector<bool>(caches, false), true});
  while (!frontier.empty()) {
    const Line line = frontier.front();
    frontier.pop_front();
    for (unsigned c = 0; c < caches; ++c) {
      visit(access(protocol, line, c, BusEvent::Load, reached));
      visit(access(protocol, line, c, BusEvent::Store, reached));
      if (line.states[c] != BusState::I) visit(evict(protocol, line, c, reached));
    }
    visit(memory_side(protocol, line, BusEvent::Recall, reached));
    visit(memory_side(protocol, line, BusEvent::DmaRead, reached));
    visit(memory_side(protocol, line, BusEvent::DmaWrite, reached));
  }
  for (const BusRow& row : protocol.table().rows()) {
    const bool passes = row.state == BusState::I && row.event > BusEvent::Evict;
    const bool timed_only = row.guard == BusGuard::own_queued;
    INFO(protocol.name() << ": " << name_of(row.state) << ' ' << name_of(row.event) << ' '
                         << name_of(row.guard));
    CHECK((passes || timed_only || reached.count(&row) == 1));
  }
  return seen.size();
}

}  // namespace

TEST_CASE("every bus protocol keeps one writer, current readers and recoverable memory", "[bus]") {
  for (const std::string& protocol : bus_protocol_names()) {
    for (const char* upgrade : {"BusUpgr", "BusRdX"}) {
      for (const char* supply : {"memory", "owner", "any"}) {
        for (const char* forwarder : {"latest", "first"}) {
          for (const unsigned caches : {2u, 3u}) {
            CoherenceConfig config;
            config.protocol = protocol;
            config.upgrade = upgrade;
            config.supply = supply;
            config.forwarder = forwarder;
            INFO(protocol << ' ' << upgrade << ' ' << supply << ' ' << forwarder << ' ' << caches);
            CHECK_NOTHROW(explore(BusProtocol(config), caches));
          }
        }
      }
    }
  }
}

TEST_CASE("a line under MSI and MESI on three caches has as many states as counting says", "[bus]") {
  // MSI: any set of sharers (8) or one of three writers, memory stale under a writer alone.
  CoherenceConfig config;
  config.protocol = "MSI";
  CHECK(explore(BusProtocol(config), 3) == 8 + 3);
  // MESI adds one of three clean exclusive copies.
  config.protocol = "MESI";
  CHECK(explore(BusProtocol(config), 3) == 8 + 3 + 3);
}

TEST_CASE("a row that keeps a copy it should lose, or hides it from a reader, is caught", "[bus]") {
  const auto hides_it = [](BusRow& row) {
    if (row.event != BusEvent::BusRd || !is_exclusive(row.state)) return false;
    row.next = row.state;
    return true;
  };
  test::for_each_wrong_row(hides_it, [](const std::string& name, const std::vector<BusRow>& rows) {
    CHECK_THROWS(explore(BusProtocol(name, rows), 3));
  });
}
