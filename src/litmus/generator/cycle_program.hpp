// A cycle laid out as a program: which thread, word and value each access has, and the final condition under
// which the whole cycle has happened.
#pragma once
#include <string>
#include <vector>

#include "litmus/generator/cycle.hpp"

namespace mesim::litmus {

struct CycleAccess {
  bool load = false;
  bool exchange_with_next = false;  // first half of an atomic exchange; the next access is the second
  unsigned word = 0;
  unsigned value = 0;                      // stored, or that the cycle wants to be read
  const CycleEdge* from_before = nullptr;  // the program-order edge that leads here, if any
};

struct CycleProgram {
  std::vector<std::vector<CycleAccess>> threads;
  std::vector<unsigned> last_value;  // of each word, in coherence order
  std::vector<unsigned> stores;      // to each word
  std::vector<CycleEdge> cycle;      // turned so that it begins with a thread; `from_before` points here
};

CycleProgram lay_out(const std::vector<CycleEdge>& cycle);

// "x", "y", "z", "a" ...
std::string word_name(unsigned word);

}  // namespace mesim::litmus
