// Main of every test executable. SystemC's library wants an `sc_main`; tests that need its kernel call
// `sc_elab_and_sim` themselves or run inside sc_main. Exit status 77 tells ctest "skipped".
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>
#include <systemc>

#include "tests/shared_data.hpp"

// SystemC keeps its kernels until the process ends: under the address sanitizer no leaks of ours. Only they
// are named here: the library itself stands in every stack, as it calls sc_main.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:sc_core::sc_simcontext::\nleak:mesim::test::FreshSystemC::\n";
}

int sc_main(int argc, char** argv) {
  const int failed = Catch::Session().run(argc, argv);
  if (failed != 0) return failed;
  return mesim::test::something_was_skipped() ? 77 : 0;
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
