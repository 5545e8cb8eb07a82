#include "litmus/operational/buffer_choice.hpp"

#include <algorithm>

namespace mesim::litmus::operational {

BufferChoice::BufferChoice(BufferMachine& machine)
    : machine_(machine),
      threads_(machine.program().threads.size()),
      words_(machine.program().words),
      per_word_(machine.rules().buffer == BufferRules::Buffer::per_word),
      view_(threads_),
      stamp_(threads_ + (per_word_ ? threads_ * words_ : threads_), 0) {}

void BufferChoice::look(const Cell* s) {
  for (std::size_t t = 0; t < threads_; ++t) {
    ThreadView& v = view_[t];
    v.point = &machine_.point(s, t);
    v.word = -1;
    v.enabled = v.point->step != Step::end && machine_.core_enabled(s, t);
    if (v.enabled && v.point->step != Step::drain && v.point->step != Step::marker &&
        v.point->step != Step::barrier)
      v.word = machine_.next_word(s, t);
    v.buffered = 0;
    for (unsigned e = machine_.entries(s, t); e-- > 0;) {
      const Cell word = machine_.entry(s, t, e)[0];
      if (BufferMachine::is_store(word)) v.buffered |= word_bit(word);
    }
  }
}

// Those that may write `word` in memory before anything of the set has happened: a buffer that holds a store
// to it, and cores that would have to issue one first.
void BufferChoice::add_writers(std::size_t except, unsigned word) {
  const WordSet bit = word_bit(word);
  for (std::size_t t = 0; t < threads_; ++t) {
    if (t == except) continue;
    const ThreadView& v = view_[t];
    if ((v.buffered & bit) != 0)
      add(buffer(t, word));
    else if (((v.point->stores_later | v.point->atomics_later) & bit) != 0)
      add(core(t));
    if ((v.point->atomics_later & bit) != 0) add(core(t));
  }
}

void BufferChoice::add_readers(std::size_t except, unsigned word) {
  const WordSet bit = word_bit(word);
  for (std::size_t t = 0; t < threads_; ++t)
    if (t != except && ((view_[t].point->loads_later | view_[t].point->atomics_later) & bit) != 0)
      add(core(t));
}

// A blocked core waits for its own buffer: the oldest entry has to drain, whatever else happens.
void BufferChoice::add_what_enables_core(const Cell* s, std::size_t t) {
  const Point& p = *view_[t].point;
  const unsigned n = machine_.entries(s, t);
  if (p.step == Step::end || n == 0) return;
  if ((p.step == Step::atomic || p.step == Step::conditional) &&
      !machine_.rules().atomics_wait_for_all_words) {
    const int word = machine_.next_word(s, t);
    for (unsigned e = 0; e < n; ++e)
      if (machine_.entry(s, t, e)[0] == word) {
        add(buffer(t, static_cast<unsigned>(word)));
        return;
      }
  }
  add(buffer(t, machine_.entry(s, t, 0)[0]));
}

unsigned BufferChoice::close_core(const Cell* s, std::size_t t) {
  const ThreadView& v = view_[t];
  if (!v.enabled) {
    add_what_enables_core(s, t);
    return 0;
  }
  const bool in_memory = machine_.program().threads[t].buffer == no_cell;
  const auto word = static_cast<unsigned>(v.word);
  switch (v.point->step) {
    case Step::load:
      add_writers(t, word);
      return 1;
    case Step::store:
      if (!in_memory) return 1;
      add_writers(t, word);
      add_readers(t, word);
      return 1;
    case Step::atomic:
      add_writers(t, word);
      add_readers(t, word);
      return 1;
    case Step::conditional:  // may fail; succeeds only with a reservation and once the buffers allow it
      if (s[machine_.program().threads[t].reservation] != word + 1) return 1;
      if (!machine_.conditional_may_run(s, t)) {
        add_what_enables_core(s, t);
        return 1;
      }
      add_writers(t, word);
      add_readers(t, word);
      return 2;
    default:
      return 1;
  }
}

unsigned BufferChoice::close_buffer(const Cell* s, std::size_t t, unsigned word) {
  if (machine_.entries(s, t) == 0 || (per_word_ && (view_[t].buffered & word_bit(word)) == 0)) {
    add(core(t));
    return 0;
  }
  const int position = machine_.drain_position(s, t, word);
  if (position < 0) {  // behind a marker, or another word with the same bit
    add(buffer(t, machine_.entry(s, t, 0)[0]));
    if (words_ > 64) add(core(t));
    return 0;
  }
  const unsigned drained = machine_.entry(s, t, static_cast<unsigned>(position))[0];
  add_writers(t, drained);
  add_readers(t, drained);
  return 1;
}

unsigned BufferChoice::close(const Cell* s, Agent seed, unsigned best) {
  ++round_;
  open_.clear();
  add(seed);
  unsigned enabled = 0;
  for (std::size_t at = 0; at < open_.size() && enabled < best; ++at) {
    const Agent agent = open_[at];
    if (agent < threads_) {
      enabled += close_core(s, agent);
    } else {
      const auto index = agent - threads_;
      enabled += per_word_ ? close_buffer(s, index / words_, static_cast<unsigned>(index % words_))
                           : close_buffer(s, index, 0);
    }
  }
  return enabled;
}

void BufferChoice::actions_of(const Cell* s, Agent agent, std::vector<Action>& actions) {
  if (agent < threads_) {
    const auto t = static_cast<std::uint16_t>(agent);
    if (!view_[t].enabled) return;
    if (view_[t].point->step != Step::conditional) {
      actions.push_back({Action::Kind::core, t, 0});
      return;
    }
    const auto& thread = machine_.program().threads[t];
    if (s[thread.reservation] == view_[t].word + 1 && machine_.conditional_may_run(s, t))
      actions.push_back({Action::Kind::core, t, 0});
    actions.push_back({Action::Kind::conditional_fails, t, 0});
    return;
  }
  const auto index = agent - threads_;
  const auto t = static_cast<std::uint16_t>(per_word_ ? index / words_ : index);
  const int position = machine_.drain_position(s, t, per_word_ ? static_cast<unsigned>(index % words_) : 0);
  if (position >= 0)
    actions.push_back({Action::Kind::drain, t, machine_.entry(s, t, static_cast<unsigned>(position))[0]});
}

void BufferChoice::choose(const Cell* s, std::vector<Action>& actions) {
  actions.clear();
  look(s);
  unsigned best = ~0U;
  const auto consider = [&](Agent seed) {
    const unsigned enabled = close(s, seed, best);
    if (enabled == 0 || enabled >= best) return;
    best = enabled;
    best_ = open_;
  };
  for (std::size_t t = 0; t < threads_ && best > 1; ++t)
    if (view_[t].enabled) consider(core(t));
  for (std::size_t t = 0; t < threads_ && best > 1; ++t)
    for (unsigned e = 0; e < machine_.entries(s, t) && best > 1; ++e) {
      const Cell word = machine_.entry(s, t, e)[0];
      if (word == BufferMachine::marker) break;
      if (word == BufferMachine::barrier) continue;
      consider(buffer(t, word));
      if (!per_word_) break;
    }
  if (best == ~0U) return;
  for (const Agent agent : best_) actions_of(s, agent, actions);
}

void BufferChoice::all(const Cell* s, std::vector<Action>& actions) {
  actions.clear();
  look(s);
  for (Agent agent = 0; agent < stamp_.size(); ++agent) actions_of(s, agent, actions);
}

}  // namespace mesim::litmus::operational
