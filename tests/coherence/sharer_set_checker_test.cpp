// The model checker on every directory format: what a home remembers of the sharers may be too much, and the
// protocols stay coherent; with recall and DMA as well.
#include <catch2/catch.hpp>

#include "coherence/checker/directory_model.hpp"
#include "coherence/checker/explorer.hpp"
#include "sim/error.hpp"

using namespace mesim;
using namespace mesim::directory;
using namespace mesim::checker;

namespace {
constexpr Family every_family[] = {Family::msi, Family::mesi, Family::moesi};

// Of each kind those that differ with three caches.
const DirectoryFormat formats[] = {{.kind = DirectoryKind::limited_broadcast, .pointers = 1},
                                   {.kind = DirectoryKind::limited_broadcast, .pointers = 2},
                                   {.kind = DirectoryKind::limited_no_broadcast, .pointers = 2},
                                   {.kind = DirectoryKind::coarse, .group_caches = 2},
                                   {.kind = DirectoryKind::coarse, .group_caches = 3},
                                   {.kind = DirectoryKind::sparse}};

std::string text(const ProtocolOptions& options) {
  return fmt::format("{} {} directory{}{} pointers {} group {}", Protocol(options).name(),
                     directory_kind_name(options.directory.kind), options.nonstalling ? " nonstalling" : "",
                     options.all_events ? " all events" : "", options.directory.pointers,
                     options.directory.group_caches);
}

Exploration explored(const ProtocolOptions& options, unsigned caches) {
  return explore(*directory_model(Protocol(options), caches));
}

void check_coherent(const ProtocolOptions& options, unsigned caches) {
  const Exploration result = explored(options, caches);
  INFO(text(options) << ": " << (result.violation ? result.violation->detail : ""));
  CHECK_FALSE(result.violation);
}
}  // namespace

TEST_CASE("every directory format keeps two caches coherent with recall and DMA", "[sharers]") {
  for (const Family family : every_family) {
    for (const bool nonstalling : {false, true}) {
      for (const DirectoryFormat& format : formats)
        check_coherent(
            {.family = family, .nonstalling = nonstalling, .all_events = true, .directory = format}, 2);
    }
  }
}

TEST_CASE("every directory format keeps three caches coherent", "[sharers][slow]") {
  for (const Family family : every_family) {
    for (const bool nonstalling : {false, true}) {
      for (const DirectoryFormat& format : formats)
        check_coherent({.family = family, .nonstalling = nonstalling, .directory = format}, 3);
    }
  }
}

TEST_CASE("every directory format keeps three caches coherent with recall and DMA", "[sharers][.long]") {
  for (const Family family : every_family) {
    for (const bool nonstalling : {false, true}) {
      for (const DirectoryFormat& format : formats)
        check_coherent(
            {.family = family, .nonstalling = nonstalling, .all_events = true, .directory = format}, 3);
    }
  }
}

TEST_CASE("formats that never have too many sharers behave as the full map", "[sharers]") {
  for (const Family family : every_family) {
    const Exploration full = explored({.family = family}, 2);
    for (const DirectoryFormat& format :
         {DirectoryFormat{.kind = DirectoryKind::limited_no_broadcast, .pointers = 2}}) {
      const Exploration limited = explored({.family = family, .directory = format}, 2);
      // the order of two pointers is all that is more
      CHECK(limited.states >= full.states);
      CHECK(limited.states <= 2 * full.states);
      CHECK(limited.depth == full.depth);
    }
    // one group a cache: the full map by another name, but for the rows that allow for false sharers
    const ProtocolOptions coarse{.family = family,
                                 .directory = {.kind = DirectoryKind::coarse, .group_caches = 1}};
    CHECK_FALSE(explored(coarse, 2).violation);
  }
}

TEST_CASE("a directory that misses a sharer is found out", "[sharers]") {
  for (const DirectoryFormat& format : formats) {
    // one pointer, or one group: two sharers are already taken for everybody
    if (format.pointers == 1 || format.group_caches == 3) continue;
    const Protocol good({.family = Family::mesi, .directory = format});
    std::vector<HomeTable::Row> rows(good.home().rows().begin(), good.home().rows().end());
    for (HomeTable::Row& row : rows) {
      if (row.state != HomeState::S || row.event != HomeEvent::GetS) continue;
      row.actions = {HomeAction::data_to_requestor};
      row.next = HomeState::S;
    }
    INFO(text(good.options()));
    const auto model = directory_model(
        Protocol(good.options(), good.cache(), HomeTable(rows, home_state_count, home_event_count)), 3);
    CHECK(explore(*model).violation);
  }
}

TEST_CASE("a home that forgets the sharer it gives up before the ack has come is found out", "[sharers]") {
  const Protocol good({.family = Family::msi, .directory = {.kind = DirectoryKind::limited_no_broadcast}});
  std::vector<HomeTable::Row> rows(good.home().rows().begin(), good.home().rows().end());
  for (HomeTable::Row& row : rows) {
    if (row.next == HomeState::S_A && row.state == HomeState::S) row.next = HomeState::S;
  }
  const auto model = directory_model(
      Protocol(good.options(), good.cache(), HomeTable(rows, home_state_count, home_event_count)), 3);
  CHECK(explore(*model).violation);
}

TEST_CASE("the exact tables deadlock or fail with a directory that over-approximates", "[sharers]") {
  // why false sharers have rows of their own
  const Protocol exact({.family = Family::mesi});
  const ProtocolOptions coarse{.family = Family::mesi, .directory = {.kind = DirectoryKind::coarse}};
  const auto model = directory_model(Protocol(coarse, exact.cache(), exact.home()), 2);
  CHECK(explore(*model).violation);
}

TEST_CASE("a directory too small for its protocol is refused", "[sharers]") {
  CHECK_THROWS_AS(Protocol({.directory = {.kind = DirectoryKind::limited_no_broadcast, .pointers = 1}}),
                  Error);
}
