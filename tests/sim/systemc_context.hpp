// SystemC elaborates once a process. A fresh kernel per scenario: the old context is left alone, because
// deleting it is not safe (DRAMSys's tests do the same), once the modules of the scenario are gone.
#pragma once
#include <systemc>

namespace mesim::test {

class FreshSystemC {
 public:
  FreshSystemC() {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = new sc_core::sc_simcontext;
  }
};

}  // namespace mesim::test
