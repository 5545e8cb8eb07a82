// What the simulated hardware showed of a test beside what its memory model allows.
#pragma once
#include <string>
#include <vector>

#include "litmus/hardware/hardware_run.hpp"
#include "litmus/models.hpp"
#include "litmus/results.hpp"

namespace mesim::litmus {

struct HardwareComparison {
  HardwareResult hardware;
  Model model = Model::sc;
  std::vector<Outcome> allowed;  // by the model, sorted
  std::string limit;             // why `allowed` may lack some
  struct Outside {
    Outcome state;
    std::uint64_t run = 0;
    HardwareTrace trace;
  };
  std::vector<Outside> outside;  // seen, but not allowed
  struct Unseen {
    Outcome state;
    bool possible = true;  // on this machine, in other runs
    std::string reason;
  };
  std::vector<Unseen> unseen;        // allowed, but not seen
  std::vector<HardwareTrace> steps;  // if asked for: of the first run of each of hardware.seen

  bool is_outside(const Outcome& state) const;
  // How many of the allowed were seen, and how many no run of this machine can show.
  std::size_t covered() const { return hardware.seen.size() - outside.size(); }
  std::size_t impossible() const;
};

// The model that hardware is held to: its own consistency; weak cores run x86 tests as RMO, others as RVWMO.
Model model_of_hardware(const std::string& consistency, const std::string& arch);

// `steps`: also how each outcome came about.
HardwareComparison compare_with_hardware(const Test& test, const LitmusHardware& hardware, std::uint64_t runs,
                                         std::uint64_t seed, bool steps = false);

// "1000 runs, 4 of 4 outcomes of tso seen".
std::string hardware_summary(const HardwareComparison& comparison);
std::string hardware_text(const Test& test, const LitmusHardware& hardware,
                          const HardwareComparison& comparison);
// A JSON object.
std::string hardware_json(const Test& test, const LitmusHardware& hardware,
                          const HardwareComparison& comparison);

}  // namespace mesim::litmus
