#include "coherence/bus_tables.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace mesim {
namespace {

using enum BusState;
using enum BusEvent;
using enum BusGuard;
using enum BusAction;

constexpr std::array mi = {
    BusRow{I, Load, always, {bus_read_exclusive}, M},
    BusRow{I, Store, always, {bus_read_exclusive}, M},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRdX, always, {supply, update_memory}, I},
};

constexpr std::array msi = {
    BusRow{I, Load, always, {bus_read}, S},
    BusRow{I, Store, always, {bus_read_exclusive}, M},
    BusRow{S, Load, always, {}, S},
    BusRow{S, Store, always, {bus_upgrade}, M},
    BusRow{S, Evict, always, {}, I},
    BusRow{S, BusRd, always, {raise_shared}, S},
    BusRow{S, BusRdX, always, {}, I},
    BusRow{S, BusUpgr, always, {}, I},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRd, always, {raise_shared, supply, update_memory}, S},
    BusRow{M, BusRdX, always, {supply, update_memory}, I},
};

constexpr std::array mesi = {
    BusRow{I, Load, alone, {bus_read}, E},
    BusRow{I, Load, shared, {bus_read}, S},
    BusRow{I, Store, always, {bus_read_exclusive}, M},
    BusRow{S, Load, always, {}, S},
    BusRow{S, Store, always, {bus_upgrade}, M},
    BusRow{S, Evict, always, {}, I},
    BusRow{S, BusRd, always, {raise_shared}, S},
    BusRow{S, BusRdX, always, {}, I},
    BusRow{S, BusUpgr, always, {}, I},
    BusRow{E, Load, always, {}, E},
    BusRow{E, Store, always, {}, M},
    BusRow{E, Evict, always, {}, I},
    BusRow{E, BusRd, always, {raise_shared, supply}, S},
    BusRow{E, BusRdX, always, {supply}, I},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRd, always, {raise_shared, supply, update_memory}, S},
    BusRow{M, BusRdX, always, {supply, update_memory}, I},
};

constexpr std::array mosi = {
    BusRow{I, Load, always, {bus_read}, S},
    BusRow{I, Store, always, {bus_read_exclusive}, M},
    BusRow{S, Load, always, {}, S},
    BusRow{S, Store, always, {bus_upgrade}, M},
    BusRow{S, Evict, always, {}, I},
    BusRow{S, BusRd, always, {raise_shared}, S},
    BusRow{S, BusRdX, always, {}, I},
    BusRow{S, BusUpgr, always, {}, I},
    BusRow{O, Load, always, {}, O},
    BusRow{O, Store, always, {bus_upgrade}, M},
    BusRow{O, Evict, always, {write_back}, I},
    BusRow{O, BusRd, always, {raise_shared, raise_owned, supply}, O},
    BusRow{O, BusRdX, always, {supply}, I},
    BusRow{O, BusUpgr, always, {}, I},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRd, always, {raise_shared, raise_owned, supply}, O},
    BusRow{M, BusRdX, always, {supply}, I},
};

constexpr std::array moesi = {
    BusRow{I, Load, alone, {bus_read}, E},
    BusRow{I, Load, shared, {bus_read}, S},
    BusRow{I, Store, always, {bus_read_exclusive}, M},
    BusRow{S, Load, always, {}, S},
    BusRow{S, Store, always, {bus_upgrade}, M},
    BusRow{S, Evict, always, {}, I},
    BusRow{S, BusRd, always, {raise_shared}, S},
    BusRow{S, BusRdX, always, {}, I},
    BusRow{S, BusUpgr, always, {}, I},
    BusRow{E, Load, always, {}, E},
    BusRow{E, Store, always, {}, M},
    BusRow{E, Evict, always, {}, I},
    BusRow{E, BusRd, always, {raise_shared, supply}, S},
    BusRow{E, BusRdX, always, {supply}, I},
    BusRow{O, Load, always, {}, O},
    BusRow{O, Store, always, {bus_upgrade}, M},
    BusRow{O, Evict, always, {write_back}, I},
    BusRow{O, BusRd, always, {raise_shared, raise_owned, supply}, O},
    BusRow{O, BusRdX, always, {supply}, I},
    BusRow{O, BusUpgr, always, {}, I},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRd, always, {raise_shared, raise_owned, supply}, O},
    BusRow{M, BusRdX, always, {supply}, I},
};

constexpr std::array mesif = {
    BusRow{I, Load, alone, {bus_read}, E},
    BusRow{I, Load, shared, {bus_read}, F},
    BusRow{I, Store, always, {bus_read_exclusive}, M},
    BusRow{S, Load, always, {}, S},
    BusRow{S, Store, always, {bus_upgrade}, M},
    BusRow{S, Evict, always, {}, I},
    BusRow{S, BusRd, always, {raise_shared}, S},
    BusRow{S, BusRdX, always, {}, I},
    BusRow{S, BusUpgr, always, {}, I},
    BusRow{E, Load, always, {}, E},
    BusRow{E, Store, always, {}, M},
    BusRow{E, Evict, always, {}, I},
    BusRow{E, BusRd, always, {raise_shared, supply}, S},
    BusRow{E, BusRdX, always, {supply}, I},
    BusRow{F, Load, always, {}, F},
    BusRow{F, Store, always, {bus_upgrade}, M},
    BusRow{F, Evict, always, {}, I},
    BusRow{F, BusRd, always, {raise_shared, supply}, S},
    BusRow{F, BusRdX, always, {supply}, I},
    BusRow{F, BusUpgr, always, {}, I},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRd, always, {raise_shared, supply, update_memory}, S},
    BusRow{M, BusRdX, always, {supply, update_memory}, I},
};

constexpr std::array moesif = {
    BusRow{I, Load, alone, {bus_read}, E},
    BusRow{I, Load, owned, {bus_read}, S},  // the owner supplies; a forwarder would have nothing to do
    BusRow{I, Load, shared, {bus_read}, F},
    BusRow{I, Store, always, {bus_read_exclusive}, M},
    BusRow{S, Load, always, {}, S},
    BusRow{S, Store, always, {bus_upgrade}, M},
    BusRow{S, Evict, always, {}, I},
    BusRow{S, BusRd, always, {raise_shared}, S},
    BusRow{S, BusRdX, always, {}, I},
    BusRow{S, BusUpgr, always, {}, I},
    BusRow{E, Load, always, {}, E},
    BusRow{E, Store, always, {}, M},
    BusRow{E, Evict, always, {}, I},
    BusRow{E, BusRd, always, {raise_shared, supply}, S},
    BusRow{E, BusRdX, always, {supply}, I},
    BusRow{F, Load, always, {}, F},
    BusRow{F, Store, always, {bus_upgrade}, M},
    BusRow{F, Evict, always, {}, I},
    BusRow{F, BusRd, always, {raise_shared, supply}, S},
    BusRow{F, BusRdX, always, {supply}, I},
    BusRow{F, BusUpgr, always, {}, I},
    BusRow{O, Load, always, {}, O},
    BusRow{O, Store, always, {bus_upgrade}, M},
    BusRow{O, Evict, always, {write_back}, I},
    BusRow{O, BusRd, always, {raise_shared, raise_owned, supply}, O},
    BusRow{O, BusRdX, always, {supply}, I},
    BusRow{O, BusUpgr, always, {}, I},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRd, always, {raise_shared, raise_owned, supply}, O},
    BusRow{M, BusRdX, always, {supply}, I},
};

constexpr std::array dragon = {
    BusRow{I, Load, alone, {bus_read}, E},
    BusRow{I, Load, shared, {bus_read}, Sc},
    BusRow{I, Store, alone, {bus_read}, M},
    BusRow{I, Store, shared, {bus_read, bus_update}, Sm},
    BusRow{E, Load, always, {}, E},
    BusRow{E, Store, always, {}, M},
    BusRow{E, Evict, always, {}, I},
    BusRow{E, BusRd, always, {raise_shared, supply}, Sc},
    BusRow{Sc, Load, always, {}, Sc},
    BusRow{Sc, Store, alone, {bus_update}, M},
    BusRow{Sc, Store, shared, {bus_update}, Sm},
    BusRow{Sc, Evict, always, {}, I},
    BusRow{Sc, BusRd, always, {raise_shared}, Sc},
    BusRow{Sc, BusUpd, always, {raise_shared, take_update}, Sc},
    BusRow{Sm, Load, always, {}, Sm},
    BusRow{Sm, Store, alone, {bus_update}, M},
    BusRow{Sm, Store, shared, {bus_update}, Sm},
    BusRow{Sm, Evict, always, {write_back}, I},
    BusRow{Sm, BusRd, always, {raise_shared, raise_owned, supply}, Sm},
    BusRow{Sm, BusUpd, always, {raise_shared, take_update}, Sc},
    BusRow{M, Load, always, {}, M},
    BusRow{M, Store, always, {}, M},
    BusRow{M, Evict, always, {write_back}, I},
    BusRow{M, BusRd, always, {raise_shared, raise_owned, supply}, Sm},
};

std::span<const BusRow> protocol_rows(std::string_view name) {
  if (name == "MI") return mi;
  if (name == "MSI") return msi;
  if (name == "MESI") return mesi;
  if (name == "MOSI") return mosi;
  if (name == "MOESI") return moesi;
  if (name == "MESIF") return mesif;
  if (name == "MOESIF") return moesif;
  if (name == "Dragon") return dragon;
  return {};
}

// What every protocol answers to the memory side: a dirty copy is current, a clean one equals memory. A
// device's write may cover a part of the line, so a dirty copy goes to memory before it.
void add_memory_side(std::vector<BusRow>& rows) {
  std::array<bool, bus_states> used{};
  for (const BusRow& row : rows) used[static_cast<std::size_t>(row.state)] = true;
  for (std::size_t s = 1; s < bus_states; ++s) {
    if (!used[s]) continue;
    const auto state = static_cast<BusState>(s);
    if (is_dirty(state)) {
      rows.push_back({state, Recall, always, {update_memory}, I});
      rows.push_back({state, DmaRead, always, {supply}, state});
      rows.push_back({state, DmaWrite, always, {update_memory}, I});
    } else {
      rows.push_back({state, Recall, always, {}, I});
      rows.push_back({state, DmaRead, always, {}, state});
      rows.push_back({state, DmaWrite, always, {}, I});
    }
  }
}

// A cache without the line lets every transaction pass.
void add_invalid_snoops(std::vector<BusRow>& rows) {
  for (const BusEvent event : {BusRd, BusRdX, BusUpgr, BusUpd, Recall, DmaRead, DmaWrite}) {
    const bool possible =
        std::any_of(rows.begin(), rows.end(), [event](const BusRow& row) { return row.event == event; });
    if (possible) rows.push_back({I, event, always, {}, I});
  }
}

ActionList<BusAction> without(const ActionList<BusAction>& actions, BusAction removed) {
  ActionList<BusAction> result;
  for (const BusAction action : actions) {
    if (action != removed) result.items[result.count++] = action;
  }
  return result;
}

bool is_read_snoop(BusEvent event) { return event == BusRd || event == BusRdX; }

// upgrade = BusRdX: a store to a copy without ownership fetches the line anew.
void upgrade_by_full_read(std::vector<BusRow>& rows) {
  std::erase_if(rows, [](const BusRow& row) { return row.event == BusUpgr; });
  for (BusRow& row : rows) {
    for (BusAction& action : row.actions.items) {
      if (action == bus_upgrade) action = bus_read_exclusive;
    }
  }
}

// supply = any: a clean shared copy also answers (Illinois).
void supply_from_any_copy(std::vector<BusRow>& rows) {
  for (BusRow& row : rows) {
    if ((row.state == S || row.state == Sc) && is_read_snoop(row.event)) {
      row.actions.items[row.actions.count++] = supply;
    }
  }
}

// supply = memory: nobody answers for memory unless memory is stale and stays so.
void supply_from_memory(std::vector<BusRow>& rows) {
  for (BusRow& row : rows) {
    if (is_read_snoop(row.event) && (!is_dirty(row.state) || row.actions.has(update_memory))) {
      row.actions = without(row.actions, supply);
    }
  }
}

// forwarder = first: whoever had the line clean and answers goes on answering; readers come in S.
void forward_from_first(std::vector<BusRow>& rows) {
  const bool has_f = std::any_of(rows.begin(), rows.end(), [](const BusRow& row) { return row.state == F; });
  if (!has_f) return;
  for (BusRow& row : rows) {
    if (row.event == BusRd && (row.state == E || row.state == F || (row.state == M && row.next == S)))
      row.next = F;
    if (row.event == Load && row.next == F && row.state == I) row.next = S;
  }
}

// pending_upgrade = leaver: with its own request for ownership in the queue, S no longer raises Shared, O
// and F do not supply another's request for ownership, and O does not supply a read.
void leave_while_queued(std::vector<BusRow>& rows) {
  std::vector<BusRow> result;
  for (const BusRow& row : rows) {
    BusRow queued = row;
    queued.guard = own_queued;
    if (row.state == S && row.event == BusRd) {
      queued.actions = {};
      result.push_back(queued);
    } else if (((row.state == O || row.state == F) && row.event == BusRdX) ||
               (row.state == O && row.event == BusRd)) {
      queued.actions = without(row.actions, supply);
      result.push_back(queued);
    }
    result.push_back(row);
  }
  rows = std::move(result);
}

}  // namespace

std::vector<BusRow> bus_rows(std::string_view name) {
  const std::span<const BusRow> rows = protocol_rows(name);
  std::vector<BusRow> result(rows.begin(), rows.end());
  if (result.empty()) return result;
  add_memory_side(result);
  add_invalid_snoops(result);
  return result;
}

std::vector<BusRow> bus_rows(const CoherenceConfig& config) {
  const CoherenceConfig knobs = config.resolved();
  std::vector<BusRow> rows = bus_rows(knobs.protocol);
  if (knobs.upgrade == "BusRdX") upgrade_by_full_read(rows);
  if (knobs.supply == "any") supply_from_any_copy(rows);
  if (knobs.supply == "memory") supply_from_memory(rows);
  if (knobs.forwarder == "first") forward_from_first(rows);
  if (knobs.pending_upgrade == "leaver") leave_while_queued(rows);
  return rows;
}

}  // namespace mesim
