#include "litmus/hardware/program_of_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "litmus/semantics.hpp"

namespace mesim::litmus {
namespace {

// The last registers of a thread are the program's own.
constexpr std::uint8_t own_register = program_registers - 1, other_own_register = own_register - 1,
                       flipped_register = own_register - 2, other_flipped_register = own_register - 3;
constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

mesim::Operand number(std::uint64_t value) { return {false, 0, value}; }
mesim::Operand in_register(std::uint8_t reg) { return {true, reg, 0}; }

}  // namespace

ProgramOfTest::ProgramOfTest(const Test& test, bool weak)
    : test_(test),
      weak_(weak),
      arrays_(
          std::any_of(test.locations.begin(), test.locations.end(),
                      [](const Location& l) { return (l.address - location_base) % location_stride != 0; })),
      scratch_(own_register) {
  Value end = location_base + location_stride;
  for (const Location& l : test.locations) end = std::max(end, l.address + location_stride);
  const auto lines = static_cast<std::uint64_t>(end - location_base + location_stride - 1) / line_bytes;
  result_base_ = Program::data_base + (lines + placements) * line_bytes;
  program_.file = test.file;
  program_.data.resize((lines + placements + test.threads.size() * 4) * line_bytes);
  for (const Thread& t : test.threads)
    if (t.registers.size() > other_flipped_register)
      fail(fmt::format("more than {} registers", other_flipped_register));
  if (test.observables.size() > 32) fail("more than 32 observed values");
  if (!unfit_.empty()) return;
  thread_on_.resize(test.threads.size());
  for (unsigned t = 1; t < test.threads.size(); ++t) {
    dispatch_.push_back(static_cast<std::uint32_t>(program_.code.size()));
    mesim::Instruction& i = emit(Opcode::beq);
    i.a = in_register(thread_register);
    i.b = number(t);
  }
  for (unsigned t = 0; t < test.threads.size(); ++t) {
    if (t != 0) program_.code[dispatch_[t - 1]].target = static_cast<std::uint32_t>(program_.code.size());
    thread(t);
  }
  set_data();
}

mesim::Instruction& ProgramOfTest::emit(Opcode op) {
  mesim::Instruction& i = program_.code.emplace_back();
  i.op = op;
  return i;
}

void ProgramOfTest::thread(unsigned number_of_thread) {
  const Thread& t = test_.threads[number_of_thread];
  for (std::size_t l = 0; l < test_.locations.size(); ++l) warm(l);
  for (std::size_t r = 0; r < t.registers.size(); ++r) {
    if (t.initial[r] == 0) continue;
    mesim::Instruction& i = emit(Opcode::mov);
    i.rd = static_cast<std::uint8_t>(r);
    i.a = number(static_cast<std::uint64_t>(t.initial[r]));
  }
  fence(fence_all, fence_all);
  starts_.push_back(static_cast<std::uint32_t>(program_.code.size()));
  emit(Opcode::delay);
  std::vector<std::uint32_t> place_of(t.code.size() + 1);
  jumps_.clear();
  for (std::size_t at = 0; at < t.code.size(); ++at) {
    place_of[at] = static_cast<std::uint32_t>(program_.code.size());
    if (is_memory(t.code[at].op)) {
      pauses_.push_back(place_of[at]);
      emit(Opcode::delay);
    }
    if (t.code[at].op == Op::jump_register) {
      indirect_jump(t.code[at], number_of_thread, static_cast<std::uint32_t>(at));
    } else {
      instruction(t.code[at]);
    }
  }
  place_of[t.code.size()] = static_cast<std::uint32_t>(program_.code.size());
  for (const auto& [from, target] : jumps_) program_.code[from].target = place_of[target];
  results(number_of_thread);
}

// A jump that a run turns to the load, to the addition of zero, which makes the line the thread's own, or
// behind both.
void ProgramOfTest::warm(std::size_t location) {
  warmings_.push_back({static_cast<std::uint32_t>(program_.code.size())});
  emit(Opcode::jmp);
  mesim::Instruction like;
  like.memory.base =
      static_cast<std::uint64_t>(test_.locations[location].address - location_base) + Program::data_base;
  like.memory.size_bytes = arrays_ ? test_.locations[location].width : 8;
  mesim::Instruction& load = emit(Opcode::ld);
  load.rd = scratch_;
  place(load, like);
  emit(Opcode::jmp).target = static_cast<std::uint32_t>(program_.code.size()) + 1;
  mesim::Instruction& own = emit(Opcode::fadd);
  own.rd = scratch_;
  own.a = number(0);
  place(own, like);
}

void ProgramOfTest::place(mesim::Instruction& access, const mesim::Instruction& like) {
  access.memory = like.memory;
  placed_.push_back(static_cast<std::uint32_t>(&access - program_.code.data()));
  base_.push_back(like.memory.base);
}

void ProgramOfTest::fence(std::uint8_t before, std::uint8_t after) {
  mesim::Instruction& i = emit(Opcode::fence);
  i.before = before;
  i.after = after;
}

// The fewest fences with these orders; a fence of programs orders all kinds before it before all behind it.
void ProgramOfTest::fences(std::uint8_t orders) {
  const auto after = [&](unsigned load, unsigned store) {
    return static_cast<std::uint8_t>(((orders & load) != 0 ? fence_loads : 0) |
                                     ((orders & store) != 0 ? fence_stores : 0));
  };
  const std::uint8_t behind_loads = after(load_load, load_store);
  const std::uint8_t behind_stores = after(store_load, store_store);
  if (behind_loads == behind_stores && behind_loads != 0) return fence(fence_all, behind_loads);
  if (behind_loads != 0) fence(fence_loads, behind_loads);
  if (behind_stores != 0) fence(fence_stores, behind_stores);
}

void ProgramOfTest::instruction(const Instruction& i) {
  switch (i.op) {
    case Op::nothing:
      break;
    case Op::compute:
      computation(i);
      break;
    case Op::load:
    case Op::store:
    case Op::rmw:
    case Op::store_conditional:
      // in order with everything, which weak cores have to be told; the others do it by themselves
      if (i.locked && weak_) fence(fence_all, fence_all);
      if (i.release && !i.locked) fence(fence_all, may_read(i.op) ? fence_all : fence_stores);
      memory_access(i);
      if (i.locked && weak_) fence(fence_all, fence_all);
      if (i.acquire && !i.locked) fence(may_write(i.op) ? fence_all : fence_loads, fence_all);
      break;
    case Op::fence:
      fences(i.orders);
      break;
    case Op::branch:
      branch(i.condition, operand(i.a), operand(i.b));
      jump_to(i.target);
      break;
    case Op::jump:
      emit(Opcode::jmp);
      jump_to(i.target);
      break;
    case Op::jump_register:
      break;  // indirect_jump
  }
}

// The last instruction goes to this one of the thread.
void ProgramOfTest::jump_to(std::uint32_t target) {
  jumps_.emplace_back(static_cast<std::uint32_t>(program_.code.size()) - 1, target);
}

mesim::Instruction& ProgramOfTest::branch(Compare condition, mesim::Operand a, mesim::Operand b) {
  static constexpr std::array compares = {Opcode::beq, Opcode::bne, Opcode::blt, Opcode::ble,
                                          Opcode::bgt, Opcode::bge, Opcode::blt, Opcode::bge};
  static_assert(static_cast<std::size_t>(Compare::greater_equal_unsigned) + 1 == compares.size());
  if (condition > Compare::greater_equal) {
    a = flipped(a, flipped_register);
    b = flipped(b, other_flipped_register);
  }
  mesim::Instruction& branch = emit(compares[static_cast<std::size_t>(condition)]);
  branch.a = a;
  branch.b = b;
  return branch;
}

// With the top bit turned, in `reg`: so numbers without sign compare as numbers with one.
mesim::Operand ProgramOfTest::flipped(const mesim::Operand& value, std::uint8_t reg) {
  mesim::Instruction& flip = emit(Opcode::bit_xor);
  flip.rd = reg;
  flip.a = value;
  flip.b = number(top_bit);
  return in_register(reg);
}

// A ladder of branches, one for each instruction that the register may name: all that comes behind depends on
// it as on a branch. What names none ends the thread.
void ProgramOfTest::indirect_jump(const Instruction& i, unsigned thread, std::uint32_t at) {
  compute(Alu::second, 8, scratch_, {}, operand(i.a));
  if (i.dst != no_register)
    compute(Alu::second, 8, reg(i.dst), {}, number(static_cast<std::uint64_t>(code_address(thread, at + 1))));
  const auto end = static_cast<std::uint32_t>(test_.threads[thread].code.size());
  for (std::uint32_t target = 0; target < end; ++target) {
    branch(Compare::equal, in_register(scratch_),
           number(static_cast<std::uint64_t>(code_address(thread, target) - i.offset)));
    jump_to(target);
  }
  emit(Opcode::jmp);
  jump_to(end);
}

void ProgramOfTest::memory_access(const Instruction& i) {
  mesim::Instruction like;
  // a register holds an address of the test
  like.memory.base = Program::data_base - static_cast<std::uint64_t>(location_base) +
                     static_cast<std::uint64_t>(i.offset + (i.address.is_register() ? 0 : i.address.number));
  like.memory.has_register = i.address.is_register();
  if (i.address.is_register()) like.memory.reg = reg(i.address.reg);
  like.memory.size_bytes = arrays_ ? i.width : 8;
  const std::uint8_t to = i.dst == no_register ? scratch_ : reg(i.dst);
  const auto access = [&](Opcode op) -> mesim::Instruction& {
    mesim::Instruction& out = emit(op);
    out.rd = to;
    out.a = operand(i.a);
    place(out, like);
    return out;
  };
  switch (i.op) {
    case Op::load:
      access(i.reserve ? Opcode::ll : Opcode::ld);
      if (i.zero_extend && i.width < 8)
        compute(Alu::bit_and, 8, to, in_register(to), number((std::uint64_t{1} << 8 * i.width) - 1));
      break;
    case Op::store:
      access(Opcode::st);
      break;
    case Op::store_conditional: {
      access(Opcode::sc);
      mesim::Instruction& turned = emit(Opcode::bit_xor);  // 1 is success here, 0 in the test
      turned.rd = to;
      turned.a = in_register(to);
      turned.b = number(1);
      break;
    }
    default: {
      if (i.alu != Alu::second && i.alu != Alu::add) return changed(i, like);
      if (i.compares && i.flags != no_register) {  // the comparison may be with the destination
        mesim::Instruction& copy = emit(Opcode::mov);
        copy.rd = other_own_register;
        copy.a = operand(i.compare);
      }
      mesim::Instruction& out = access(i.compares          ? Opcode::cas
                                       : i.alu == Alu::add ? Opcode::fadd
                                                           : Opcode::swap);
      if (i.compares) {
        out.a = operand(i.compare);
        out.b = operand(i.a);
      }
      if (i.flags == no_register) break;
      if (i.compares) {
        compute(Alu::subtract, i.width, reg(i.flags), in_register(other_own_register), in_register(to));
      } else {
        fail("the flags of an atomic without comparison");
      }
    }
  }
}

// An atomic that the cores lack, as a loop that compares and swaps: the swap that succeeds is the atomic.
//   retry: ld t, PLACE    new = t op VALUE    new = cas PLACE, t, new    bne new, t, retry    mov TO, new
void ProgramOfTest::changed(const Instruction& i, const mesim::Instruction& like) {
  if (i.flags != no_register || i.compares) return fail("the flags of an atomic without comparison");
  const std::uint8_t old = scratch_, made = other_own_register;
  const auto retry = static_cast<std::uint32_t>(program_.code.size());
  mesim::Instruction& load = emit(Opcode::ld);
  load.rd = old;
  place(load, like);
  const mesim::Operand value = operand(i.a);
  if (i.alu >= Alu::minimum) {
    if (arrays_) return fail("the least or most of words that share a line");
    compute(Alu::second, 8, made, {}, in_register(old));
    const bool least = i.alu == Alu::minimum || i.alu == Alu::minimum_unsigned;
    const bool without_sign = i.alu >= Alu::minimum_unsigned;
    // keeps the old one if it is as good
    mesim::Instruction& keep =
        least ? branch(without_sign ? Compare::less_unsigned : Compare::less, in_register(old), value)
              : branch(without_sign ? Compare::greater_equal_unsigned : Compare::greater_equal,
                       in_register(old), value);
    keep.target = static_cast<std::uint32_t>(program_.code.size()) + 1;
    compute(Alu::second, 8, made, {}, value);
  } else if (i.alu == Alu::bit_and || i.alu == Alu::bit_or || i.alu == Alu::bit_xor) {
    compute(i.alu, 8, made, in_register(old), value);
  } else {
    return fail("an atomic that the cores lack");
  }
  mesim::Instruction& swap = emit(Opcode::cas);
  swap.rd = made;
  swap.a = in_register(old);
  swap.b = in_register(made);
  place(swap, like);
  mesim::Instruction& again = emit(Opcode::bne);
  again.a = in_register(made);
  again.b = in_register(old);
  again.target = retry;
  // from the swap, which the instructions behind it depend on
  if (i.dst != no_register) compute(Alu::second, 8, reg(i.dst), {}, in_register(made));
}

void ProgramOfTest::computation(const Instruction& i) {
  const std::uint8_t to = i.dst != no_register     ? reg(i.dst)
                          : i.flags != no_register ? reg(i.flags)
                                                   : scratch_;
  compute(i.alu, i.width, to, operand(i.a), operand(i.b));
  if (i.dst != no_register && i.flags != no_register) {
    mesim::Instruction& copy = emit(Opcode::mov);
    copy.rd = reg(i.flags);
    copy.a = in_register(to);
  }
}

void ProgramOfTest::compute(Alu alu, unsigned width, std::uint8_t to, const mesim::Operand& a,
                            const mesim::Operand& b) {
  static constexpr std::array<std::pair<Alu, Opcode>, 7> known = {{{Alu::second, Opcode::mov},
                                                                   {Alu::add, Opcode::add},
                                                                   {Alu::subtract, Opcode::sub},
                                                                   {Alu::bit_and, Opcode::bit_and},
                                                                   {Alu::bit_or, Opcode::bit_or},
                                                                   {Alu::bit_xor, Opcode::bit_xor},
                                                                   {Alu::shift_left, Opcode::shl}}};
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == alu; });
  if (found == known.end()) return fail("a computation that the cores lack");
  mesim::Instruction& i = emit(found->second);
  i.rd = to;
  i.a = alu == Alu::second ? b : a;
  i.b = b;
  if (width < 8 && (alu == Alu::add || alu == Alu::subtract || alu == Alu::shift_left)) sign_extend(to);
}

// (v & 0xffffffff ^ 0x80000000) - 0x80000000
void ProgramOfTest::sign_extend(std::uint8_t r) {
  constexpr std::uint64_t sign = 0x80000000;
  for (const auto& [op, value] : {std::pair{Opcode::bit_and, std::uint64_t{0xffffffff}},
                                  std::pair{Opcode::bit_xor, sign}, std::pair{Opcode::sub, sign}}) {
    mesim::Instruction& i = emit(op);
    i.rd = r;
    i.a = in_register(r);
    i.b = number(value);
  }
}

void ProgramOfTest::results(unsigned thread) {
  fence(fence_all, fence_all);
  for (std::size_t o = 0; o < test_.observables.size(); ++o) {
    const Observable& observable = test_.observables[o];
    if (!observable.is_register || observable.thread != thread) continue;
    mesim::Instruction& store = emit(Opcode::st);
    store.a = in_register(reg(static_cast<Register>(observable.index)));
    store.memory.base = address(o);
    store.memory.size_bytes = 8;
  }
  emit(Opcode::halt);
}

std::uint64_t ProgramOfTest::address(std::size_t o) const {
  const Observable& observable = test_.observables[o];
  if (!observable.is_register) return address_of_location(observable.index);
  return result_base_ + observable.thread * 4 * line_bytes + (o % 32) * 8;
}

std::uint32_t ProgramOfTest::size(std::size_t o) const {
  const Observable& observable = test_.observables[o];
  return observable.is_register || !arrays_ ? 8 : test_.locations[observable.index].width;
}

std::uint64_t ProgramOfTest::address_of_location(std::size_t location) const {
  return Program::data_base + static_cast<std::uint64_t>(test_.locations[location].address - location_base) +
         shift_;
}

void ProgramOfTest::set_data() {
  std::fill(program_.data.begin(), program_.data.end(), std::uint8_t{0});
  for (std::size_t l = 0; l < test_.locations.size(); ++l) {
    const Value initial = test_.locations[l].initial;
    std::memcpy(&program_.data[address_of_location(l) - Program::data_base], &initial,
                arrays_ ? test_.locations[l].width : 8);
  }
}

TimesDrawn ProgramOfTest::times(Random& random) {
  static constexpr std::array<std::uint32_t, 5> message_scales = {0, 0, 6, 40, 200};
  static constexpr std::array<std::uint32_t, 5> drain_scales = {0, 0, 10, 80, 300};
  return {message_scales[random.below(message_scales.size())],
          drain_scales[random.below(drain_scales.size())]};
}

// Mixtures that change from run to run, so that both close races and long distances occur.
void ProgramOfTest::vary(Random& random) {
  static constexpr std::array<std::uint64_t, 5> pause_scales = {0, 8, 60, 250, 600};
  static constexpr std::array<std::uint64_t, 4> start_scales = {1, 40, 200, 600};
  const std::uint64_t pause = pause_scales[random.below(pause_scales.size())];
  const std::uint64_t start = start_scales[random.below(start_scales.size())];
  for (const std::uint32_t at : starts_) program_.code[at].a = number(random.below(start));
  for (const std::uint32_t at : pauses_)
    program_.code[at].a = number(pause == 0 || random.chance(0.5) ? 0 : random.below(pause));
  for (const Warming& w : warmings_) {
    const auto kind = random.below(4);  // half of them stay cold
    program_.code[w.jump].target = w.jump + (kind == 0 ? 1 : kind == 1 ? 3 : 4);
  }
  std::iota(thread_on_.begin(), thread_on_.end(), std::size_t{0});
  for (std::size_t left = thread_on_.size(); left > 1; --left)
    std::swap(thread_on_[left - 1], thread_on_[random.below(left)]);
  for (std::size_t core = 0; core < thread_on_.size(); ++core) {
    if (thread_on_[core] != 0) program_.code[dispatch_[thread_on_[core] - 1]].b = number(core);
  }
  shift_ = random.below(placements) * line_bytes;
  for (std::size_t p = 0; p < placed_.size(); ++p) program_.code[placed_[p]].memory.base = base_[p] + shift_;
  set_data();
}

}  // namespace mesim::litmus
