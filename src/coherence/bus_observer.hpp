// Who looks on while caches on an atomic bus are used: told of every access that a data cache has performed,
// hits too, in their order. Looking on changes nothing but the speed.
#pragma once
#include <cstdint>

#include "sim/units.hpp"

namespace mesim {

class FunctionalBus;

class BusObserver {
 public:
  virtual ~BusObserver() = default;
  // Before the accesses of cycle `now`; only in orders with a clock.
  virtual void cycle(Cycles now) = 0;
  // Within one line; `machine` is as the access has left it.
  virtual void accessed(const FunctionalBus& machine, unsigned core, bool is_store, std::uint64_t address,
                        std::uint32_t size) = 0;
};

}  // namespace mesim
