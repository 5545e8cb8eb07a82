#include "litmus/operational/weak_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/operational/packed_set.hpp"
#include "litmus/operational/weak_world.hpp"

namespace mesim::litmus::operational {
namespace {

// Thread states kept, of which one takes about a kilobyte.
constexpr std::size_t most_thread_states = 1'000'000;

// That the names of stores can tell apart.
constexpr std::size_t most_threads = 250;

class Search {
 public:
  Search(const Test& test, const WeakRules& rules, const Limits& limits, bool reduce)
      : world_(test, rules, limits), limits_(limits), reduce_(reduce), rows_(world_.rows()), seen_(rows_) {
    limits_.states = std::min(limits_.states, members_in_memory(rows_ * sizeof(Row)));
  }

  Exploration run() {
    open_ = world_.first();
    std::vector<Row> state(rows_);
    while (!open_.empty() && stopped_.empty()) {
      std::copy(open_.end() - static_cast<std::ptrdiff_t>(rows_), open_.end(), state.begin());
      open_.resize(open_.size() - rows_);
      if (seen_.insert(state.data()).second) expand(state.data());
      if (seen_.size() >= limits_.states)
        stopped_ = fmt::format("stopped at {} machine states", limits_.states);
      else if (world_.thread_states() >= most_thread_states)
        stopped_ = fmt::format("stopped at {} states of single threads", most_thread_states);
      else if (unique_ >= limits_.outcomes)
        stopped_ = fmt::format("stopped at {} outcomes", limits_.outcomes);
    }
    return result();
  }

 private:
  void expand(const Row* s) {
    if (world_.done(s)) {
      found_.push_back(world_.outcome(s));
      if (found_.size() >= 2 * unique_ + 1024) make_unique_outcomes();
      return;
    }
    world_.choose(s, reduce_, moves_);
    for (const WeakMove move : moves_) world_.perform(s, move, open_);
  }

  void make_unique_outcomes() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    unique_ = found_.size();
  }

  Exploration result() {
    make_unique_outcomes();
    Exploration e;
    e.explored = seen_.size();
    e.limit = stopped_.empty() ? world_.limit() : stopped_;
    for (Outcome& outcome : found_)
      if (world_.test().filter.holds(outcome)) e.outcomes.push_back(std::move(outcome));
    return e;
  }

  WeakWorld world_;
  Limits limits_;
  bool reduce_;
  std::size_t rows_;
  PackedSet<Row> seen_;
  std::vector<Row> open_;
  std::vector<WeakMove> moves_;
  std::vector<Outcome> found_;
  std::size_t unique_ = 0;
  std::string stopped_;
};

}  // namespace

Exploration search_weak(const Test& test, const WeakRules& rules, const Limits& limits, bool reduce) {
  if (test.threads.size() > most_threads) return {{}, fmt::format("more than {} threads", most_threads), 0};
  return Search(test, rules, limits, reduce).run();
}

}  // namespace mesim::litmus::operational
