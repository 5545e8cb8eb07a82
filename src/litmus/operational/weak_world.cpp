#include "litmus/operational/weak_world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim::litmus::operational {
namespace {

BufferRules sequential() {
  BufferRules rules;
  rules.buffer = BufferRules::Buffer::none;
  return rules;
}

}  // namespace

WeakWorld::WeakWorld(const Test& test, const WeakRules& rules, const Limits& limits)
    : test_(test),
      rules_(rules),
      limits_(limits),
      flow_(prepare(test, sequential(), values_)),
      words_(test.locations.size()),
      rows_(test.threads.size() + words_) {
  for (std::size_t t = 0; t < test.threads.size(); ++t)
    threads_.push_back(std::make_unique<WeakThread>(test, t, rules, flow_.threads[t], values_,
                                                    static_cast<unsigned>(limits.steps_per_thread)));
}

std::vector<Row> WeakWorld::first() {
  std::vector<Row> state(rows_, 0), out;
  for (std::size_t w = 0; w < words_; ++w)
    state[threads_.size() + w] = values_.number(test_.locations[w].initial);
  combine(state, 0, out);
  return out;
}

void WeakWorld::combine(std::vector<Row>& state, std::size_t t, std::vector<Row>& out) const {
  if (t == threads_.size()) {
    out.insert(out.end(), state.begin(), state.end());
    return;
  }
  for (const auto first : threads_[t]->initial()) {
    state[t] = first;
    combine(state, t + 1, out);
  }
}

void WeakWorld::choose(const Row* s, bool reduce, std::vector<WeakMove>& moves) {
  chosen_.clear();
  moves.clear();
  std::size_t best = ~std::size_t{0};
  for (std::size_t seed = 0; seed < threads_.size(); ++seed) {
    if (thread(s, seed).done) continue;
    if (!reduce) {
      chosen_.push_back(seed);
      continue;
    }
    group_.assign(1, seed);
    std::size_t offers = 0;
    for (std::size_t at = 0; at < group_.size() && offers < best; ++at) {
      const auto& state = thread(s, group_[at]);
      offers += state.offers.size();
      for (const Offer& offer : state.offers) add_conflicts(s, offer);
    }
    if (offers >= best) continue;
    best = offers;
    chosen_ = group_;
  }
  for (const std::size_t t : chosen_)
    for (std::size_t o = 0; o < thread(s, t).offers.size(); ++o)
      moves.push_back({static_cast<std::uint16_t>(t), static_cast<std::uint16_t>(o)});
}

void WeakWorld::add_conflicts(const Row* s, const Offer& offer) {
  const WordSet bit = word_bit(offer.word);
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const auto& other = thread(s, t);
    const bool conflict = (other.stores_later & bit) != 0 ||
                          (offer.writes && ((other.loads_later | other.reserved) & bit) != 0);
    if (conflict && std::find(group_.begin(), group_.end(), t) == group_.end()) group_.push_back(t);
  }
}

void WeakWorld::perform(const Row* s, WeakMove move, std::vector<Row>& next) {
  WeakThread& thread = *threads_[move.thread];
  const Offer offer = thread[s[move.thread]].offers[move.offer];
  const std::size_t cell = threads_.size() + offer.word;
  const auto& step = thread.take(s[move.thread], move.offer, value_of(s[cell]), name_of(s[cell]));
  for (const auto state : step.next) {
    const std::size_t base = next.size();
    next.insert(next.end(), s, s + rows_);
    next[base + move.thread] = state;
    if (!step.wrote) continue;
    next[base + cell] =
        static_cast<Row>(step.written) | (static_cast<Row>(thread.write_name(offer.at)) << 16);
    if (rules_.reservations_break && !disturb_others(&next[base], move.thread, offer.word)) next.resize(base);
  }
}

bool WeakWorld::disturb_others(Row* s, std::size_t writer, unsigned word) {
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    if (t == writer || (thread(s, t).reserved & word_bit(word)) == 0) continue;
    s[t] = threads_[t]->disturbed(s[t], word);
    if (s[t] == WeakThread::dead) return false;
  }
  return true;
}

bool WeakWorld::done(const Row* s) const {
  for (std::size_t t = 0; t < threads_.size(); ++t)
    if (!thread(s, t).done) return false;
  return true;
}

Outcome WeakWorld::outcome(const Row* s) const {
  Outcome result;
  result.reserve(test_.observables.size());
  for (const Observable& o : test_.observables)
    result.push_back(o.is_register ? thread(s, o.thread).registers[o.index] : word(s, o.index));
  return result;
}

std::size_t WeakWorld::thread_states() const {
  std::size_t sum = 0;
  for (const auto& thread : threads_) sum += thread->states();
  return sum;
}

std::string WeakWorld::limit() const {
  bool cut = false;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    cut |= threads_[t]->cut();
    if (threads_[t]->strayed()) return fmt::format("thread {} accesses an address that is no location", t);
  }
  if (cut)
    return fmt::format("loops cut after 4 rounds, {} instructions or 3 guessed branches",
                       limits_.steps_per_thread);
  return values_.overflowed() ? "more than 65,535 values" : "";
}

}  // namespace mesim::litmus::operational
