// The wheels of all clock domains, advanced together: the domain with the next edge goes first, equal edges
// by the domain's number. Messages between domains arrive a receiver's cycle later at the earliest, so that
// number does not show in results.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/wheel.hpp"

namespace mesim {

class Engine {
 public:
  // Domain 0 is the base clock.
  std::size_t add_domain(ClockPeriod period);
  void add(Part& part, std::size_t domain = 0) { wheels_[domain]->add(part); }
  // Another wheel of the same period takes over all parts of a domain; before a reset. For those who compare
  // ways of running a machine.
  void replace_wheel(std::size_t domain, std::unique_ptr<Wheel> wheel);
  void reset(std::uint64_t seed);

  // Runs everything that happens before `until` picoseconds, or until no part has anything left to do, and
  // settles.
  void run(Tick until);
  // The same in cycles of the base clock.
  void run_cycles(Cycles until) { run(until == never ? forever : wheels_[0]->clock().edge(until)); }

  // The time of the next cycle in which anything happens, or `forever`.
  Tick next() const;
  // Runs all that happens at `next()`.
  void advance();
  // The announced end: no part shows or sends anything beyond it. `run` sets it.
  // `known`: the engine comes to rest there.
  void set_stop(Tick until, bool known = false);

  // The state as it stands before anything at the current stop happens; also settles what ran ahead.
  std::uint64_t digest();
  void settle();

  Wheel& wheel(std::size_t domain) { return *wheels_[domain]; }
  const Wheel& wheel(std::size_t domain) const { return *wheels_[domain]; }
  std::size_t domains() const { return wheels_.size(); }

  static constexpr Tick forever = ~Tick{0};

 private:
  std::vector<std::unique_ptr<Wheel>> wheels_;
};

}  // namespace mesim
