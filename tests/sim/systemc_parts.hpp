// The same machine hosted in the other way: every part is a SystemC module of its own, with one SC_METHOD and
// one event, and SystemC's kernel decides whose turn it is. What a part does is the same code, so this is
// what a machine costs that is written in SystemC's own style, and an independent host that must give the
// same result.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "sim/part.hpp"
#include "sim/wheel.hpp"

namespace mesim::test {

class SystemCParts final : public Wheel {
 public:
  explicit SystemCParts(ClockPeriod period) : Wheel(period) {}

  // SystemC steps the parts through all cycles before `until`, or until nothing happens any more. Modules can
  // be made only before SystemC starts, so a machine is reset once and run once.
  void run(Cycles until) {
    set_stop(never, false);
    if (until == never) {
      sc_core::sc_start();
    } else {
      const Tick end = clock().edge(until) - 1;
      sc_core::sc_start(sc_core::sc_time::from_value(end - sc_core::sc_time_stamp().value()));
      set_now(until);
    }
  }
  // Activations of all processes.
  std::uint64_t activations() const { return activations_; }

  void clear() override {
    Wheel::clear();
    leave_wakes_to_host();
    modules_.clear();
    for (std::size_t i = 0; i < parts(); ++i) {
      modules_.push_back(std::make_unique<Module>(sc_core::sc_gen_unique_name("part"), *this, part(i)));
    }
  }

 private:
  struct Module : sc_core::sc_module {
    Module(const sc_core::sc_module_name& name, SystemCParts& host, Part& what)
        : sc_core::sc_module(name), parts(host), part(what) {
      SC_HAS_PROCESS(Module);
      SC_METHOD(run);
      sensitive << event;
      dont_initialize();
    }
    // One event holds one notification; later wake-ups of the part wait here.
    void wake(Cycles at) {
      if (std::find(wakes.begin(), wakes.end(), at) != wakes.end()) return;
      wakes.push_back(at);
      std::push_heap(wakes.begin(), wakes.end(), std::greater<>{});
      if (wakes.front() == at && !stepping) notify();
    }
    void notify() {
      const Tick edge = parts.clock().edge(wakes.front());
      event.notify(sc_core::sc_time::from_value(edge - sc_core::sc_time_stamp().value()));
    }
    void run() {
      const Cycles now = wakes.front();
      std::pop_heap(wakes.begin(), wakes.end(), std::greater<>{});
      wakes.pop_back();
      ++parts.activations_;
      parts.set_now(now);
      stepping = true;
      part.step(now);
      stepping = false;
      if (!wakes.empty()) notify();
    }
    SystemCParts& parts;
    Part& part;
    sc_core::sc_event event;
    std::vector<Cycles> wakes;
    bool stepping = false;
  };

  void wake_far(std::uint32_t index, Cycles at) override { modules_[index]->wake(at); }

  std::vector<std::unique_ptr<Module>> modules_;
  std::uint64_t activations_ = 0;
};

}  // namespace mesim::test
