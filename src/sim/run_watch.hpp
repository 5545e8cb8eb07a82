// Who watches a run: told how far it is, and asked whether to go on. A run asks every few thousand
// references, never in between, so that watching costs nothing and a stop leaves the machine between two
// references.
#pragma once
#include <cstdint>

namespace mesim {

class Timeline;

class RunWatch {
 public:
  virtual ~RunWatch() = default;
  // `done` references were simulated. False stops the run, whose result is then marked incomplete.
  virtual bool keep_going(std::uint64_t done) = 0;
  // Where the run writes what happened when; null: nowhere. The run calls its `base_clock` first.
  virtual Timeline* timeline() { return nullptr; }
};

}  // namespace mesim
