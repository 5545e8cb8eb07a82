// The three accounts of a run: time, bytes, energy.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/ledger.hpp"
#include "sim/units.hpp"

namespace mesim {

// Who owned each cycle of each unit. A run without time has no units.
class TimeLedger {
 public:
  struct Owner {
    std::string name;  // "compute", "l1 miss", "bus", "idle" ...
    Cycles cycles = 0;
  };
  struct Unit {
    std::string name;
    Cycles total = 0;  // as the unit's clock counted
    std::vector<Owner> owners;
  };

  void unit(std::string_view name, Cycles total);
  // Cycles of a unit entered before; several entries of one owner add up.
  void owner(std::string_view unit, std::string_view name, Cycles cycles);

  const std::vector<Unit>& units() const { return units_; }

 private:
  std::vector<Unit> units_;
};

struct Accounts {
  TimeLedger time;
  ByteLedger bytes;
  EnergyLedger energy;
};

// One sentence for every sum that its parts do not add up to; empty when all balance. Cycles and bytes
// balance exactly.
std::vector<std::string> imbalances(const Accounts& accounts);

}  // namespace mesim
