#include "litmus/operational/weak_thread.hpp"

#include <algorithm>
#include <utility>

namespace mesim::litmus::operational {
namespace {

// Branches of loops that a thread guesses ahead of the oldest it has not resolved.
constexpr unsigned guesses_in_loops = 3;
// How often a path may come to an instruction of a loop.
constexpr unsigned rounds_of_loops = 4;

// The annotations of atomics, lr and sc are sequentially consistent (RCsc), those of loads and stores (which
// only litmus tests have) processor consistent (RCpc).
bool annotated(const Instruction& i) {
  return (i.acquire || i.release) && (i.op == Op::rmw || i.op == Op::store_conditional || i.reserve);
}

}  // namespace

WeakThread::WeakThread(const Test& test, std::size_t index, const WeakRules& rules, const BufferThread& flow,
                       Values& values, unsigned longest_path)
    : test_(test),
      thread_(test.threads[index]),
      index_(index),
      rules_(rules),
      flow_(flow),
      values_(values),
      longest_path_(std::min(longest_path, 255U)) {
  find_indirect_targets();
  fetch({}, first_view(), initial_);
}

// Code addresses come from initial values and from links; an indirect jump may be guessed to lead to any.
void WeakThread::find_indirect_targets() {
  const auto add = [&](Value value) {
    const Value at = value - code_address(static_cast<unsigned>(index_), 0);
    if (at >= 0 && at <= static_cast<Value>(thread_.code.size()))
      indirect_targets_.push_back(static_cast<std::uint32_t>(at));
  };
  for (const Thread& thread : test_.threads)
    for (const Value value : thread.initial) add(value);
  for (const Location& location : test_.locations) add(location.initial);
  for (std::size_t pc = 0; pc < thread_.code.size(); ++pc)
    if (thread_.code[pc].op == Op::jump_register && thread_.code[pc].dst != no_register)
      indirect_targets_.push_back(static_cast<std::uint32_t>(pc + 1));
  std::sort(indirect_targets_.begin(), indirect_targets_.end());
  indirect_targets_.erase(std::unique(indirect_targets_.begin(), indirect_targets_.end()),
                          indirect_targets_.end());
}

WeakThread::View WeakThread::first_view() const {
  View view;
  view.registers = thread_.initial;
  view.known.assign(thread_.initial.size(), 1);
  return view;
}

void WeakThread::set(View& view, Register r, Value value, bool is_known) {
  if (r == no_register) return;
  view.registers[r] = is_known ? value : 0;
  view.known[r] = is_known;
}

void WeakThread::look_at_memory(const Reached& r, const Instruction& i, View& view, Place& place) {
  const Value* registers = view.registers.data();
  if (known(i.address, view)) {
    place.word = test_.location_at(address_of(i, registers));
    if (place.word < 0 && !view.open_branch) strayed_ = true;
  }
  place.data_known = known(i.a, view) && (!i.compares || known(i.compare, view));
  switch (i.op) {
    case Op::load:
      set(view, i.dst, loaded(i, values_[r.read]), r.performed);
      break;
    case Op::store:
      if (place.data_known) place.data = stored(i, registers);
      break;
    case Op::store_conditional:
      if (place.data_known) place.data = stored(i, registers);
      set(view, i.dst, r.fails ? conditional_failed : conditional_succeeded, r.fails || r.performed);
      break;
    default:  // rmw
      if (!r.performed) {
        set(view, i.dst, 0, false);
        set(view, i.flags, 0, false);
        break;
      }
      const Value old = loaded(i, values_[r.read]);
      const auto fresh = modified(i, registers, old);
      place.stores = fresh.has_value();
      place.data = fresh.value_or(0);
      set(view, i.dst, 0, true);
      set(view, i.flags, 0, true);
      finish_rmw(i, view.registers.data(), old, fresh);
  }
}

bool WeakThread::look_at_branch(const Window& window, std::size_t at, View& view) const {
  const auto pc = window[at].pc;
  const Instruction& i = code(window[at]);
  if (i.op == Op::jump) return true;
  const bool resolved = known(i.a, view) && (i.op != Op::branch || known(i.b, view));
  if (resolved && at + 1 < window.size() &&
      window[at + 1].pc != next_pc(thread_, static_cast<unsigned>(index_), pc, view.registers.data()))
    return false;
  if (!resolved) {
    view.open_branch = true;
    view.guesses_in_loops += flow_.points[pc].in_loop && i.target != pc + 1U;
  }
  if (i.op == Op::jump_register && i.dst != no_register)
    set(view, i.dst, code_address(static_cast<unsigned>(index_), pc + 1U), true);
  return true;
}

bool WeakThread::look(const Window& window, View& view) {
  const std::size_t at = view.places.size();
  const Reached& r = window[at];
  const Instruction& i = code(r);
  Place place;
  place.after_open_branch = view.open_branch;
  bool alive = true;
  if (is_memory(i.op)) {
    look_at_memory(r, i, view, place);
    alive = place.word >= 0 || !known(i.address, view) || r.performed;
  } else if (is_control(i.op)) {
    alive = look_at_branch(window, at, view);
  } else if (i.op == Op::compute) {
    const bool cancels = !rules_.dependencies_are_syntactic && i.alu == Alu::bit_xor && i.a.is_register() &&
                         i.a.reg == i.b.reg;
    const bool is_known = cancels || (known(i.a, view) && known(i.b, view));
    const Value result = computed(i, view.registers.data());
    set(view, i.dst, result, is_known);
    set(view, i.flags, result, is_known);
  }
  view.places.push_back(place);
  return alive;
}

bool WeakThread::consistent(const Window& window, const View& view) const {
  for (std::size_t m = 0; m < window.size(); ++m) {
    if (window[m].performed || !is_event(window[m]) || !may_write(code(window[m]).op)) continue;
    const int word = view.places[m].word;
    if (word < 0) continue;
    for (std::size_t b = m + 1; b < window.size(); ++b) {
      if (!window[b].performed || !may_read(code(window[b]).op) || view.places[b].word != word) continue;
      if (window[b].source < write_name(m) || window[b].source >= write_name(b)) return false;
    }
  }
  return true;
}

// Rule 2, seen from the load at `at` that has just been performed: later loads of its word that overtook it,
// with no own store between, must have read the same store.
bool WeakThread::loads_in_order(const Window& window, const View& view, std::size_t at) const {
  if (!rules_.loads_of_one_word) return true;
  const int word = view.places[at].word;
  for (std::size_t b = at + 1; b < window.size(); ++b) {
    if (!is_event(window[b]) || view.places[b].word != word) continue;
    if (may_read(code(window[b]).op) && window[b].performed && window[b].source != window[at].source)
      return false;
    if (may_write(code(window[b]).op)) return true;
  }
  return true;
}

// Where fetching may go on from the end of the window. False: not before something is resolved.
bool WeakThread::next_places(const Window& window, const View& view, std::vector<std::uint32_t>& next) {
  if (window.empty()) {
    next = {0};
    return true;
  }
  const std::uint32_t pc = window.back().pc;
  const Instruction& i = code(window.back());
  const bool resolved = known(i.a, view) && (i.op != Op::branch || known(i.b, view));
  if (!is_control(i.op) || i.op == Op::jump || resolved) {
    next = {next_pc(thread_, static_cast<unsigned>(index_), pc, view.registers.data())};
    return true;
  }
  if (i.op == Op::jump_register) {
    next = indirect_targets_;
    return !next.empty();
  }
  if (i.target == pc + 1) {
    next = {pc + 1};
    return true;
  }
  if (view.guesses_in_loops > guesses_in_loops) {
    cut_ = true;
    return false;
  }
  next = {i.target, pc + 1};
  return true;
}

bool WeakThread::too_long(const Window& window, std::uint32_t next) const {
  if (window.size() >= longest_path_) return true;
  if (!flow_.points[next].in_loop) return false;
  const auto visits =
      std::count_if(window.begin(), window.end(), [&](const Reached& r) { return r.pc == next; });
  return visits >= rounds_of_loops;
}

void WeakThread::fetch(Window window, View view, std::vector<State>& out) {
  std::vector<std::uint32_t> next;
  const auto end = thread_.code.size();
  for (;;) {
    while (view.places.size() < window.size())
      if (!look(window, view)) return;
    if (!next_places(window, view, next)) return finish(std::move(window), view, false, out);
    if (next.size() > 1) {
      for (const auto pc : next) {
        if (pc >= end) {
          finish(window, view, true, out);
          continue;
        }
        if (too_long(window, pc)) {
          cut_ = true;
          continue;
        }
        auto guess = window;
        guess.push_back({static_cast<std::uint16_t>(pc)});
        fetch(std::move(guess), view, out);
      }
      return;
    }
    if (next[0] >= end) return finish(std::move(window), view, true, out);
    if (too_long(window, next[0])) {
      cut_ = true;
      return;
    }
    window.push_back({static_cast<std::uint16_t>(next[0])});
    if (code(window.back()).op != Op::store_conditional) continue;
    auto failing = window;
    failing.back().fails = true;
    fetch(std::move(failing), view, out);
    if (pair_of(window, window.size() - 1) < 0) return;
  }
}

int WeakThread::pair_of(const Window& window, std::size_t conditional) const {
  for (std::size_t at = conditional; at-- > 0;) {
    if (code(window[at]).op == Op::store_conditional) return -1;
    if (code(window[at]).reserve) return static_cast<int>(at);
  }
  return -1;
}

// Whether a later store to the word of the access at `at` has been performed before the address was known.
bool WeakThread::overtaken(const Window& window, const View& view, std::size_t at) const {
  if (rules_.stores_after_addresses || !rules_.stores_after_same_word) return false;
  for (std::size_t b = at + 1; b < window.size(); ++b)
    if (window[b].performed && is_event(window[b]) && may_write(code(window[b]).op) &&
        view.places[b].stores && view.places[b].word == view.places[at].word)
      return true;
  return false;
}

bool WeakThread::offer_load(const Window& window, const View& view, Offer& offer) const {
  for (std::size_t m = offer.at; m-- > 0;) {
    if (window[m].performed || !is_event(window[m]) || !may_write(code(window[m]).op)) continue;
    if (view.places[m].word != offer.word) continue;
    if (code(window[m]).op == Op::rmw || !view.places[m].data_known) return false;
    if (code(window[m]).op == Op::store_conditional && rules_.atomics_do_not_forward) return false;
    offer.forwarded = true;
    offer.value = values_.number(view.places[m].data);
    offer.source = write_name(m);
    return true;
  }
  return true;
}

bool WeakThread::offer_store(const Window& window, const View& view, Offer& offer) const {
  if (rules_.stores_after_same_word)
    for (std::size_t m = 0; m < offer.at; ++m)
      if (!window[m].performed && is_event(window[m]) && view.places[m].word == offer.word) return false;
  if (!offer.reads) offer.value = values_.number(view.places[offer.at].data);
  if (!offer.conditional) return true;
  const auto pair = static_cast<std::size_t>(pair_of(window, offer.at));
  return window[pair].performed && view.places[pair].word == offer.word && !window[pair].broken;
}

void WeakThread::make_offers(const ThreadState& s, const View& view, std::vector<Offer>& offers) const {
  bool loads = false, stores = false;  // not yet performed, so far
  bool fence_holds_loads = false, fence_holds_stores = false;
  bool acquire = false, annotation = false, unknown_address = false;
  for (std::size_t at = 0; at < s.window.size(); ++at) {
    const Reached& r = s.window[at];
    const Instruction& i = code(r);
    if (i.op == Op::fence && rules_.fences) {
      fence_holds_loads |= ((i.orders & load_load) != 0 && loads) || ((i.orders & store_load) != 0 && stores);
      fence_holds_stores |=
          ((i.orders & load_store) != 0 && loads) || ((i.orders & store_store) != 0 && stores);
    }
    if (!is_event(r) || r.performed) continue;
    const Place& place = view.places[at];
    Offer offer;
    offer.at = static_cast<std::uint16_t>(at);
    offer.reads = may_read(i.op);
    offer.writes = may_write(i.op);
    offer.conditional = i.op == Op::store_conditional;
    const bool held = (offer.reads && fence_holds_loads) || (offer.writes && fence_holds_stores) ||
                      (rules_.acquires && acquire) || (rules_.releases && i.release && (loads || stores)) ||
                      (rules_.annotated_in_order && annotated(i) && annotation) ||
                      (rules_.loads_first && loads) ||
                      (rules_.stores_last && offer.writes && (loads || stores));
    const bool store_held =
        offer.writes && ((rules_.stores_after_branches && place.after_open_branch) ||
                         (rules_.stores_after_addresses && unknown_address) || !place.data_known);
    if (!held && !store_held && place.word >= 0 && !overtaken(s.window, view, at)) {
      offer.word = static_cast<std::uint16_t>(place.word);
      if (offer.writes ? offer_store(s.window, view, offer) : offer_load(s.window, view, offer))
        offers.push_back(offer);
    }
    loads |= offer.reads;
    stores |= offer.writes;
    acquire |= i.acquire;
    annotation |= annotated(i);
    unknown_address |= place.word < 0;
  }
}

void WeakThread::note_later_words(const View& view, bool at_end, ThreadState& s) const {
  for (std::size_t at = 0; at < s.window.size(); ++at) {
    const Reached& r = s.window[at];
    const Instruction& i = code(r);
    if (!is_event(r)) continue;
    const int word = view.places[at].word;
    const WordSet bit = word < 0 ? ~WordSet{0} : word_bit(static_cast<unsigned>(word));
    if (!r.performed && may_read(i.op)) s.loads_later |= bit;
    if (!r.performed && may_write(i.op)) s.stores_later |= bit;
    if (i.op == Op::store_conditional && !r.performed) {
      s.loads_later |= bit;
      const auto pair = static_cast<std::size_t>(pair_of(s.window, at));
      if (s.window[pair].performed) s.reserved |= word_bit(static_cast<unsigned>(view.places[pair].word));
    }
  }
  if (at_end) return;
  const Point& p = flow_.points[s.window.back().pc];
  s.loads_later |= p.loads_later | p.atomics_later;
  s.stores_later |= p.stores_later | p.atomics_later;
}

// The window is complete for now: forgets what no rule can ask for, and numbers the state.
void WeakThread::finish(Window window, const View& view, bool at_end, std::vector<State>& out) {
  if (!consistent(window, view)) return;
  ThreadState s;
  bool all_performed = true;
  for (std::size_t at = 0; at < window.size(); ++at) {
    if (!is_event(window[at])) continue;
    if (!window[at].performed) all_performed = false;
    if (all_performed && !code(window[at]).reserve) window[at].source = 0;
  }
  s.window = std::move(window);
  s.done = at_end && all_performed;
  if (s.done) {
    s.registers = view.registers;
  } else {
    make_offers(s, view, s.offers);
    if (s.offers.empty()) return;  // a guess that can no longer come true
    note_later_words(view, at_end, s);
  }
  out.push_back(number(std::move(s)));
}

WeakThread::State WeakThread::number(ThreadState&& state) {
  std::string key;
  key.reserve(state.window.size() * 8);
  const auto add = [&](std::uint16_t v) {
    key.push_back(static_cast<char>(v & 0xff));
    key.push_back(static_cast<char>(v >> 8));
  };
  for (const Reached& r : state.window) {
    add(r.pc);
    key.push_back(static_cast<char>(r.performed | r.fails << 1 | r.broken << 2));
    add(r.read);
    add(r.source);
  }
  const auto [at, fresh] = numbers_.try_emplace(std::move(key), static_cast<State>(states_.size()));
  if (fresh) states_.push_back(std::move(state));
  return at->second;
}

const WeakThread::Step& WeakThread::take(State state, std::size_t offer_index, Cell read, WriteName source) {
  const Offer offer = states_[state].offers[offer_index];
  if (offer.forwarded || !offer.reads) read = source = 0;
  const std::uint64_t key = (static_cast<std::uint64_t>(state) << 40) |
                            (static_cast<std::uint64_t>(offer_index) << 32) |
                            (static_cast<std::uint64_t>(read) << 16) | source;
  const auto known_step = step_numbers_.find(key);
  if (known_step != step_numbers_.end()) return steps_[known_step->second];
  step_numbers_.emplace(key, static_cast<std::uint32_t>(steps_.size()));
  steps_.emplace_back();
  Step step;
  Window window = states_[state].window;
  Reached& r = window[offer.at];
  r.performed = true;
  if (offer.reads) {
    r.read = offer.forwarded ? offer.value : read;
    r.source = offer.forwarded ? offer.source : source;
  }
  View view = first_view();
  bool alive = true;
  while (alive && view.places.size() < window.size()) alive = look(window, view);
  step.wrote = offer.writes;
  if (alive && offer.writes) {
    step.wrote = view.places[offer.at].stores;
    step.written = offer.reads ? values_.number(view.places[offer.at].data) : offer.value;
  }
  const std::size_t number_of_step = steps_.size() - 1;
  if (alive && (!offer.reads || loads_in_order(window, view, offer.at)))
    fetch(std::move(window), std::move(view), step.next);
  steps_[number_of_step] = std::move(step);
  return steps_[number_of_step];
}

WeakThread::State WeakThread::disturbed(State state, unsigned word) {
  const std::uint64_t key = (static_cast<std::uint64_t>(state) << 32) | word;
  const auto found = disturbed_.find(key);
  if (found != disturbed_.end()) return found->second;
  Window window = states_[state].window;
  View view = first_view();
  while (view.places.size() < window.size()) look(window, view);
  for (std::size_t at = 0; at < window.size(); ++at) {
    Reached& r = window[at];
    if (!code(r).reserve || !r.performed || view.places[at].word != static_cast<int>(word)) continue;
    bool source_in_memory = true;
    for (std::size_t m = 0; m < at; ++m)
      if (r.source == write_name(m) && !window[m].performed) source_in_memory = false;
    r.broken |= source_in_memory;
  }
  std::vector<State> out;
  fetch(std::move(window), std::move(view), out);
  const State result = out.empty() ? dead : out[0];
  disturbed_.emplace(key, result);
  return result;
}

}  // namespace mesim::litmus::operational
