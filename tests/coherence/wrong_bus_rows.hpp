// The tables of the atomic bus with one row made wrong, for those who must notice.
#pragma once
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "coherence/bus_protocol.hpp"
#include "coherence/bus_tables.hpp"

namespace mesim::test {

// Calls check(protocol, rows) for each row that keeps a copy it should lose or does not take an update, and
// for each that `also(row)` makes wrong, which says whether it did.
template <class Also, class Check>
void for_each_wrong_row(Also also, Check check) {
  for (const std::string& name : bus_protocol_names()) {
    const std::vector<BusRow> rows = bus_rows(name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].state == BusState::I) continue;
      std::vector<BusRow> wrong = rows;
      if (rows[i].event == BusEvent::BusRdX || rows[i].event == BusEvent::BusUpgr) {
        wrong[i].next = rows[i].state;
      } else if (rows[i].actions.has(BusAction::take_update)) {
        wrong[i].actions = {BusAction::raise_shared};
      } else if (!also(wrong[i])) {
        continue;
      }
      INFO(name << ": " << name_of(rows[i].state) << ' ' << name_of(rows[i].event));
      check(name, wrong);
    }
  }
}

}  // namespace mesim::test
