// The model checker on the directory protocols: the state counts that an independent checker found for the
// same tables, no violation, and every built-in fault found by a trace of the known shortest length.
#include <catch2/catch.hpp>
#include <tuple>

#include "coherence/checker/directory_model.hpp"
#include "coherence/checker/explorer.hpp"
#include "sim/error.hpp"

using namespace mesim;
using namespace mesim::directory;
using namespace mesim::checker;

namespace {
Exploration explored(const ProtocolOptions& options, unsigned caches, bool symmetry = true) {
  const auto model = directory_model(Protocol(options), caches);
  return explore(*model, {.symmetry = symmetry});
}

struct Count {
  Family family;
  bool nonstalling;
  unsigned caches;
  bool symmetry;
  std::uint64_t states, transitions;
};
}  // namespace

TEST_CASE("state and transition counts equal those of an independent checker") {
  const Count c = GENERATE(
      Count{Family::msi, false, 2, false, 1386, 3300}, Count{Family::msi, false, 3, false, 41620, 143452},
      Count{Family::msi, false, 3, true, 7506, 25970}, Count{Family::msi, false, 4, true, 56004, 257932},
      Count{Family::msi, true, 2, false, 1592, 3812}, Count{Family::msi, true, 3, true, 10404, 36784},
      Count{Family::mesi, false, 2, false, 1896, 4568}, Count{Family::mesi, false, 3, false, 67422, 233398},
      Count{Family::mesi, false, 3, true, 11996, 41638}, Count{Family::mesi, false, 4, true, 101564, 466128},
      Count{Family::mesi, true, 2, false, 2118, 5128}, Count{Family::mesi, true, 3, true, 15640, 55196},
      Count{Family::moesi, false, 2, false, 2264, 5176},
      Count{Family::moesi, false, 3, false, 107594, 351648},
      Count{Family::moesi, false, 3, true, 18664, 61294},
      Count{Family::moesi, false, 4, true, 213288, 922238});
  const Exploration result =
      explored({.family = c.family, .nonstalling = c.nonstalling}, c.caches, c.symmetry);
  INFO(static_cast<int>(c.family) << " nonstalling " << c.nonstalling << " caches " << c.caches);
  REQUIRE_FALSE(result.violation);
  CHECK(result.states == c.states);
  CHECK(result.transitions == c.transitions);
}

TEST_CASE("with recall and DMA every protocol stays coherent and every row is used") {
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true}) {
      const Exploration result = explored({family, nonstalling, true}, 2);
      INFO(static_cast<int>(family) << (nonstalling ? " nonstalling" : " stalling"));
      REQUIRE_FALSE(result.violation);
      for (const UnreachedCell& cell : result.coverage.unreached) {
        INFO(cell.cell << ": " << cell.reason);
        CHECK_FALSE(cell.reason.empty());
        // an eviction that meets S under MOESI needs an owner, a sharer and a writer
        const bool third_cache =
            family == Family::moesi && (cell.cell == "home: S x PutE" || cell.cell == "home: S x PutM");
        if (cell.has_row && !third_cache) CHECK(cell.reason.find("DMA agent") != std::string::npos);
      }
    }
  }
}

TEST_CASE("with three caches every row of the core events is used") {
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true}) {
      for (const UnreachedCell& cell : explored({family, nonstalling}, 3).coverage.unreached) {
        INFO(static_cast<int>(family) << " " << cell.cell);
        CHECK_FALSE(cell.has_row);
      }
    }
  }
}

TEST_CASE("recall and DMA with three caches", "[.long]") {
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true})
      CHECK_FALSE(explored({family, nonstalling, true}, 3).violation);
  }
}

TEST_CASE("each built-in fault is caught by the shortest trace known for it") {
  using Fault = std::tuple<Mutation, Family, unsigned, std::string, std::size_t>;
  const auto [mutation, family, caches, invariant, steps] =
      GENERATE(Fault{Mutation::unordered_forwards, Family::msi, 2, "undefined event", 9},
               Fault{Mutation::unordered_forwards, Family::mesi, 2, "undefined event", 9},
               Fault{Mutation::keep_sm_ad_on_inv, Family::msi, 2, "data value", 9},
               Fault{Mutation::no_is_d_i, Family::msi, 2, "data value", 8},
               Fault{Mutation::ack_count_zero, Family::msi, 2, "data value", 6},
               Fault{Mutation::early_data, Family::msi, 2, "data value", 6},
               Fault{Mutation::stale_putm_written, Family::msi, 2, "quiescence", 16},
               Fault{Mutation::stale_putm_written, Family::msi, 3, "quiescence", 15},
               Fault{Mutation::stale_putm_written, Family::mesi, 3, "quiescence", 15},
               Fault{Mutation::ack_count_on_responses, Family::moesi, 2, "undefined event", 13});
  const Exploration result = explored({.family = family, .mutation = mutation}, caches);
  INFO(mutation_name(mutation));
  REQUIRE(result.violation);
  CHECK(result.violation->invariant == invariant);
  CHECK(result.violation->steps.size() == steps);
}

TEST_CASE("symmetry does not change the length of a counterexample") {
  for (const Mutation mutation :
       {Mutation::unordered_forwards, Mutation::ack_count_zero, Mutation::stale_putm_written}) {
    const ProtocolOptions options{.family = Family::msi, .mutation = mutation};
    CHECK(explored(options, 3, true).violation->steps.size() ==
          explored(options, 3, false).violation->steps.size());
  }
}

// A fault for every row: without it, some state gets an event that nobody handles.
TEST_CASE("no row can be left out", "[slow]") {
  const Protocol whole({.family = Family::moesi, .nonstalling = true, .all_events = true});
  const auto broken = [&](const CacheTable& cache, const HomeTable& home) {
    // two sharers beside a writer take three caches; most rows show with two
    for (const unsigned caches : {2u, 3u}) {
      const auto model = directory_model(Protocol(whole.options(), cache, home), caches);
      if (explore(*model).violation) return true;
    }
    return false;
  };
  for (std::size_t leave = 0; leave < whole.cache().rows().size(); ++leave) {
    std::vector<CacheTable::Row> rows(whole.cache().rows().begin(), whole.cache().rows().end());
    INFO("cache: " << name(rows[leave].state) << " x " << name(rows[leave].event));
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(leave));
    CHECK(broken(CacheTable(rows, cache_state_count, cache_event_count), whole.home()));
  }
  for (std::size_t leave = 0; leave < whole.home().rows().size(); ++leave) {
    std::vector<HomeTable::Row> rows(whole.home().rows().begin(), whole.home().rows().end());
    const HomeTable::Row row = rows[leave];
    if (dma_write_pending(row.state) && (row.event == HomeEvent::DmaRead || row.event == HomeEvent::DmaWrite))
      continue;
    INFO("home: " << name(row.state) << " x " << name(row.event));
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(leave));
    CHECK(broken(whole.cache(), HomeTable(rows, home_state_count, home_event_count)));
  }
}

TEST_CASE("a stale DMA read is found: the home answers from memory while an owner has the line") {
  const Protocol good({.family = Family::mesi, .all_events = true});
  std::vector<HomeTable::Row> rows(good.home().rows().begin(), good.home().rows().end());
  for (HomeTable::Row& row : rows) {
    if (row.state == HomeState::M && row.event == HomeEvent::DmaRead) {
      row.actions = {HomeAction::data_to_requestor};
      row.next = HomeState::M;
    }
  }
  const auto model = directory_model(
      Protocol(good.options(), good.cache(), HomeTable(rows, home_state_count, home_event_count)), 2);
  const Exploration result = explore(*model);
  REQUIRE(result.violation);
  CHECK(result.violation->invariant == "data value");
}

TEST_CASE("a home that forgets to acknowledge an eviction leaves a stuck set or a deadlock") {
  const Protocol good({.family = Family::msi});
  std::vector<HomeTable::Row> rows(good.home().rows().begin(), good.home().rows().end());
  for (HomeTable::Row& row : rows) {
    if (row.state == HomeState::M && row.event == HomeEvent::PutM && row.guard == HomeGuard::not_owner)
      row.actions = {};
  }
  const auto model = directory_model(
      Protocol(good.options(), good.cache(), HomeTable(rows, home_state_count, home_event_count)), 2);
  const Exploration result = explore(*model);
  REQUIRE(result.violation);
  CHECK((result.violation->invariant == "deadlock" || result.violation->invariant == "stuck"));
}

TEST_CASE("the number of caches is checked") {
  CHECK_THROWS_AS(directory_model(Protocol({}), 0), Error);
  CHECK_THROWS_AS(directory_model(Protocol({}), 7), Error);
}

// Pairs of state and message that are met, those that wait included.
TEST_CASE("as many pairs of state and message are met as an independent checker met") {
  const auto pairs = [](Family family, bool nonstalling) {
    const Protocol protocol({.family = family, .nonstalling = nonstalling});
    unsigned cache = 0, home = 0;
    for (std::size_t s = 0; s < cache_state_count; ++s) {
      for (auto e = static_cast<std::size_t>(CacheEvent::FwdGetS); e < cache_event_count; ++e) {
        const auto cell = protocol.cache().cell(static_cast<CacheState>(s), static_cast<CacheEvent>(e));
        cache += !cell.empty();
      }
    }
    for (std::size_t s = 0; s < home_state_count; ++s) {
      for (std::size_t e = 0; e < home_event_count; ++e) {
        const auto cell = protocol.home().cell(static_cast<HomeState>(s), static_cast<HomeEvent>(e));
        home += !cell.empty();
      }
    }
    return std::pair(cache, home);
  };
  // every row is used with three caches (see above), so the tables' cells are the pairs met
  CHECK(pairs(Family::msi, false) == std::pair(26u, 17u));
  CHECK(pairs(Family::msi, true) == std::pair(33u, 17u));
  CHECK(pairs(Family::mesi, false) == std::pair(34u, 26u));
  CHECK(pairs(Family::mesi, true) == std::pair(41u, 26u));
  CHECK(pairs(Family::moesi, false) == std::pair(46u, 25u));
}
