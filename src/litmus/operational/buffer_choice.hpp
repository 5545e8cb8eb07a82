// Partial-order reduction for the machine with store buffers: which actions of a state are enough to try.
// A stubborn set (Valmari, "Stubborn sets for reduced state space generation", 1989) of agents, the cores and
// the buffers: every action that others could take first either commutes with those of the set or belongs
// to it. It keeps every final state, with or without loops.
#pragma once
#include <vector>

#include "litmus/operational/buffer_machine.hpp"

namespace mesim::litmus::operational {

class BufferChoice {
 public:
  explicit BufferChoice(BufferMachine& machine);
  // The actions of the smallest stubborn set that was found; empty when nothing can move.
  void choose(const Cell* s, std::vector<Action>& actions);
  // Every action, without reduction: what the reduction is tested against.
  void all(const Cell* s, std::vector<Action>& actions);

 private:
  using Agent = std::uint32_t;  // a core, then the buffers: one a thread, or one a thread and word
  struct ThreadView {
    const Point* point;
    int word;  // of the next instruction
    bool enabled;
    WordSet buffered;
  };

  void look(const Cell* s);
  Agent core(std::size_t t) const { return static_cast<Agent>(t); }
  Agent buffer(std::size_t t, unsigned word) const {
    return static_cast<Agent>(threads_ + (per_word_ ? t * words_ + word : t));
  }
  void add(Agent agent) {
    if (stamp_[agent] == round_) return;
    stamp_[agent] = round_;
    open_.push_back(agent);
  }
  void add_writers(std::size_t except, unsigned word);
  void add_readers(std::size_t except, unsigned word);
  void add_what_enables_core(const Cell* s, std::size_t t);
  unsigned close_core(const Cell* s, std::size_t t);
  unsigned close_buffer(const Cell* s, std::size_t t, unsigned word);
  // Number of enabled actions in the closure of `seed`; gives up at `best`.
  unsigned close(const Cell* s, Agent seed, unsigned best);
  void actions_of(const Cell* s, Agent agent, std::vector<Action>& actions);

  BufferMachine& machine_;
  std::size_t threads_;
  std::size_t words_;
  bool per_word_;
  std::vector<ThreadView> view_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t round_ = 0;
  std::vector<Agent> open_, best_;
};

}  // namespace mesim::litmus::operational
