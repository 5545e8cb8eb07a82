// Entry point. SystemC's library exports a `main` of its own and calls `sc_main`; ours comes first, so that
// the licence banner stays off and SystemC starts only when a command needs it.
#include <cstdlib>

#include <systemc>

int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
