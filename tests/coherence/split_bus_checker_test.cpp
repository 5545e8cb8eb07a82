// The model checker on the split-transaction bus: the state counts that an independent checker found for the
// same MSI tables (equal states of the caches exchanged, messages as multisets, a data bit a copy), no
// violation, and every built-in fault found.
#include <catch2/catch.hpp>
#include <set>

#include "coherence/checker/explorer.hpp"
#include "coherence/checker/protocols.hpp"
#include "coherence/checker/split_bus_model.hpp"
#include "sim/error.hpp"

using namespace mesim;
using namespace mesim::split_bus;
using namespace mesim::checker;

namespace {
Exploration explored(const ProtocolOptions& options, unsigned caches, unsigned snoop_queue,
                     bool symmetry = true) {
  const auto model = split_bus_model(Protocol(options), caches, snoop_queue);
  return explore(*model, {.symmetry = symmetry});
}

struct Count {
  bool nonstalling;
  unsigned caches, snoop_queue;
  std::uint64_t states, transitions;
};
constexpr Family every_family[] = {Family::msi, Family::mesi, Family::moesi};
}  // namespace

TEST_CASE("states and transitions of MSI on a split bus equal those of an independent checker",
          "[splitbus]") {
  const Count c = GENERATE(Count{false, 2, 1, 3502, 9944}, Count{true, 2, 1, 3978, 11424},
                           Count{false, 3, 1, 33768, 132580}, Count{true, 3, 1, 50682, 205228},
                           Count{false, 2, 2, 12716, 38262}, Count{true, 2, 2, 13974, 42340},
                           Count{false, 2, 3, 29928, 91270}, Count{true, 2, 3, 32670, 100116});
  INFO("nonstalling " << c.nonstalling << " caches " << c.caches << " queue " << c.snoop_queue);
  const Exploration result = explored({.nonstalling = c.nonstalling}, c.caches, c.snoop_queue);
  REQUIRE_FALSE(result.violation);
  CHECK(result.states == c.states);
  CHECK(result.transitions == c.transitions);
}

TEST_CASE("so do those of three caches whose snoop queues lag", "[splitbus][slow]") {
  const Count c = GENERATE(Count{false, 3, 2, 292166, 1239300}, Count{true, 3, 2, 396956, 1722336});
  const Exploration result = explored({.nonstalling = c.nonstalling}, c.caches, c.snoop_queue);
  REQUIRE_FALSE(result.violation);
  CHECK(result.states == c.states);
  CHECK(result.transitions == c.transitions);
}

TEST_CASE("every protocol on a split bus is coherent in both forms, however far two caches lag",
          "[splitbus]") {
  for (const Family family : every_family) {
    for (const bool nonstalling : {false, true}) {
      for (const unsigned snoop_queue : {1u, 2u, 4u}) {
        INFO(Protocol({family, nonstalling}).name()
             << " nonstalling " << nonstalling << " queue " << snoop_queue);
        CHECK_FALSE(explored({family, nonstalling}, 2, snoop_queue).violation);
      }
      CHECK_FALSE(explored({family, nonstalling}, 3, 1).violation);
    }
  }
}

TEST_CASE("a row that two caches do not use takes a third or a fourth", "[splitbus][slow]") {
  for (const Family family : every_family) {
    for (const bool nonstalling : {false, true}) {
      std::set<std::string> two_use_it_not;
      for (const UnreachedCell& cell : explored({family, nonstalling}, 2, 3).coverage.unreached)
        two_use_it_not.insert(cell.cell);
      const Exploration result = explored({family, nonstalling}, 3, 2);
      REQUIRE_FALSE(result.violation);
      for (const UnreachedCell& cell : result.coverage.unreached) {
        INFO(Protocol({family, nonstalling}).name() << ": " << cell.cell << ": " << cell.reason);
        CHECK_FALSE(cell.reason.empty());
        if (!cell.has_row || two_use_it_not.count(cell.cell) == 0) continue;
        // requests of three others between a writer's own and its data; two stale PutMs beside owner and
        // reader
        CHECK((cell.cell.rfind("cache: IM_D_SI x Other", 0) == 0 || cell.cell == "memory: S_D x PutM"));
      }
    }
  }
}

TEST_CASE("renaming caches merges states but proves the same", "[splitbus]") {
  for (const Family family : every_family) {
    const Exploration named = explored({family, true}, 2, 2, false), merged = explored({family, true}, 2, 2);
    CHECK_FALSE(named.violation);
    CHECK(named.states > merged.states);
    CHECK(named.states <= 2 * merged.states);
    CHECK(named.depth == merged.depth);
  }
}

TEST_CASE("the faults of a split bus are caught by the shortest trace", "[splitbus]") {
  using Fault = std::tuple<Mutation, Family, unsigned, std::string, std::size_t>;
  const auto [mutation, family, snoop_queue, invariant, steps] = GENERATE(
      // an owner that snoops a GetS before memory does sends its copy too early for a memory that cannot hold
      // it
      Fault{Mutation::no_early_data, Family::msi, 1, "undefined event", 10},
      Fault{Mutation::no_early_data, Family::msi, 2, "undefined event", 9},
      Fault{Mutation::no_early_data, Family::moesi, 1, "undefined event", 10},
      Fault{Mutation::untagged_data, Family::msi, 1, "undefined event", 24},
      Fault{Mutation::untagged_data, Family::mesi, 1, "SWMR", 24},
      Fault{Mutation::untagged_data, Family::moesi, 2, "undefined event", 27},
      // known: 28 steps; a stale NoData is taken for the Data of a later PutM of the same cache
      Fault{Mutation::unordered_data, Family::msi, 2, "undefined event", 28},
      Fault{Mutation::no_is_d_i, Family::msi, 1, "data value", 12},
      Fault{Mutation::no_is_d_i, Family::mesi, 1, "deadlock", 11},
      Fault{Mutation::lose_sm_a_data, Family::msi, 2, "deadlock", 18});
  INFO(mutation_name(mutation) << " " << Protocol({.family = family}).name());
  const Exploration result = explored({.family = family, .mutation = mutation}, 2, snoop_queue);
  REQUIRE(result.violation);
  CHECK(result.violation->invariant == invariant);
  CHECK(result.violation->steps.size() == steps);
}

// A fault for every row: without it, some state gets an event that nobody handles.
TEST_CASE("no row of a split bus can be left out", "[splitbus][slow]") {
  for (const Family family : every_family) {
    const Protocol whole({.family = family, .nonstalling = true});
    const auto broken = [&](const CacheTable& cache, const MemoryTable& memory) {
      for (const auto& [caches, snoop_queue] : {std::pair{2u, 3u}, std::pair{3u, 1u}, std::pair{3u, 2u}}) {
        const auto model = split_bus_model(Protocol(whole.options(), cache, memory), caches, snoop_queue);
        if (explore(*model).violation) return true;
      }
      return false;
    };
    for (std::size_t leave = 0; leave < whole.cache().rows().size(); ++leave) {
      std::vector<CacheTable::Row> rows(whole.cache().rows().begin(), whole.cache().rows().end());
      if (rows[leave].state == CacheState::IM_D_SI && rows[leave].event >= CacheEvent::OtherGetS &&
          rows[leave].event <= CacheEvent::OtherPutM)
        continue;  // takes four caches
      INFO(whole.name() << " cache: " << name(rows[leave].state) << " x " << name(rows[leave].event));
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(leave));
      CHECK(broken(CacheTable(rows, cache_state_count, cache_event_count), whole.memory()));
    }
    for (std::size_t leave = 0; leave < whole.memory().rows().size(); ++leave) {
      std::vector<MemoryTable::Row> rows(whole.memory().rows().begin(), whole.memory().rows().end());
      const MemoryTable::Row row = rows[leave];
      if (family == Family::moesi && row.state == MemoryState::S_D &&
          (row.event == MemoryEvent::PutM || row.guard == MemoryGuard::not_awaited))
        continue;  // takes four caches
      INFO(whole.name() << " memory: " << name(row.state) << " x " << name(row.event));
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(leave));
      CHECK(broken(whole.cache(), MemoryTable(rows, memory_state_count, memory_event_count)));
    }
  }
}

TEST_CASE("choices that a split bus does not have are refused", "[splitbus]") {
  CHECK_THROWS_WITH(protocol_model({.name = "msi-split-buss"}, 2), Catch::Contains("msi-split-bus"));
  CHECK_THROWS_AS(protocol_model({.name = "msi-split-bus", .all_events = true}, 2), Error);
  CHECK_THROWS_AS(protocol_model({.name = "msi-split-bus", .snoop_queue = 5}, 2), Error);
  CHECK_THROWS_AS(protocol_model({.name = "msi-split-bus"}, 7), Error);
  CHECK_THROWS_AS(protocol_model({.name = "msi-directory", .snoop_queue = 2}, 2), Error);
  CHECK_THROWS_WITH(protocol_model({.name = "msi-split-bus", .mutation = "untaged-data"}, 2),
                    Catch::Contains("untagged-data"));
}
