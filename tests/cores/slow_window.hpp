// An obvious out-of-order core: in every cycle it looks at every instruction. What it counts is what the core
// of cores/out_of_order.hpp must count, for memory of a fixed latency.
#pragma once
#include <cstdint>
#include <vector>

namespace mesim::test {

struct SlowOp {
  enum class Kind { plain, compute, load, store };
  Kind kind = Kind::plain;
  std::vector<std::size_t> needs;  // earlier operations whose results it waits for
};

struct SlowWindow {
  std::uint64_t width, retire_width, size, load_queue, load_ports, load_cycles, store_buffer;

  // The cycle after the last thing that happens.
  std::uint64_t cycles(const std::vector<SlowOp>& ops) const {
    constexpr std::uint64_t never = ~std::uint64_t{0};
    std::vector<std::uint64_t> entered(ops.size(), never), result(ops.size(), never);
    std::uint64_t head = 0, tail = 0, buffered = 0;
    for (std::uint64_t now = 0;; ++now) {
      const auto has = [&](std::size_t i) { return result[i] <= now; };
      const auto ready = [&](std::size_t i) {
        for (const std::size_t need : ops[i].needs) {
          if (!has(need)) return false;
        }
        return true;
      };
      // a store has its result when it has its operands
      for (std::uint64_t i = head; i < tail; ++i) {
        if (ops[i].kind == SlowOp::Kind::store && result[i] == never && ready(i)) result[i] = now;
      }
      if (buffered != 0) --buffered;
      for (std::uint64_t n = 0; n < retire_width && head < tail && has(head); ++n) {
        if (ops[head].kind == SlowOp::Kind::store) {
          if (buffered == store_buffer) break;
          ++buffered;
        }
        ++head;
      }
      std::uint64_t issued = 0, loads = 0;
      for (std::uint64_t i = head; i < tail && issued < width; ++i) {
        const bool load = ops[i].kind == SlowOp::Kind::load;
        if (result[i] != never || !ready(i) || (load && loads == load_ports)) continue;
        if (!load && ops[i].kind != SlowOp::Kind::compute) continue;
        result[i] = now + (load ? load_cycles : 1);
        loads += load;
        ++issued;
      }
      for (std::uint64_t n = 0; n < width && tail < ops.size() && tail - head < size; ++n) {
        std::uint64_t in_queue = 0;
        for (std::uint64_t i = head; i < tail; ++i) in_queue += ops[i].kind == SlowOp::Kind::load;
        if (ops[tail].kind == SlowOp::Kind::load && in_queue == load_queue) break;
        if (ops[tail].kind == SlowOp::Kind::plain) result[tail] = now + 1;
        entered[tail++] = now;
      }
      if (head == ops.size() && buffered == 0) return now + 1;
    }
  }
};

}  // namespace mesim::test
