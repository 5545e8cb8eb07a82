// The directory tables as data: what every table must satisfy by its form, and where the forms differ.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "coherence/directory_protocol.hpp"
#include "sim/error.hpp"

using namespace mesim;
using namespace mesim::directory;

namespace {
std::vector<Protocol> every_protocol() {
  std::vector<Protocol> out;
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true}) {
      for (const bool all_events : {false, true})
        out.emplace_back(ProtocolOptions{family, nonstalling, all_events});
    }
  }
  return out;
}

// Guards of a cell must leave no case open and none twice: with these names that means either one row that
// always holds, or complementary ones.
template <class Rows>
std::multiset<int> guards(const Rows& rows) {
  std::multiset<int> out;
  for (const auto& row : rows) out.insert(static_cast<int>(row.guard));
  return out;
}
}  // namespace

TEST_CASE("responses never wait: no row of VN2 stalls") {
  for (const Protocol& protocol : every_protocol()) {
    for (const auto& row : protocol.cache().rows()) {
      if (row.event >= CacheEvent::Data) CHECK_FALSE(row.actions.has(CacheAction::stall));
      if (row.event == CacheEvent::PutAck) CHECK_FALSE(row.actions.has(CacheAction::stall));
    }
    for (const auto& row : protocol.home().rows()) {
      const bool put =
          row.event == HomeEvent::PutS || row.event == HomeEvent::PutE || row.event == HomeEvent::PutM;
      const bool response = row.event == HomeEvent::Data || row.event == HomeEvent::InvAck;
      if (put || response) CHECK_FALSE(row.actions.has(HomeAction::stall));
      if (put) CHECK(row.actions.has(HomeAction::put_ack));
    }
  }
}

TEST_CASE("a transient cache state is left by what it waits for, and lets a core's event wait") {
  for (const Protocol& protocol : every_protocol()) {
    for (const auto& row : protocol.cache().rows()) {
      if (row.next == row.state) continue;
      INFO(protocol.name() << " " << name(row.state) << " x " << name(row.event));
      // every state that can be entered answers the three events of a core, and has a way out
      if (row.next != CacheState::I) {
        for (const CacheEvent e : {CacheEvent::Load, CacheEvent::Store, CacheEvent::Evict}) {
          CHECK_FALSE(protocol.cache().cell(row.next, e).empty());
        }
      }
      if (!stable(row.next)) {
        bool way_out = false;
        for (const auto& out : protocol.cache().rows())
          way_out |= out.state == row.next && out.next != row.next;
        CHECK(way_out);
      }
    }
  }
}

TEST_CASE("the guards of a cell are complementary") {
  const auto set = [](auto... g) { return std::multiset<int>{static_cast<int>(g)...}; };
  for (const Protocol& protocol : every_protocol()) {
    for (std::size_t s = 0; s < protocol.cache().states(); ++s) {
      for (std::size_t e = 0; e < protocol.cache().events(); ++e) {
        const auto cell = protocol.cache().cell(static_cast<CacheState>(s), static_cast<CacheEvent>(e));
        if (cell.empty()) continue;
        INFO(protocol.name() << " " << name(static_cast<CacheState>(s)) << " x "
                             << name(static_cast<CacheEvent>(e)));
        const auto g = guards(cell);
        // a reader's data never carries acks, so IS_D has one row only and an ack is an error there
        const bool reader = cell[0].state == CacheState::IS_D || cell[0].state == CacheState::IS_D_I;
        CHECK((g == set(CacheGuard::always) ||
               g == set(CacheGuard::acks_complete, CacheGuard::acks_missing) ||
               (reader && g == set(CacheGuard::acks_complete))));
      }
    }
    for (std::size_t s = 0; s < protocol.home().states(); ++s) {
      for (std::size_t e = 0; e < protocol.home().events(); ++e) {
        const auto cell = protocol.home().cell(static_cast<HomeState>(s), static_cast<HomeEvent>(e));
        if (cell.empty()) continue;
        INFO(protocol.name() << " " << name(static_cast<HomeState>(s)) << " x "
                             << name(static_cast<HomeEvent>(e)));
        const auto g = guards(cell);
        // the owner of an E line never sends a PutE or PutM that is not its own
        CHECK((
            g == set(HomeGuard::always) || g == set(HomeGuard::owner, HomeGuard::not_owner) ||
            g == set(HomeGuard::sharers_left, HomeGuard::no_sharers_left) ||
            g == set(HomeGuard::owner_sharers_left, HomeGuard::owner_no_sharers_left, HomeGuard::not_owner) ||
            g == set(HomeGuard::acks_complete, HomeGuard::acks_missing)));
      }
    }
  }
}

TEST_CASE("MSI has neither E nor O, MESI no O") {
  const auto states_of = [](Family family) {
    std::set<CacheState> out;
    const Protocol protocol({.family = family, .nonstalling = true});
    for (const auto& row : protocol.cache().rows()) {
      out.insert(row.state);
      out.insert(row.next);
    }
    return out;
  };
  CHECK(states_of(Family::msi).count(CacheState::E) == 0);
  CHECK(states_of(Family::msi).count(CacheState::EI_A) == 0);
  CHECK(states_of(Family::mesi).count(CacheState::O) == 0);
  CHECK(states_of(Family::mesi).count(CacheState::E) == 1);
  CHECK(states_of(Family::moesi).count(CacheState::OM_AC) == 1);
}

TEST_CASE("the nonstalling form takes forwards where the stalling form leaves them") {
  const Protocol stalling({.family = Family::mesi});
  const Protocol nonstalling({.family = Family::mesi, .nonstalling = true});
  const auto first = [](const Protocol& p, CacheState s, CacheEvent e) { return p.cache().cell(s, e)[0]; };
  for (const CacheState s : {CacheState::IM_AD, CacheState::IM_A, CacheState::SM_AD, CacheState::SM_A}) {
    CHECK(first(stalling, s, CacheEvent::FwdGetM).actions.has(CacheAction::stall));
    CHECK(first(nonstalling, s, CacheEvent::FwdGetM).actions.has(CacheAction::save_requestor));
  }
  CHECK(first(nonstalling, CacheState::IS_D, CacheEvent::Inv).next == CacheState::IS_D_I);
}

TEST_CASE("mutations are found by name, and an unknown one names the nearest") {
  CHECK(mutation_from("stale-putm-written") == Mutation::stale_putm_written);
  CHECK_THROWS_WITH(mutation_from("ack-count-zer0"), Catch::Contains("ack-count-zero"));
  CHECK_THROWS_AS(Protocol({.family = Family::msi, .mutation = Mutation::ack_count_on_responses}), Error);
  CHECK(Protocol({.family = Family::msi, .mutation = Mutation::no_is_d_i}).options().nonstalling);
}

TEST_CASE("a listing prints every row once and stays within 100 columns") {
  for (const Protocol& protocol : every_protocol()) {
    const ProtocolListing listing = protocol.listing();
    CHECK(listing.tables[0].rows.size() == protocol.cache().rows().size());
    CHECK(listing.tables[1].rows.size() == protocol.home().rows().size());
    std::istringstream text(listing_text(listing));
    for (std::string line; std::getline(text, line);) {
      INFO(line);
      CHECK(line.size() <= 100);
    }
  }
}
