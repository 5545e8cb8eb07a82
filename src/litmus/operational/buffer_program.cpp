#include "litmus/operational/buffer_program.hpp"

#include <algorithm>

#include "litmus/semantics.hpp"

namespace mesim::litmus::operational {
namespace {

using Registers = std::bitset<256>;
// Entries that a store inside a loop may add to a buffer before the search says that it stops there.
constexpr std::uint32_t loop_entries = 8;

Step step_of(const Instruction& i, const BufferRules& rules) {
  const bool buffered = rules.buffer != BufferRules::Buffer::none;
  switch (i.op) {
    case Op::load:
      return Step::load;
    case Op::store:
      return Step::store;
    case Op::rmw:
      return Step::atomic;
    case Op::store_conditional:
      return Step::conditional;
    case Op::fence:
      if (rules.buffer == BufferRules::Buffer::per_word && (i.orders & (store_load | store_store)) != 0)
        return (i.orders & store_load) == 0    ? Step::marker
               : (i.orders & store_store) == 0 ? Step::barrier
                                               : Step::drain;
      return buffered && (i.orders & store_load) != 0 ? Step::drain : Step::local;
    default:
      return Step::local;
  }
}

// Where control may go after `pc`.
std::vector<std::uint32_t> successors(const Thread& thread, std::uint32_t pc) {
  const Instruction& i = thread.code[pc];
  switch (i.op) {
    case Op::jump:
      return {i.target};
    case Op::branch:
      return {i.target, pc + 1};
    case Op::jump_register: {
      std::vector<std::uint32_t> all(thread.code.size() + 1);
      for (std::uint32_t at = 0; at < all.size(); ++at) all[at] = at;
      return all;
    }
    default:
      return {pc + 1};
  }
}

Registers written_by(const Instruction& i) {
  Registers set;
  if (i.dst != no_register) set.set(i.dst);
  if (i.flags != no_register) set.set(i.flags);
  return set;
}

Registers read_by(const Instruction& i) {
  Registers set;
  const Sources sources = sources_of(i);
  for (const Register r :
       {sources.address, sources.data[0], sources.data[1], sources.control[0], sources.control[1]})
    if (r != no_register) set.set(r);
  return set;
}

WordSet every_word(const Test& test) {
  return test.locations.size() >= 64 ? ~WordSet{0}
                                     : word_bit(static_cast<unsigned>(test.locations.size())) - 1;
}

// Fills the word and the stored value where they do not depend on the run.
void resolve(const Test& test, const Thread& thread, const BufferThread& t, const Instruction& i,
             Point& point, Values& values) {
  const auto constant = [&](const Operand& o) { return !o.is_register() || t.cell[o.reg] == no_cell; };
  if (constant(i.address)) point.word = test.location_at(address_of(i, thread.initial.data()));
  if ((i.op == Op::store || i.op == Op::store_conditional) && constant(i.a))
    point.stored = values.number(stored(i, thread.initial.data()));
}

void own_words(const Test& test, const BufferThread& t, const Instruction& i, Point& p) {
  const bool constant = !i.address.is_register() || t.cell[i.address.reg] == no_cell;
  const WordSet words =
      constant ? (p.word < 0 ? 0 : word_bit(static_cast<unsigned>(p.word))) : every_word(test);
  if (p.step == Step::load) p.loads_later = words;
  if (p.step == Step::store) p.stores_later = words;
  if (p.step == Step::atomic || p.step == Step::conditional) p.atomics_later = words;
}

// Backward data flow until nothing changes: words of later accesses, and registers that are still read.
void flow_back(const Test& test, std::size_t index, BufferThread& t, bool keep_dead) {
  const Thread& thread = test.threads[index];
  const auto end = static_cast<std::uint32_t>(thread.code.size());
  std::vector<Registers> live(end + 1);
  for (const Observable& o : test.observables)
    if (o.is_register && o.thread == index) live[end].set(o.index);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t pc = end; pc-- > 0;) {
      Point& p = t.points[pc];
      Registers after;
      Point sum = p;
      for (const auto next : successors(thread, pc)) {
        after |= live[next];
        sum.loads_later |= t.points[next].loads_later;
        sum.stores_later |= t.points[next].stores_later;
        sum.atomics_later |= t.points[next].atomics_later;
      }
      const Registers before = (after & ~written_by(thread.code[pc])) | read_by(thread.code[pc]);
      changed |= before != live[pc] || sum.loads_later != p.loads_later ||
                 sum.stores_later != p.stores_later || sum.atomics_later != p.atomics_later;
      live[pc] = before;
      p.loads_later = sum.loads_later;
      p.stores_later = sum.stores_later;
      p.atomics_later = sum.atomics_later;
    }
  }
  if (keep_dead) return;
  for (std::uint32_t pc = 0; pc <= end; ++pc)
    for (const Register r : t.written)
      if (!live[pc].test(r)) t.points[pc].dead.push_back(r);
}

bool find_loops(const Thread& thread, BufferThread& t) {
  bool any = false;
  const auto end = static_cast<std::uint32_t>(thread.code.size());
  for (std::uint32_t start = 0; start < end; ++start) {
    std::vector<bool> reached(end + 1, false);
    std::vector<std::uint32_t> open{start};
    while (!open.empty()) {
      const auto pc = open.back();
      open.pop_back();
      if (pc == end) continue;
      for (const auto next : successors(thread, pc))
        if (!reached[next]) {
          reached[next] = true;
          open.push_back(next);
        }
    }
    t.points[start].in_loop = reached[start];
    any |= reached[start];
  }
  return any;
}

bool jumps(const Thread& thread) {
  return std::any_of(thread.code.begin(), thread.code.end(),
                     [](const Instruction& i) { return is_control(i.op); });
}

BufferThread prepare_thread(const Test& test, std::size_t index, const BufferRules& rules, Values& values,
                            BufferProgram& program, bool keep_dead) {
  const Thread& thread = test.threads[index];
  BufferThread t;
  t.points.resize(thread.code.size() + 1);
  t.cell.assign(thread.registers.size(), no_cell);
  Registers written;
  for (const Instruction& i : thread.code) written |= written_by(i);
  t.pc = program.cells++;
  for (std::size_t r = 0; r < thread.registers.size(); ++r) {
    if (!written.test(r)) continue;
    t.written.push_back(static_cast<Register>(r));
    t.cell[r] = program.cells++;
  }
  bool reserves = false;
  for (std::size_t pc = 0; pc < thread.code.size(); ++pc) {
    const Instruction& i = thread.code[pc];
    Point& p = t.points[pc];
    p.step = step_of(i, rules);
    reserves |= i.reserve || i.op == Op::store_conditional;
    if (!is_memory(i.op)) continue;
    resolve(test, thread, t, i, p, values);
    own_words(test, t, i, p);
  }
  if (reserves) {
    t.reservation = program.cells;
    program.cells += 2;
  }
  if (jumps(thread)) program.loops |= find_loops(thread, t);
  flow_back(test, index, t, keep_dead);
  if (rules.buffer == BufferRules::Buffer::none) return t;
  bool loops = false;
  for (std::size_t pc = 0; pc < thread.code.size(); ++pc) {
    const Point& p = t.points[pc];
    const bool enters = p.step == Step::store || p.step == Step::marker || p.step == Step::barrier ||
                        (p.step == Step::atomic && !rules.atomics_write_through);
    t.capacity += enters ? 1 + thread.code[pc].release : 0;  // a release has a marker before it
    loops |= enters && p.in_loop;
  }
  if (loops) t.capacity += loop_entries;
  t.buffer = program.cells;
  program.cells += 1 + 2 * t.capacity;
  return t;
}

}  // namespace

BufferProgram prepare(const Test& test, const BufferRules& rules, Values& values, bool keep_dead) {
  BufferProgram program;
  program.words = static_cast<std::uint32_t>(test.locations.size());
  program.cells = program.words;
  for (const Observable& o : test.observables)
    if (!o.is_register) program.observed |= word_bit(o.index);
  if (keep_dead) program.observed = ~WordSet{0};
  for (std::size_t t = 0; t < test.threads.size(); ++t)
    program.threads.push_back(prepare_thread(test, t, rules, values, program, keep_dead));
  return program;
}

}  // namespace mesim::litmus::operational
