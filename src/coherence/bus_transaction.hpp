// One atomic bus transaction, written once: the untimed machine, the timed bus and the model checkers all
// run it, each with its own `Copies`.
//
//   struct Copies {
//     unsigned count() const;                 // caches on the bus
//     BusState state(unsigned cache);         // of the line at hand
//     bool own_queued(unsigned cache);        // its own request for ownership of the line waits for the bus
//     void respond(unsigned cache, BusEvent snooped, const BusRow& row, bool supplies);
//   };                                        // `respond` follows `state` of the same cache
#pragma once
#include "coherence/bus_protocol.hpp"

namespace mesim {

struct BusOutcome {
  const BusRow* row = nullptr;  // the requester's row; its `next` is the state to take
  BusSignals signals;
  int supplier = -1;  // the cache whose data the requester gets, -1: memory
  bool memory_updated = false;
};

// Every cache but `requester` (any number beyond the caches: a device or the last level) answers `event`.
// Of several copies that could supply, the cache with the lowest number does.
template <class Copies>
void snoop(const BusProtocol& protocol, Copies& copies, unsigned requester, BusEvent event,
           BusOutcome& outcome) {
  for (unsigned cache = 0; cache < copies.count(); ++cache) {
    if (cache == requester) continue;
    const BusState state = copies.state(cache);
    if (state == BusState::I) continue;  // lets every transaction pass
    const BusRow& row = protocol.respond(state, event, copies.own_queued(cache));
    bool supplies = false;
    for (const BusAction action : row.actions) {
      switch (action) {
        case BusAction::raise_shared:
          outcome.signals.shared = true;
          break;
        case BusAction::raise_owned:
          outcome.signals.owned = true;
          break;
        case BusAction::update_memory:
          outcome.memory_updated = true;
          break;
        case BusAction::supply:
          supplies = outcome.supplier < 0;
          if (supplies) outcome.supplier = static_cast<int>(cache);
          break;
        default:
          break;
      }
    }
    copies.respond(cache, event, row, supplies);
  }
}

// The transactions of a load or store that does not hit in `state`. The caller puts the requester's copy
// into `outcome.row->next` and counts `outcome.row->actions`.
template <class Copies>
BusOutcome bus_request(const BusProtocol& protocol, Copies& copies, unsigned requester, BusState state,
                       BusEvent event) {
  BusOutcome outcome;
  snoop(protocol, copies, requester, snooped(protocol.request(state, event)), outcome);
  const BusRow& row = protocol.complete(state, event, outcome.signals);
  for (unsigned i = 1; i < row.actions.count; ++i) {
    BusOutcome second;
    snoop(protocol, copies, requester, snooped(row.actions.items[i]), second);
    outcome.memory_updated |= second.memory_updated;
  }
  outcome.row = &row;
  return outcome;
}

}  // namespace mesim
