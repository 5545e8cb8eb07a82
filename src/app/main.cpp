// Entry point. SystemC's library exports a `main` of its own and calls `sc_main`; ours comes first, so that
// the licence banner stays off.
#include <cstdlib>
#include <systemc>

#include "app/command_line.hpp"
#include "app/commands/commands.hpp"
#include "app/guard.hpp"

int sc_main(int argc, char** argv) {
  return mesim::guarded_main([&](mesim::Output& out) {
    return mesim::run_command_line(mesim::all_commands(), {argv + 1, argv + argc}, out);
  });
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
