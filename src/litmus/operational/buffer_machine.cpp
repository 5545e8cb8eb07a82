#include "litmus/operational/buffer_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/semantics.hpp"

namespace mesim::litmus::operational {
namespace {

// Register-only instructions in a row after which a thread counts as running for ever.
constexpr unsigned local_steps = 100'000;

}  // namespace

BufferMachine::BufferMachine(const Test& test, const BufferRules& rules, bool keep_dead)
    : test_(test), rules_(rules), program_(prepare(test, rules, values_, keep_dead)) {
  for (const Thread& thread : test.threads) registers_.push_back(thread.initial);
}

void BufferMachine::initial(Cell* s) {
  std::fill(s, s + program_.cells, Cell{0});
  for (unsigned w = 0; w < program_.words; ++w) s[w] = values_.number(test_.locations[w].initial);
  for (std::size_t t = 0; t < program_.threads.size(); ++t) {
    const auto& thread = program_.threads[t];
    for (const Register r : thread.written) s[thread.cell[r]] = values_.number(test_.threads[t].initial[r]);
    arrive(s, t, 0);
  }
  forget_dead_words(s);
}

Value* BufferMachine::load_registers(const Cell* s, std::size_t thread) {
  const auto& t = program_.threads[thread];
  Value* registers = registers_[thread].data();
  for (const Register r : t.written) registers[r] = values_[s[t.cell[r]]];
  return registers;
}

void BufferMachine::store_registers(Cell* s, std::size_t thread, const Value* registers) {
  const auto& t = program_.threads[thread];
  for (const Register r : t.written) {
    Cell& cell = s[t.cell[r]];
    if (values_[cell] != registers[r]) cell = values_.number(registers[r]);
  }
}

// The core comes to `pc`: runs what only concerns registers, up to the next step that others can see.
void BufferMachine::arrive(Cell* s, std::size_t thread, std::uint32_t pc) {
  const auto& t = program_.threads[thread];
  if (t.points[pc].step == Step::local) {
    run_local(s, thread, pc);
    pc = s[t.pc];
  } else {
    s[t.pc] = static_cast<Cell>(pc);
  }
  for (const Register r : t.points[pc].dead) s[t.cell[r]] = 0;
}

void BufferMachine::run_local(Cell* s, std::size_t thread, std::uint32_t pc) {
  const auto& t = program_.threads[thread];
  const Thread& code = test_.threads[thread];
  Value* registers = load_registers(s, thread);
  unsigned steps = 0;
  while (t.points[pc].step == Step::local && steps++ < local_steps) {
    const Instruction& i = code.code[pc];
    const auto next = next_pc(code, static_cast<unsigned>(thread), pc, registers);
    if (i.op == Op::compute && i.dst != no_register) {
      const Value result = computed(i, registers);
      registers[i.dst] = result;
      if (i.flags != no_register) registers[i.flags] = result;
    } else if (i.op == Op::compute && i.flags != no_register) {
      registers[i.flags] = computed(i, registers);
    } else if (i.op == Op::jump_register && i.dst != no_register) {
      registers[i.dst] = code_address(static_cast<unsigned>(thread), pc + 1);
    }
    pc = next;
  }
  store_registers(s, thread, registers);
  s[t.pc] = static_cast<Cell>(pc);
}

int BufferMachine::next_word(const Cell* s, std::size_t thread) const {
  const auto& t = program_.threads[thread];
  const Point& p = t.points[s[t.pc]];
  const Instruction& i = test_.threads[thread].code[s[t.pc]];
  if (p.word >= 0 || !i.address.is_register() || t.cell[i.address.reg] == no_cell) return p.word;
  return test_.location_at(values_[s[t.cell[i.address.reg]]] + i.offset);
}

Cell BufferMachine::visible(const Cell* s, std::size_t thread, unsigned word) const {
  if (rules_.loads_forward)
    for (unsigned e = entries(s, thread); e-- > 0;)
      if (entry(s, thread, e)[0] == word) return entry(s, thread, e)[1];
  return s[word];
}

bool BufferMachine::atomic_may_run(const Cell* s, std::size_t thread, unsigned word) const {
  const unsigned n = entries(s, thread);
  if (n == 0 || !rules_.atomics_wait) return true;
  const Instruction& i = test_.threads[thread].code[s[program_.threads[thread].pc]];
  if (rules_.atomics_wait_for_all_words || (rules_.releases_wait && i.release && !i.locked)) return false;
  for (unsigned e = 0; e < n; ++e) {
    const Cell in_entry = entry(s, thread, e)[0];
    if (in_entry == word || (in_entry == marker && rules_.atomics_wait_for_markers)) return false;
    if (in_entry == barrier && rules_.fences_wait && i.op == Op::rmw) return false;
  }
  return true;
}

bool BufferMachine::core_enabled(const Cell* s, std::size_t thread) {
  const auto& t = program_.threads[thread];
  const Point& p = t.points[s[t.pc]];
  if (p.step == Step::end) return false;
  if (p.step == Step::local) {
    if (limit_.empty()) limit_ = fmt::format("thread {} runs for ever without touching memory", thread);
    return false;
  }
  if (p.step == Step::drain) return !rules_.fences_wait || entries(s, thread) == 0;
  const bool released = test_.threads[thread].code[s[t.pc]].release;
  const bool full = t.buffer != no_cell && entries(s, thread) + (released ? 2 : 1) > t.capacity;
  if (p.step == Step::marker || p.step == Step::barrier) return !full || entries(s, thread) == 0;
  const int word = next_word(s, thread);
  if (word < 0) {
    if (limit_.empty())
      limit_ = fmt::format("thread {} accesses an address that is no location: `{}`", thread,
                           test_.threads[thread].sources[test_.threads[thread].code[s[t.pc]].source].text);
    return false;
  }
  if (p.step == Step::store && t.buffer != no_cell && full) {
    if (limit_.empty())
      limit_ = fmt::format("a loop of thread {} fills a store buffer of {} entries", thread, t.capacity);
    return false;
  }
  if (p.step == Step::load) {
    const bool waits = (released && rules_.releases_wait && entries(s, thread) != 0) ||
                       (rules_.fences_wait && holds(s, thread, barrier));
    return !waits;
  }
  if (p.step == Step::atomic) return atomic_may_run(s, thread, static_cast<unsigned>(word));
  return true;
}

int BufferMachine::drain_position(const Cell* s, std::size_t thread, unsigned word) const {
  const unsigned n = entries(s, thread);
  int found = -1;
  for (unsigned e = 0; e < n; ++e) {
    const Cell in_entry = entry(s, thread, e)[0];
    if (in_entry == marker && rules_.markers_separate) break;
    if (is_store(in_entry) && (rules_.buffer == BufferRules::Buffer::fifo || in_entry == word)) {
      found = static_cast<int>(e);
      if (rules_.oldest_first) break;
    }
  }
  return found;
}

void BufferMachine::write(Cell* s, std::size_t thread, unsigned word, Cell value) {
  s[word] = value;
  if (!rules_.foreign_stores_break_reservations) return;
  for (std::size_t other = 0; other < program_.threads.size(); ++other) {
    const auto cell = program_.threads[other].reservation;
    // a store that is not in memory yet comes behind this one, and so does what lr has read from it
    if (other != thread && cell != no_cell && s[cell] == word + 1 && s[cell + 1] == 0) s[cell] = 0;
  }
}

// Keeps one row for all orders of stores to different words between two markers: sorted by word.
void BufferMachine::push(Cell* s, std::size_t thread, Cell word, Cell value) {
  const auto& t = program_.threads[thread];
  Cell* count = s + t.buffer;
  Cell* first = count + 1;
  unsigned at = *count;
  if (rules_.buffer == BufferRules::Buffer::per_word && is_store(word))
    while (at > 0 && is_store(first[2 * (at - 1)]) && first[2 * (at - 1)] > word) --at;
  for (unsigned e = *count; e > at; --e) {
    first[2 * e] = first[2 * e - 2];
    first[2 * e + 1] = first[2 * e - 1];
  }
  first[2 * at] = word;
  first[2 * at + 1] = value;
  ++*count;
}

void BufferMachine::remove_entry(Cell* s, std::size_t thread, unsigned position) const {
  Cell* count = s + program_.threads[thread].buffer;
  Cell* first = count + 1;
  for (unsigned e = position; e + 1 < *count; ++e) {
    first[2 * e] = first[2 * e + 2];
    first[2 * e + 1] = first[2 * e + 3];
  }
  --*count;
  first[2 * *count] = 0;
  first[2 * *count + 1] = 0;
}

void BufferMachine::drain(Cell* s, std::size_t thread, unsigned position) {
  const Cell* e = entry(s, thread, position);
  const Cell word = e[0];
  const Cell value = e[1];
  remove_entry(s, thread, position);
  write(s, thread, word, value);
  const auto reservation = program_.threads[thread].reservation;
  if (reservation != no_cell && s[reservation] == word + 1 && s[reservation + 1] != 0) --s[reservation + 1];
  // Fences with nothing before them, and the second of two in a row, separate nothing.
  for (unsigned at = 0; at < entries(s, thread);) {
    const Cell kind = entry(s, thread, at)[0];
    const bool idle = !is_store(kind) && (at == 0 || entry(s, thread, at - 1)[0] == kind);
    if (idle)
      remove_entry(s, thread, at);
    else
      ++at;
  }
}

void BufferMachine::atomic_step(Cell* s, std::size_t thread, const Instruction& i, unsigned word) {
  Value* registers = load_registers(s, thread);
  const Cell seen = rules_.atomics_wait ? s[word] : visible(s, thread, word);
  const Value old = loaded(i, values_[seen]);
  const auto fresh = modified(i, registers, old);
  finish_rmw(i, registers, old, fresh);
  store_registers(s, thread, registers);
  if (!fresh) return;
  if (rules_.atomics_write_through || program_.threads[thread].buffer == no_cell)
    write(s, thread, word, values_.number(*fresh));
  else
    push(s, thread, static_cast<Cell>(word), values_.number(*fresh));
}

void BufferMachine::reserve(Cell* s, std::size_t thread, unsigned word) const {
  Cell* reservation = s + program_.threads[thread].reservation;
  reservation[0] = static_cast<Cell>(word + 1);
  reservation[1] = 0;
  for (unsigned e = 0; e < entries(s, thread); ++e) reservation[1] += entry(s, thread, e)[0] == word;
}

void BufferMachine::push_fence(Cell* s, std::size_t thread, Cell kind) {
  const unsigned n = entries(s, thread);
  if (n != 0 && entry(s, thread, n - 1)[0] != kind) push(s, thread, kind, 0);
}

bool BufferMachine::holds(const Cell* s, std::size_t thread, Cell word) const {
  for (unsigned e = 0; e < entries(s, thread); ++e)
    if (entry(s, thread, e)[0] == word) return true;
  return false;
}

void BufferMachine::buffer_store(Cell* s, std::size_t thread, unsigned word, Cell value, bool release) {
  if (release && rules_.releases_wait && rules_.buffer == BufferRules::Buffer::per_word)
    push_fence(s, thread, marker);
  push(s, thread, static_cast<Cell>(word), value);
}

void BufferMachine::core_step(Cell* s, std::size_t thread, bool conditional_fails) {
  const auto& t = program_.threads[thread];
  const std::uint32_t pc = s[t.pc];
  const Point& p = t.points[pc];
  const Instruction& i = test_.threads[thread].code[pc];
  const auto word = static_cast<unsigned>(is_memory(i.op) ? next_word(s, thread) : 0);
  const auto to_store = [&] {
    return p.stored >= 0 ? static_cast<Cell>(p.stored) : values_.number(stored(i, load_registers(s, thread)));
  };
  switch (p.step) {
    case Step::load: {
      Cell value = visible(s, thread, word);
      const Value result = loaded(i, values_[value]);
      if (result != values_[value]) value = values_.number(result);
      set_register(s, t, i.dst, value);
      if (i.reserve) reserve(s, thread, word);
      break;
    }
    case Step::store:
      if (t.buffer == no_cell)
        write(s, thread, word, to_store());
      else
        buffer_store(s, thread, word, to_store(), i.release);
      break;
    case Step::atomic:
      atomic_step(s, thread, i, word);
      break;
    case Step::conditional: {
      if (!conditional_fails) write(s, thread, word, to_store());
      s[t.reservation] = s[t.reservation + 1] = 0;
      set_register(s, t, i.dst,
                   values_.number(conditional_fails ? conditional_failed : conditional_succeeded));
      break;
    }
    case Step::marker:
      push_fence(s, thread, marker);
      break;
    case Step::barrier:
      push_fence(s, thread, barrier);
      break;
    case Step::drain:
    case Step::local:
    case Step::end:
      break;
  }
  arrive(s, thread, pc + 1);
}

// A word that no thread reads any more and nobody asks for might as well be zero, and stores to it gone.
void BufferMachine::forget_dead_words(Cell* s) const {
  WordSet alive = program_.observed;
  for (const auto& t : program_.threads) {
    const Point& p = t.points[s[t.pc]];
    alive |= p.loads_later | p.atomics_later;
  }
  for (unsigned w = 0; w < program_.words; ++w)
    if ((alive & word_bit(w)) == 0) s[w] = 0;
}

void BufferMachine::apply(const Action& action, Cell* s) {
  if (action.kind == Action::Kind::drain)
    drain(s, action.thread, static_cast<unsigned>(drain_position(s, action.thread, action.word)));
  else
    core_step(s, action.thread, action.kind == Action::Kind::conditional_fails);
  forget_dead_words(s);
}

bool BufferMachine::finished(const Cell* s) const {
  for (std::size_t t = 0; t < program_.threads.size(); ++t)
    if (point(s, t).step != Step::end || entries(s, t) != 0) return false;
  return true;
}

Outcome BufferMachine::outcome(const Cell* s) const {
  Outcome result;
  result.reserve(test_.observables.size());
  for (const Observable& o : test_.observables) {
    if (!o.is_register) {
      result.push_back(values_[s[o.index]]);
      continue;
    }
    const auto cell = program_.threads[o.thread].cell[o.index];
    result.push_back(cell == no_cell ? test_.threads[o.thread].initial[o.index] : values_[s[cell]]);
  }
  return result;
}

}  // namespace mesim::litmus::operational
