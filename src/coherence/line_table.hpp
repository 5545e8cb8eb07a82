// What a home knows of its lines, by line number: open addressing with linear probing in a table half full at
// most, entries beside it, so that looking a line up touches two lines of the host's memory and forgetting it
// moves no entry. Algorithms L and R of Knuth, "The Art of Computer Programming", volume 3, section 6.4.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mesim {

template <class Entry>
class LineTable {
 public:
  LineTable() { clear(); }

  // Its entry, or null. Entries stay where they are until the next one is added.
  Entry* find(std::uint64_t line) {
    const Slot& slot = slots_[place_of(line)];
    return slot.line == line ? &entries_[slot.entry] : nullptr;
  }
  const Entry* find(std::uint64_t line) const { return const_cast<LineTable*>(this)->find(line); }

  // Its entry, a new one if there is none; `fresh` says so.
  struct Found {
    Entry& entry;
    bool fresh;
  };
  Found find_or_add(std::uint64_t line) {
    Slot& slot = slots_[place_of(line)];
    if (slot.line == line) return {entries_[slot.entry], false};
    return {add(slot, line), true};
  }

  // Of a line that has an entry.
  void erase(std::uint64_t line) {
    std::size_t hole = place_of(line);
    free_.push_back(slots_[hole].entry);
    for (std::size_t at = next(hole); slots_[at].line != nothing; at = next(at)) {
      // what would be found no more if the hole stayed goes into it
      if (((at - home_of(slots_[at].line)) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].line = nothing;
  }

  std::size_t size() const { return entries_.size() - free_.size(); }
  void clear() {
    entries_.clear();
    free_.clear();
    slots_.assign(64, Slot{});
    resized();
  }
  // visit(line, entry), in no order that means anything.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.line != nothing) visit(slot.line, entries_[slot.entry]);
    }
  }

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};  // no line has this number
  struct Slot {
    std::uint64_t line = nothing;
    std::uint32_t entry = 0;
  };

  void resized() {
    mask_ = slots_.size() - 1;
    shift_ = 64 - static_cast<unsigned>(std::bit_width(mask_));
  }
  std::size_t home_of(std::uint64_t line) const {
    return static_cast<std::size_t>(line * 0x9e3779b97f4a7c15ULL >> shift_);  // Fibonacci hashing, ibidem
  }
  std::size_t next(std::size_t at) const { return (at + 1) & mask_; }
  // Where the line is or would be put.
  std::size_t place_of(std::uint64_t line) const {
    std::size_t at = home_of(line);
    while (slots_[at].line != line && slots_[at].line != nothing) at = next(at);
    return at;
  }
  Entry& add(Slot& slot, std::uint64_t line) {
    if (free_.empty()) [[unlikely]]
      return entries_[grow(line)];
    slot = {line, free_.back()};
    free_.pop_back();
    return entries_[slot.entry] = Entry{};
  }
  // One more entry than ever before; returns its number.
  [[gnu::cold, gnu::noinline]] std::uint32_t grow(std::uint64_t line) {
    const auto number = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
    if (2 * entries_.size() > slots_.size()) {
      const std::vector<Slot> before = std::move(slots_);
      slots_.assign(2 * before.size(), Slot{});
      resized();
      for (const Slot& slot : before) {
        if (slot.line != nothing) slots_[place_of(slot.line)] = slot;
      }
    }
    slots_[place_of(line)] = {line, number};
    return number;
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;  // of the entries
};

}  // namespace mesim
