#include "litmus/operational/weak_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "litmus/operational/packed_set.hpp"
#include "litmus/operational/weak_thread.hpp"

namespace mesim::litmus::operational {
namespace {

// A state: the number of each thread's state, then each word's value and the name of its store.
using Row = std::uint32_t;

class Search {
 public:
  Search(const Test& test, const WeakRules& rules, const Limits& limits, bool reduce)
      : test_(test),
        rules_(rules),
        limits_(limits),
        reduce_(reduce),
        flow_(prepare(test, sequential(), values_)),
        words_(test.locations.size()),
        rows_(test.threads.size() + words_),
        seen_(rows_) {
    for (std::size_t t = 0; t < test.threads.size(); ++t)
      threads_.push_back(std::make_unique<WeakThread>(test, t, rules, flow_.threads[t], values_,
                                                      static_cast<unsigned>(limits.steps_per_thread)));
  }

  Exploration run() {
    begin();
    std::vector<Row> state(rows_);
    while (!open_.empty() && stopped_.empty()) {
      std::copy(open_.end() - static_cast<std::ptrdiff_t>(rows_), open_.end(), state.begin());
      open_.resize(open_.size() - rows_);
      if (seen_.insert(state.data()).second) expand(state.data());
      if (seen_.size() >= limits_.states)
        stopped_ = fmt::format("stopped at {} machine states", limits_.states);
      if (found_.size() >= limits_.outcomes)
        stopped_ = fmt::format("stopped at {} outcomes", limits_.outcomes);
    }
    return result();
  }

 private:
  static BufferRules sequential() {
    BufferRules rules;
    rules.buffer = BufferRules::Buffer::none;
    return rules;
  }
  std::size_t threads() const { return threads_.size(); }
  static Cell value_of(Row word) { return static_cast<Cell>(word); }
  static WriteName name_of(Row word) { return static_cast<WriteName>(word >> 16); }

  // Every combination of the first guesses.
  void begin() {
    std::vector<Row> state(rows_, 0);
    for (std::size_t w = 0; w < words_; ++w)
      state[threads() + w] = values_.number(test_.locations[w].initial);
    combine(state, 0);
  }
  void combine(std::vector<Row>& state, std::size_t t) {
    if (t == threads()) {
      open_.insert(open_.end(), state.begin(), state.end());
      return;
    }
    for (const auto first : threads_[t]->initial()) {
      state[t] = first;
      combine(state, t + 1);
    }
  }

  void expand(const Row* s) {
    bool done = true;
    for (std::size_t t = 0; t < threads(); ++t) done &= (*threads_[t])[s[t]].done;
    if (done) {
      found_.push_back(outcome(s));
      if (found_.size() >= 2 * unique_ + 1024) make_unique_outcomes();
      return;
    }
    choose(s);
    for (const std::size_t t : chosen_)
      for (std::size_t o = 0; o < (*threads_[t])[s[t]].offers.size(); ++o) perform(s, t, o);
  }

  // A set of threads, as small as one finds, whose offers touch nothing that the others may still touch in
  // conflict; what a thread may do depends on no other thread, so that the offers of these are enough.
  void choose(const Row* s) {
    chosen_.clear();
    std::size_t best = ~std::size_t{0};
    for (std::size_t seed = 0; seed < threads(); ++seed) {
      if ((*threads_[seed])[s[seed]].done) continue;
      group_.assign(1, seed);
      std::size_t offers = 0;
      for (std::size_t at = 0; at < group_.size(); ++at) {
        const auto& state = (*threads_[group_[at]])[s[group_[at]]];
        offers += state.offers.size();
        for (const Offer& offer : state.offers) add_conflicts(s, offer);
      }
      if (!reduce_) {
        chosen_.push_back(seed);
      } else if (offers < best) {
        best = offers;
        chosen_ = group_;
      }
    }
  }
  void add_conflicts(const Row* s, const Offer& offer) {
    const WordSet bit = word_bit(offer.word);
    for (std::size_t t = 0; t < threads(); ++t) {
      const auto& other = (*threads_[t])[s[t]];
      const bool conflict = (other.stores_later & bit) != 0 ||
                            (offer.writes && ((other.loads_later | other.reserved) & bit) != 0);
      if (conflict && std::find(group_.begin(), group_.end(), t) == group_.end()) group_.push_back(t);
    }
  }

  void perform(const Row* s, std::size_t t, std::size_t offer_index) {
    WeakThread& thread = *threads_[t];
    const Offer offer = thread[s[t]].offers[offer_index];
    const Row word = s[threads() + offer.word];
    const auto& step = thread.take(s[t], offer_index, value_of(word), name_of(word));
    for (const auto next : step.next) {
      const std::size_t base = open_.size();
      open_.insert(open_.end(), s, s + rows_);
      open_[base + t] = next;
      if (!step.wrote) continue;
      open_[base + threads() + offer.word] =
          static_cast<Row>(step.written) | (static_cast<Row>(thread.write_name(offer.at)) << 16);
      if (rules_.reservations_break && !disturb_others(&open_[base], t, offer.word)) open_.resize(base);
    }
  }
  bool disturb_others(Row* s, std::size_t writer, unsigned word) {
    for (std::size_t t = 0; t < threads(); ++t) {
      if (t == writer || ((*threads_[t])[s[t]].reserved & word_bit(word)) == 0) continue;
      s[t] = threads_[t]->disturbed(s[t], word);
      if (s[t] == WeakThread::dead) return false;
    }
    return true;
  }

  Outcome outcome(const Row* s) const {
    Outcome result;
    result.reserve(test_.observables.size());
    for (const Observable& o : test_.observables)
      result.push_back(o.is_register ? (*threads_[o.thread])[s[o.thread]].registers[o.index]
                                     : values_[value_of(s[threads() + o.index])]);
    return result;
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
    e.limit = stopped_;
    bool cut = false;
    for (std::size_t t = 0; t < threads(); ++t) {
      cut |= threads_[t]->cut();
      if (e.limit.empty() && threads_[t]->strayed())
        e.limit = fmt::format("thread {} accesses an address that is no location", t);
    }
    if (e.limit.empty() && cut)
      e.limit = fmt::format("loops cut after 4 rounds, {} instructions or 3 guessed branches",
                            limits_.steps_per_thread);
    if (e.limit.empty() && values_.overflowed()) e.limit = "more than 65,535 values";
    for (Outcome& outcome : found_)
      if (test_.filter.holds(outcome)) e.outcomes.push_back(std::move(outcome));
    return e;
  }

  const Test& test_;
  WeakRules rules_;
  Limits limits_;
  bool reduce_;
  Values values_;
  BufferProgram flow_;
  std::size_t words_;
  std::size_t rows_;
  std::vector<std::unique_ptr<WeakThread>> threads_;
  PackedSet<Row> seen_;
  std::vector<Row> open_;
  std::vector<std::size_t> chosen_, group_;
  std::vector<Outcome> found_;
  std::size_t unique_ = 0;
  std::string stopped_;
};

}  // namespace

Exploration search_weak(const Test& test, const WeakRules& rules, const Limits& limits, bool reduce) {
  return Search(test, rules, limits, reduce).run();
}

}  // namespace mesim::litmus::operational
