// The window of an out-of-order core: the instructions between entering and retiring, in program order, with
// the values that they wait for. A register names the youngest instruction that writes it; an instruction
// that is done hands its value to those that wait for it, which stand in a list through their own entries,
// the youngest first. After Tomasulo, "An efficient algorithm for exploiting multiple arithmetic units", IBM
// Journal 1967, and Smith and Pleszkun, "Implementing precise interrupts in pipelined processors", 1988
// (reorder buffer).
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "cores/micro_op.hpp"
#include "sim/units.hpp"

namespace mesim {

struct WindowEntry {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  MicroOp op;
  std::uint64_t number = 0;  // place in program order; given again after a squash
  std::uint64_t stamp = 0;   // never given again
  std::uint64_t address = 0;
  std::uint64_t result = 0;
  std::array<std::uint64_t, 3> operands{};
  Cycles done_at = never;  // when the result can be used
  Cycles begin = 0;        // of its miss
  std::uint32_t first_consumer = none;
  std::array<std::uint32_t, MicroOp::source_count> next_consumer{};
  std::uint16_t token = 0;
  std::uint16_t conflict = 0;  // of a hit: so long of its latency it waited for a bank
  std::uint8_t missing = 0;    // sources without value, by bit
  bool address_known = false;  // of an access
  bool done = false;           // has its result
  bool issued = false;
  bool performed = false;        // of a load: its value is bound
  bool forwarded = false;        // from an older store
  bool waiting = false;          // for its line
  bool refused = false;          // by the cache, until something arrives
  bool first_in_order = false;   // of a miss: everything it must come after was performed when it began
  bool lost = false;             // its line was lost since it was performed
  bool predicted_taken = false;  // of a program's branch
  bool in_buffer = false;        // of a store that is performed before it retires
  std::uint32_t history = 0;     // of the predictor before this branch
};

class Window {
 public:
  explicit Window(std::uint32_t places)
      : places_(places), mask_(std::bit_ceil(places) - 1), entries_(mask_ + std::size_t{1}) {
    producers_.fill(nobody);
  }

  bool empty() const { return head_ == tail_; }
  std::uint64_t head() const { return head_; }
  std::uint64_t tail() const { return tail_; }
  WindowEntry& at(std::uint64_t number) { return entries_[number & mask_]; }
  const WindowEntry& at(std::uint64_t number) const { return entries_[number & mask_]; }
  WindowEntry& front() { return at(head_); }
  std::uint32_t room() const { return places_ - used_; }
  // The entry with that stamp, if it is still here.
  WindowEntry* find(std::uint64_t number, std::uint64_t stamp) {
    return number >= head_ && number < tail_ && at(number).stamp == stamp ? &at(number) : nullptr;
  }

  // Takes `op` in, of `plain` operations `count` instructions.
  WindowEntry& enter(const MicroOp& op, std::uint32_t count) {
    WindowEntry& e = at(tail_);
    const std::uint64_t number = tail_++;
    used_ += count;
    e = WindowEntry{};
    e.op = op;
    e.op.count = count;
    e.number = number;
    e.stamp = ++stamps_;
    for (std::size_t source = 0; source < MicroOp::source_count; ++source) read(e, source);
    for (const RegisterId id : op.destinations) {
      producers_[id] = id == 0 ? nobody : number;
      written_ = std::max<std::uint32_t>(written_, id);
    }
    return e;
  }

  // The result is there: those that wait get it. Calls ready(entry) for each that now has what it needs, and
  // for stores whose address is known now.
  template <class Ready>
  void complete(WindowEntry& e, Ready ready) {
    e.done = true;
    std::uint32_t at = e.first_consumer;
    e.first_consumer = WindowEntry::none;
    while (at != WindowEntry::none) {
      WindowEntry& consumer = entries_[at / sources];
      const unsigned source = at % sources;
      at = consumer.next_consumer[source];
      consumer.missing &= static_cast<std::uint8_t>(~(1u << source));
      if (source < consumer.operands.size()) consumer.operands[source] = e.result;
      if (consumer.missing == 0 || source == MicroOp::index_source) ready(consumer);
    }
  }

  // The oldest leaves; its results are the registers' from now on.
  void retire() {
    WindowEntry& e = front();
    for (const RegisterId id : e.op.destinations) {
      if (id == 0) continue;
      registers_[id] = e.result;
      if (producers_[id] == e.number) producers_[id] = nobody;
    }
    used_ -= e.op.count;
    ++head_;
  }
  // Of a `plain` entry some instructions leave.
  void retire_part(std::uint32_t count) {
    front().op.count -= count;
    used_ -= count;
  }

  // Everything from `number` on is forgotten.
  void squash(std::uint64_t number) {
    for (std::uint64_t n = number; n < tail_; ++n) used_ -= at(n).op.count;
    tail_ = number;
    forget_producers();
    for (std::uint64_t n = head_; n < tail_; ++n) {
      WindowEntry& e = at(n);
      while (e.first_consumer != WindowEntry::none && entries_[e.first_consumer / sources].number >= number) {
        const std::uint32_t gone = e.first_consumer;
        e.first_consumer = entries_[gone / sources].next_consumer[gone % sources];
      }
      for (const RegisterId id : e.op.destinations) {
        if (id != 0) producers_[id] = n;
      }
    }
  }

  // Whether a register's value is there, and which.
  bool value_of(RegisterId id, std::uint64_t& value) const {
    const std::uint64_t producer = producers_[id];
    if (producer == nobody) {
      value = registers_[id];
      return true;
    }
    value = at(producer).result;
    return at(producer).done;
  }
  void set_register(RegisterId id, std::uint64_t value) {
    registers_[id] = value;
    written_ = std::max<std::uint32_t>(written_, id);
  }

  void clear() {
    head_ = tail_ = stamps_ = used_ = 0;
    forget_producers();
    std::fill_n(registers_.begin(), written_ + std::size_t{1}, 0);
    written_ = 0;
  }
  std::uint32_t index(std::uint64_t number) const { return static_cast<std::uint32_t>(number & mask_); }
  std::uint32_t capacity() const { return mask_ + 1; }

 private:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};
  static constexpr std::uint32_t sources = static_cast<std::uint32_t>(MicroOp::source_count);

  void forget_producers() { std::fill_n(producers_.begin(), written_ + std::size_t{1}, nobody); }

  void read(WindowEntry& e, std::size_t source) {
    const RegisterId id = e.op.sources[source];
    const bool operand = source < e.operands.size();
    if (id == 0) {
      if (source < e.op.values.size()) e.operands[source] = e.op.values[source];
      return;
    }
    const std::uint64_t producer = producers_[id];
    if (producer == nobody) {
      if (operand) e.operands[source] = registers_[id];
      return;
    }
    WindowEntry& from = at(producer);
    if (from.done) {
      if (operand) e.operands[source] = from.result;
      return;
    }
    e.missing |= static_cast<std::uint8_t>(1u << source);
    e.next_consumer[source] = from.first_consumer;
    from.first_consumer = static_cast<std::uint32_t>(index(e.number) * sources + source);
  }

  std::uint32_t places_;
  std::uint32_t mask_;
  std::vector<WindowEntry> entries_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t stamps_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t written_ = 0;  // no register behind this one has been written
  std::array<std::uint64_t, register_ids> producers_{};
  std::array<std::uint64_t, register_ids> registers_{};
};

}  // namespace mesim
