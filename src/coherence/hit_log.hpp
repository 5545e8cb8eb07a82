// What hits change in a core's private caches while the core goes ahead of the messages that may still come:
// the words before each hit, so that they can be put back in reverse order. A message about a line that is
// not in the log commutes with all that was done ahead.
#pragma once
#include <array>
#include <cstdint>

#include "cache/geometry.hpp"

namespace mesim {

// The parts of undoing, for tests that leave one out and must notice.
enum class Undo : std::uint8_t { all, without_states, without_replacement, without_counters, without_buffer };

template <class Value>
class HitLog {
 public:
  static constexpr std::uint32_t capacity = 128;

  struct Entry {
    std::uint64_t replacement;  // the word of the array that was touched
    Slot slot;                  // where the line's state stands
    std::uint8_t array;         // that `slot` is of
    std::uint8_t filter;        // that `near` is of
    std::uint8_t state;
    std::uint8_t near_state;  // at `near`
    [[no_unique_address]] Value value;
  };

  bool on() const { return on_; }
  bool full() const { return count_ == capacity; }
  // To add entries by hand: from `next` on, before `end_of_room`.
  Entry* next() { return &entries_[count_]; }
  const Entry* end_of_room() const { return entries_.data() + capacity; }
  void added_before(const Entry* end) { count_ = static_cast<std::uint32_t>(end - entries_.data()); }
  void begin() {
    on_ = true;
    count_ = 0;
  }
  void end() { on_ = false; }
  // The next entry, to be filled in by who adds it.
  Entry& add() { return entries_[count_++]; }
  // Where the entry's line stands in the L1 that filters, if there is one.
  Slot& near(const Entry& entry) { return near_[static_cast<std::size_t>(&entry - entries_.data())]; }
  // What a log of sharing had of the entry's slot, for those who keep one.
  std::uint64_t& stored(const Entry& entry) {
    return stored_[static_cast<std::size_t>(&entry - entries_.data())];
  }
  // Whether the line that stands there is in the log: hits move no line.
  bool touches(std::uint8_t array, Slot slot) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (entries_[i].slot == slot && entries_[i].array == array) return true;
    }
    return false;
  }
  Entry& last() { return entries_[count_ - 1]; }
  // Calls undo(entry) for each, the last first.
  template <class F>
  void for_each_reversed(F undo) const {
    for (std::uint32_t i = count_; i-- > 0;) undo(entries_[i]);
  }

 private:
  bool on_ = false;
  std::uint32_t count_ = 0;
  std::array<Entry, capacity> entries_;
  std::array<Slot, capacity> near_;
  std::array<std::uint64_t, capacity> stored_;
};

}  // namespace mesim
