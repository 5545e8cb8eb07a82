#include "app/stop_signals.hpp"

#include <csignal>

namespace mesim {
namespace {

volatile std::sig_atomic_t noted = 0;
struct sigaction before_interrupt;
struct sigaction before_terminate;

void note(int signal) { noted = signal; }

}  // namespace

StopSignals::StopSignals() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second signal does what it always does
  sigaction(SIGINT, &action, &before_interrupt);
  sigaction(SIGTERM, &action, &before_terminate);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_terminate, nullptr);
}

bool StopSignals::stopped() const { return noted != 0; }

Exit StopSignals::status() const {
  if (noted == SIGINT) return Exit::interrupted;
  if (noted == SIGTERM) return Exit::terminated;
  return Exit::ok;
}

}  // namespace mesim
