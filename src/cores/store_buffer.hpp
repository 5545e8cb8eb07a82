// Stores that have left the window and are not in the cache yet.
//
// They leave in order (fifo; lines may be asked for ahead), or as lines come (any): then a store waits only
// for older ones of its line, and for those of earlier epochs, which fences between stores begin. Stores may
// be joined: an entry then stands for several, which reach the cache at once. After Sorin, Hill, Wood and
// Nagarajan, "A Primer on Memory Consistency and Cache Coherence", 2nd ed., sections 4.4 and 5.2.
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "cores/core_config.hpp"
#include "sim/digest.hpp"
#include "sim/units.hpp"

namespace mesim {

struct BufferedStore {
  std::uint64_t address = 0;
  std::uint64_t value = 0;
  std::uint64_t epoch = 0;
  Cycles begin = 0;  // of its miss
  Cycles ready = 0;  // before this cycle it stays
  std::uint32_t pc = 0;
  std::uint16_t size = 0;
  std::uint8_t slot = 0;  // names it while it waits for its line
  bool second_part = false;
  bool waiting = false;  // for its line, to be performed with it
  bool ahead = false;    // for its line, to be performed when its turn comes
  bool owned = false;    // its line has come ahead
  bool refused = false;

  bool overlaps(std::uint64_t a, std::uint64_t n) const { return address < a + n && a < address + size; }
  bool contains(std::uint64_t a, std::uint64_t n) const { return address <= a && a + n <= address + size; }
  // The bytes of [a, a + n), which it contains, low first.
  std::uint64_t bytes(std::uint64_t a, std::uint64_t n) const {
    const std::uint64_t shifted = a - address < 8 ? value >> 8 * (a - address) : 0;
    return n >= 8 ? shifted : shifted & ((std::uint64_t{1} << 8 * n) - 1);
  }
};

class StoreBuffer {
 public:
  enum class Coalescing : std::uint8_t { none, adjacent, any };

  StoreBuffer(std::uint32_t capacity, std::uint64_t line_bytes, Coalescing coalescing)
      : capacity_(std::max(capacity, 1u)), line_bytes_(line_bytes), coalescing_(coalescing) {}

  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  // By age, the oldest first.
  BufferedStore& operator[](std::uint32_t index) { return stores_[index]; }
  const BufferedStore& operator[](std::uint32_t index) const { return stores_[index]; }

  // Stores that come from now on leave after all that are here.
  void begin_epoch() { ++epoch_; }
  // No store of an earlier epoch is left.
  bool in_epoch() const { return count_ == 0 || stores_[0].epoch == epoch_; }

  // Takes a store in; false if there is no room.
  bool push(BufferedStore store) {
    store.epoch = epoch_;
    if (coalescing_ != Coalescing::none && join(store)) return true;
    if (count_ == capacity_) return false;
    store.slot = static_cast<std::uint8_t>(std::countr_one(used_));
    used_ |= 1u << store.slot;
    stores_[count_++] = store;
    return true;
  }
  void remove(std::uint32_t index) {
    used_ &= ~(1u << stores_[index].slot);
    std::copy(&stores_[index + 1], &stores_[count_], &stores_[index]);
    --count_;
  }
  std::uint32_t index_of_slot(std::uint8_t slot) const {
    std::uint32_t index = 0;
    while (stores_[index].slot != slot) ++index;
    return index;
  }

  // Whether a store may reach the cache before all older ones, in a buffer that keeps no order but that of
  // lines and epochs.
  bool may_pass(std::uint32_t index) const {
    const BufferedStore& store = stores_[index];
    return store.epoch == stores_[0].epoch && !follows(index);
  }
  // An older store has asked for the same line, or will.
  bool follows(std::uint32_t index) const {
    for (std::uint32_t older = 0; older < index; ++older) {
      if (line(stores_[older].address) == line(stores_[index].address)) return true;
    }
    return false;
  }
  bool has_line(std::uint64_t address) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (line(stores_[i].address) == line(address)) return true;
    }
    return false;
  }
  void allow_refused() {
    for (std::uint32_t i = 0; i < count_; ++i) stores_[i].refused = false;
  }
  void clear() { count_ = used_ = 0, epoch_ = 0; }

  void digest(Digest& digest) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      digest.add(stores_[i].address);
      digest.add(stores_[i].value);
      digest.add(stores_[i].waiting);
      digest.add(stores_[i].ahead);
      digest.add(stores_[i].owned);
      digest.add(stores_[i].refused);
    }
  }

 private:
  std::uint64_t line(std::uint64_t address) const { return address / line_bytes_; }

  bool join(const BufferedStore& store) {
    for (std::uint32_t i = count_; i-- > 0;) {
      BufferedStore& old = stores_[i];
      if (old.epoch == epoch_ && !old.waiting && joined(old, store)) return true;
      // a store must not come before an older one of its own bytes
      if (coalescing_ == Coalescing::adjacent || old.overlaps(store.address, store.size)) return false;
    }
    return false;
  }

  // Makes `old` stand for both, if they touch or overlap within an aligned block of 8 bytes.
  static bool joined(BufferedStore& old, const BufferedStore& store) {
    const std::uint64_t begin = std::min(old.address, store.address);
    const std::uint64_t end = std::max(old.address + old.size, store.address + store.size);
    if (begin / 8 != (end - 1) / 8 || store.address > old.address + old.size ||
        old.address > store.address + store.size) {
      return false;
    }
    const auto mask = [](std::uint64_t size) {
      return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
    };
    const unsigned old_shift = static_cast<unsigned>(8 * (old.address - begin));
    const unsigned new_shift = static_cast<unsigned>(8 * (store.address - begin));
    const std::uint64_t kept = (old.value & mask(old.size)) << old_shift & ~(mask(store.size) << new_shift);
    old.value = kept | (store.value & mask(store.size)) << new_shift;
    old.address = begin;
    old.size = static_cast<std::uint16_t>(end - begin);
    return true;
  }

  std::uint32_t capacity_;
  std::uint64_t line_bytes_;
  Coalescing coalescing_;
  std::array<BufferedStore, CoreConfig::max_store_buffer + 1> stores_{};
  std::uint32_t count_ = 0;
  std::uint32_t used_ = 0;
  std::uint64_t epoch_ = 0;
};

}  // namespace mesim
