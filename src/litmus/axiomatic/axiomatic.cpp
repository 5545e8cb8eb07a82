#include "litmus/axiomatic/axiomatic.hpp"

#include <fmt/format.h>

#include "litmus/axiomatic/execution.hpp"
#include "litmus/axiomatic/execution_search.hpp"
#include "litmus/axiomatic/outcome_set.hpp"
#include "litmus/axiomatic/thread_traces.hpp"

namespace mesim::litmus {
namespace {

class Combination {
 public:
  Combination(const Test& test, const ThreadTraces& traces, Rules rules, const Limits& limits)
      : test_(test),
        limits_(limits),
        search_(test, rules, limits.executions),
        outcomes_(test.observables.size()),
        outcome_(test.observables.size(), 0),
        last_(test.locations.size(), initial_store) {
    for (const auto& thread : traces.threads) {
      prepared_.emplace_back();
      for (const Trace& trace : thread) prepared_.back().push_back(prepare(trace, rules));
    }
    // what the threads from t on can provide
    providable_.assign(prepared_.size() + 1, 0);
    for (std::size_t t = prepared_.size(); t-- > 0;) {
      providable_[t] = providable_[t + 1];
      for (const PreparedTrace& p : prepared_[t]) providable_[t] |= p.trace->provides;
    }
    chosen_.resize(prepared_.size());
    for (std::size_t o = 0; o < test.observables.size(); ++o) {
      if (!test.observables[o].is_register) memory_.push_back(o);
    }
  }

  Exploration run() {
    choose(0, 0, 0);
    Exploration result;
    result.outcomes = outcomes_.sorted();
    result.explored = limits_.executions - search_.steps_left();
    result.limit = limit_;
    return result;
  }

  std::optional<Execution> find(const std::function<bool(const Outcome&)>& wanted) {
    wanted_ = &wanted;
    choose(0, 0, 0);
    return std::move(found_);
  }

 private:
  bool stopped() const { return !limit_.empty() || found_; }

  // A path for each thread from t on.
  void choose(std::size_t t, std::uint64_t needs, std::uint64_t provides) {
    if (stopped()) return;
    if (t == prepared_.size()) {
      combination();
      return;
    }
    for (const PreparedTrace& p : prepared_[t]) {
      const std::uint64_t all_needs = needs | p.trace->needs;
      const std::uint64_t provided = provides | p.trace->provides;
      if ((all_needs & ~(provided | providable_[t + 1])) != 0) continue;
      chosen_[t] = &p;
      choose(t + 1, all_needs, provided);
    }
  }

  void combination() {
    std::size_t threads_next[64] = {};
    for (std::size_t o = 0; o < test_.observables.size(); ++o) {
      const Observable& observable = test_.observables[o];
      if (observable.is_register) {
        outcome_[o] = chosen_[observable.thread]->trace->observed[threads_next[observable.thread]++];
      }
    }
    if (memory_.empty() && (outcomes_.contains(outcome_.data()) || !test_.filter.holds(outcome_.data())))
      return;
    if (!search_.begin(chosen_)) {
      limit_ = fmt::format("more than {} memory accesses together", max_events);
      return;
    }
    // one execution without wishes: often there is none, or no other outcome
    std::fill(last_.begin(), last_.end(), initial_store);
    if (!search_.find(last_)) {
      check_steps();
      return;
    }
    for (const std::size_t o : memory_) {
      const std::size_t l = test_.observables[o].index;
      const int store = search_.last_store(l);
      outcome_[o] =
          store == initial_store ? test_.locations[l].initial : search_.written(static_cast<unsigned>(store));
    }
    add();
    last_stores(0);
  }

  // Every choice of the last stores to observed locations from number k on.
  void last_stores(std::size_t k) {
    if (stopped()) return;
    if (k == memory_.size()) {
      if (outcomes_.contains(outcome_.data()) || !test_.filter.holds(outcome_.data())) return;
      if (search_.find(last_)) add();
      check_steps();
      return;
    }
    const std::size_t l = test_.observables[memory_[k]].index;
    EventSet candidates = search_.last_candidates(l);
    if (candidates == 0) {
      outcome_[memory_[k]] = test_.locations[l].initial;
      last_stores(k + 1);
      return;
    }
    for (; candidates != 0; candidates &= candidates - 1) {
      const auto store = static_cast<unsigned>(__builtin_ctzll(candidates));
      last_[l] = static_cast<int>(store);
      outcome_[memory_[k]] = search_.written(store);
      last_stores(k + 1);
    }
    last_[l] = initial_store;
  }

  void add() {
    if (!test_.filter.holds(outcome_.data())) return;
    outcomes_.insert(outcome_.data());
    if (wanted_ != nullptr && (*wanted_)(outcome_)) keep_execution();
    if (outcomes_.size() > limits_.outcomes) limit_ = fmt::format("more than {} outcomes", limits_.outcomes);
  }
  void keep_execution() {
    found_.emplace();
    found_->outcome = outcome_;
    for (unsigned t = 0; t < chosen_.size(); ++t) {
      found_->paths.push_back(*chosen_[t]->trace);
      for (unsigned e = 0; e < chosen_[t]->trace->events.size(); ++e) found_->places.push_back({t, e});
    }
    for (unsigned e = 0; e < found_->places.size(); ++e) {
      found_->source.push_back(search_.source(e));
      found_->stores_after.push_back(search_.stores_after(e));
    }
  }
  void check_steps() {
    if (search_.out_of_steps()) limit_ = fmt::format("more than {} steps of search", limits_.executions);
  }

  const Test& test_;
  const Limits& limits_;
  ExecutionSearch search_;
  OutcomeSet outcomes_;
  std::vector<std::vector<PreparedTrace>> prepared_;
  std::vector<std::uint64_t> providable_;
  std::vector<const PreparedTrace*> chosen_;
  std::vector<std::size_t> memory_;  // the observables that are locations
  Outcome outcome_;
  std::vector<int> last_;  // by location
  std::string limit_;
  const std::function<bool(const Outcome&)>* wanted_ = nullptr;
  std::optional<Execution> found_;
};

}  // namespace

std::optional<Execution> find_execution(const Test& test, Rules rules,
                                        const std::function<bool(const Outcome&)>& wanted,
                                        const Limits& limits) {
  const ThreadTraces traces = thread_traces(test, limits);
  return Combination(test, traces, rules, limits).find(wanted);
}

AxiomaticEngine::AxiomaticEngine(const Test& test, const Limits& limits)
    : test_(test), limits_(limits), traces_(std::make_unique<ThreadTraces>(thread_traces(test, limits))) {}

AxiomaticEngine::~AxiomaticEngine() = default;

Exploration AxiomaticEngine::explore(Rules rules) const {
  Exploration result = Combination(test_, *traces_, rules, limits_).run();
  if (result.limit.empty()) result.limit = traces_->limit;
  return result;
}

}  // namespace mesim::litmus
