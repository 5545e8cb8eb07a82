// All threads of the out-of-order machine and their memory: a state is a row of numbers, and a move performs
// one access.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "litmus/exploration.hpp"
#include "litmus/operational/weak_thread.hpp"

namespace mesim::litmus::operational {

// The number of each thread's state, then each word's value and the name of its store.
using Row = std::uint32_t;

struct WeakMove {
  std::uint16_t thread = 0;
  std::uint16_t offer = 0;
};

class WeakWorld {
 public:
  WeakWorld(const Test& test, const WeakRules& rules, const Limits& limits);

  std::size_t rows() const { return rows_; }
  const Test& test() const { return test_; }
  const Values& values() const { return values_; }

  // Every combination of the threads' first guesses, one row after another.
  std::vector<Row> first();
  // The moves of a group of threads, as small as one finds, whose offers touch nothing that the others may
  // still touch in conflict; what a thread may do depends on no other, so that these moves are enough.
  // Without `reduce`, all moves.
  void choose(const Row* s, bool reduce, std::vector<WeakMove>& moves);
  // Appends the states after a move: several when it leads to new guesses, none when a guess was wrong.
  void perform(const Row* s, WeakMove move, std::vector<Row>& next);
  bool done(const Row* s) const;
  Outcome outcome(const Row* s) const;

  const ThreadState& thread(const Row* s, std::size_t t) const { return (*threads_[t])[s[t]]; }
  Value word(const Row* s, std::size_t w) const { return values_[value_of(s[threads_.size() + w])]; }
  std::size_t thread_states() const;
  // Why the final states may lack some: empty, or what was cut.
  std::string limit() const;

 private:
  static Cell value_of(Row word) { return static_cast<Cell>(word); }
  static WriteName name_of(Row word) { return static_cast<WriteName>(word >> 16); }
  void combine(std::vector<Row>& state, std::size_t t, std::vector<Row>& out) const;
  void add_conflicts(const Row* s, const Offer& offer);
  bool disturb_others(Row* s, std::size_t writer, unsigned word);

  const Test& test_;
  WeakRules rules_;
  Limits limits_;
  Values values_;
  BufferProgram flow_;
  std::size_t words_;
  std::size_t rows_;
  std::vector<std::unique_ptr<WeakThread>> threads_;
  std::vector<std::size_t> chosen_, group_;
};

}  // namespace mesim::litmus::operational
