#include "litmus/operational/buffer_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/operational/buffer_choice.hpp"
#include "litmus/operational/packed_set.hpp"

namespace mesim::litmus::operational {
namespace {

class Search {
 public:
  Search(const Test& test, const BufferRules& rules, const Limits& limits, bool reduce)
      : machine_(test, rules),
        choice_(machine_),
        limits_(limits),
        reduce_(reduce),
        cells_(machine_.cells()),
        seen_(cells_),
        final_(cells_) {
    limits_.states = std::min(limits_.states, members_in_memory(cells_ * sizeof(Cell)));
    limits_.outcomes = std::min(limits_.outcomes, members_in_memory(cells_ * sizeof(Cell)));
  }

  Exploration run() {
    std::vector<Cell> state(cells_);
    machine_.initial(state.data());
    open_ = state;
    while (!open_.empty() && stopped_.empty()) {
      std::copy(open_.end() - static_cast<std::ptrdiff_t>(cells_), open_.end(), state.begin());
      open_.resize(open_.size() - cells_);
      follow(state.data());
    }
    return result();
  }

 private:
  // From one state along its only successor until it branches, ends or is known. States with one successor
  // need no memory unless a loop could go around for ever.
  void follow(Cell* s) {
    for (;;) {
      ++explored_;
      if (reduce_)
        choice_.choose(s, actions_);
      else
        choice_.all(s, actions_);
      if (actions_.empty()) {
        if (machine_.finished(s)) note_final(s);
        return;
      }
      if ((actions_.size() > 1 || machine_.program().loops) && !note_seen(s)) return;
      for (std::size_t a = 1; a < actions_.size(); ++a) {
        open_.insert(open_.end(), s, s + cells_);
        machine_.apply(actions_[a], &open_[open_.size() - cells_]);
      }
      machine_.apply(actions_[0], s);
    }
  }

  bool note_seen(const Cell* s) {
    if (!seen_.insert(s).second) return false;
    if (seen_.size() >= limits_.states)
      stopped_ = fmt::format("stopped at {} machine states", limits_.states);
    return stopped_.empty();
  }

  void note_final(const Cell* s) {
    if (final_.insert(s).second && final_.size() >= limits_.outcomes)
      stopped_ = fmt::format("stopped at {} outcomes", limits_.outcomes);
  }

  Exploration result() const {
    Exploration e;
    e.explored = explored_;
    e.limit = !stopped_.empty() ? stopped_ : machine_.limit();
    if (e.limit.empty() && machine_.values().overflowed()) e.limit = "more than 65,535 values";
    e.outcomes.reserve(final_.size());
    for (std::uint32_t i = 0; i < final_.size(); ++i) {
      auto outcome = machine_.outcome(final_[i]);
      if (machine_.test().filter.holds(outcome)) e.outcomes.push_back(std::move(outcome));
    }
    std::sort(e.outcomes.begin(), e.outcomes.end());
    e.outcomes.erase(std::unique(e.outcomes.begin(), e.outcomes.end()), e.outcomes.end());
    return e;
  }

  BufferMachine machine_;
  BufferChoice choice_;
  Limits limits_;
  bool reduce_;
  std::size_t cells_;
  PackedSet<Cell> seen_;
  PackedSet<Cell> final_;  // dead cells are zero, so that a final state is an outcome
  std::vector<Cell> open_;
  std::vector<Action> actions_;
  std::uint64_t explored_ = 0;
  std::string stopped_;
};

}  // namespace

Exploration search_buffers(const Test& test, const BufferRules& rules, const Limits& limits, bool reduce) {
  return Search(test, rules, limits, reduce).run();
}

}  // namespace mesim::litmus::operational
