#include "coherence/bus_listing.hpp"

#include <array>

namespace mesim {
namespace {

constexpr std::array<std::string_view, bus_states> meanings = {
    "not here",
    "readable, others may hold it too",
    "readable, nobody else holds it, memory is current",
    "readable, others may hold it too, memory is stale and this cache answers for it",
    "readable, others may hold it too, memory is current and this cache answers for it",
    "readable and writable, nobody else holds it, memory is stale",
    "shared, another cache or memory answers for it",
    "shared, memory is stale and this cache answers for it"};

}  // namespace

ProtocolListing bus_listing(const std::string& name, const BusProtocol& protocol, bool memory_side) {
  ListedTable table{"cache", {}, {}, {}};
  std::array<bool, bus_events> used{};
  for (std::size_t s = 0; s < bus_states; ++s) {
    const auto state = static_cast<BusState>(s);
    bool exists = false;
    for (std::size_t e = 0; e < bus_events; ++e) {
      const auto event = static_cast<BusEvent>(e);
      if (event >= BusEvent::Recall && !memory_side) continue;
      for (const BusRow& row : protocol.table().cell(state, event)) {
        exists = used[e] = true;
        std::string actions;
        for (const BusAction action : row.actions) {
          actions += (actions.empty() ? "" : ", ") + std::string(name_of(action));
        }
        table.rows.push_back({std::string(name_of(state)), std::string(name_of(event)),
                              std::string(name_of(row.guard)), actions, std::string(name_of(row.next))});
      }
    }
    if (exists) table.states.push_back({std::string(name_of(state)), std::string(meanings[s])});
  }
  for (std::size_t e = 0; e < bus_events; ++e) {
    if (used[e]) table.events.emplace_back(name_of(static_cast<BusEvent>(e)));
  }
  return {name,
          protocol.name() +
              " on an atomic bus: a request, all answers to it and the data are one indivisible step, so "
              "there are no states in between. Load, Store and Evict are the cache's own; the other events "
              "are what it snoops.",
          {table}};
}

}  // namespace mesim
