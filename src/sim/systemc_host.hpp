// The engine inside SystemC: one SC_METHOD that hosts all wheels, so that a mesim machine is a module of
// anybody's platform while its own events stay out of SystemC's queue.
//
// Guest: whoever calls `sc_start(t)` may look at the machine when it returns, and the end of `sc_start`
// cannot be seen from inside. So each active cycle is one SystemC event, and nothing runs ahead. Known
// horizon: `run_until` says how far nobody looks. Up to there the wheels run inline, as long as no other
// SystemC process has anything to do; SystemC's time lags behind meanwhile, which nobody can notice.
//
// A SystemC process talks to parts through a part of the border that sends over links, with a latency of at
// least one cycle, and calls `kick` afterwards. That way it does not matter whether the process or the wheel
// comes first at one time.
#pragma once
#include <systemc>

#include "sim/engine.hpp"

namespace mesim {

class SystemCHost final : public sc_core::sc_module {
 public:
  // The engine outlives the host. SystemC's time resolution must be its default, a picosecond.
  SystemCHost(const sc_core::sc_module_name& name, Engine& engine);

  // Starts SystemC up to `until` picoseconds, knowing that nobody looks at the machine before.
  void run_until(Tick until);
  // After a message was sent from outside: the machine may have something to do earlier than it thought.
  void kick() { kick_.notify(sc_core::SC_ZERO_TIME); }

  static Tick now() { return sc_core::sc_time_stamp().value(); }
  // SystemC events that the machine has cost.
  std::uint64_t activations() const { return activations_; }

 private:
  void run();
  Tick foreign_activity() const;
  void sleep_until(Tick time);

  Engine& engine_;
  sc_core::sc_event kick_;
  Tick horizon_ = 0;  // nobody looks at the machine before
  std::uint64_t activations_ = 0;
};

}  // namespace mesim
