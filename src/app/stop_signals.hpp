// Stopping a run from outside: SIGINT and SIGTERM ask it to end early and keep what it has; a second one ends
// the process at once.
#pragma once
#include "sim/error.hpp"

namespace mesim {

// While it lives, the first signal is only noted. The handlers from before come back at its end.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  bool stopped() const;
  // interrupted or terminated; ok if no signal came.
  Exit status() const;
};

}  // namespace mesim
