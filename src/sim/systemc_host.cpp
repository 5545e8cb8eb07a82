#include "sim/systemc_host.hpp"

#include <algorithm>
#include <stdexcept>

namespace mesim {

SystemCHost::SystemCHost(const sc_core::sc_module_name& name, Engine& engine)
    : sc_core::sc_module(name), engine_(engine), kick_("kick") {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
    throw std::logic_error("mesim needs SystemC's time resolution of 1 ps");
  }
  SC_HAS_PROCESS(SystemCHost);
  SC_METHOD(run);
}

void SystemCHost::run_until(Tick until) {
  horizon_ = until;
  kick();
  sc_core::sc_start(sc_core::sc_time::from_value(until - now()));
  horizon_ = 0;
}

// The time of the first thing that any other process may do.
Tick SystemCHost::foreign_activity() const {
  if (sc_core::sc_pending_activity_at_current_time()) return now();
  if (!sc_core::sc_pending_activity_at_future_time()) return Engine::forever;
  return now() + sc_core::sc_time_to_pending_activity().value();
}

void SystemCHost::sleep_until(Tick time) {
  if (time == Engine::forever) {
    next_trigger(kick_);
  } else {
    next_trigger(sc_core::sc_time::from_value(time - now()), kick_);
  }
}

void SystemCHost::run() {
  ++activations_;
  for (;;) {
    const Tick next = engine_.next();
    if (next == Engine::forever) return sleep_until(next);
    if (next <= now()) {
      engine_.set_stop(next + 1);  // nothing past this cycle
      engine_.advance();
      continue;
    }
    const Tick free_until = std::min(horizon_, foreign_activity());
    if (next >= free_until) return sleep_until(next);
    engine_.set_stop(free_until);
    engine_.advance();
  }
}

}  // namespace mesim
