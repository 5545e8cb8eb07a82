// The tags of a set-associative cache as a structure of arrays: of each set the low halves of its tags and
// then the high ones, state byte, replacement. Lines are numbered (address / line_bytes); any line of a
// 64-bit address space is told apart. Everything is plain words, so a copy is a checkpoint and `==` compares
// the whole state. What a hit may change are the words `state(slot)` and `replacement().word(slot)`.
#pragma once
#include <algorithm>
#include <bit>
#include <boost/align/aligned_allocator.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cache/geometry.hpp"
#include "cache/replacement.hpp"
#include "cache/tag_match.hpp"

namespace mesim {

template <class Replacement = AnyReplacement>
class TagArray {
 public:
  // `geometry` within the ranges that its members state, as CacheConfig checks them.
  explicit TagArray(const CacheGeometry& geometry) : TagArray(geometry, Replacement(geometry)) {}
  TagArray(const CacheGeometry& geometry, Replacement replacement)
      : geometry_(checked(geometry)),
        set_bits_(geometry.set_bits()),
        slot_bits_(geometry.slot_bits()),
        quads_((geometry.ways + 3) / 4),
        tags_(2 * geometry.slots(), no_tag),
        state_(geometry.slots(), 0),
        valid_(geometry.sets, 0),
        replacement_(std::move(replacement)) {}

  // Without a line, as a new one, in place.
  void clear(std::uint64_t seed) {
    std::fill(tags_.begin(), tags_.end(), no_tag);
    std::fill(state_.begin(), state_.end(), std::uint8_t{0});
    std::fill(valid_.begin(), valid_.end(), 0);
    replacement_.clear(geometry_, seed);
  }

  const CacheGeometry& geometry() const { return geometry_; }
  std::uint32_t set_of(std::uint64_t line) const {
    return static_cast<std::uint32_t>(line) & (geometry_.sets - 1);
  }
  std::uint32_t set_of_slot(Slot slot) const { return static_cast<std::uint32_t>(slot) >> slot_bits_; }
  std::uint32_t way_of_slot(Slot slot) const {
    return static_cast<std::uint32_t>(slot) & ((1u << slot_bits_) - 1);
  }
  Slot slot_of(std::uint32_t set, std::uint32_t way) const {
    return static_cast<Slot>(set << slot_bits_ | way);
  }

  // All that a lookup reads, side by side, for who looks up often. Good as long as the array lives.
  struct Lookup {
    const std::uint32_t* tags;
    std::uint8_t* state;
    std::uint32_t set_mask;
    std::uint32_t quads;
    std::uint8_t set_bits;
    std::uint8_t slot_bits;

    // Where the line is, or no_slot. Changes nothing.
    [[gnu::always_inline]] inline Slot find(std::uint64_t line) const {
      const std::uint64_t tag = line >> set_bits;
      const std::uint32_t first = (static_cast<std::uint32_t>(line) & set_mask) << slot_bits;
      const std::uint32_t* const low = tags + 2 * std::size_t{first};
      const std::uint32_t* const high = low + (std::size_t{1} << slot_bits);
      std::uint64_t matches = tag_matches(low, quads, static_cast<std::uint32_t>(tag));
      while (matches != 0) {
        const auto way = static_cast<unsigned>(std::countr_zero(matches));
        if (high[way] == static_cast<std::uint32_t>(tag >> 32)) [[likely]]
          return static_cast<Slot>(first + way);
        matches &= matches - 1;
      }
      return no_slot;
    }
  };
  Lookup lookup() { return lookup(state_.data()); }

  // Where the line is, or no_slot. Changes nothing.
  Slot find(std::uint64_t line) const { return lookup(nullptr).find(line); }

  // A hit, for replacement.
  void touch(Slot slot) { replacement_.touch(slot); }

  // The slot that a fill into the set takes: the lowest way without a line, else what replacement says.
  Slot victim(std::uint32_t set) {
    const auto free_way = static_cast<std::uint32_t>(std::countr_one(valid_[set]));
    return slot_of(set, free_way < geometry_.ways ? free_way : replacement_.victim(set));
  }

  // Puts the line there (set_of(line) is the slot's set; the line is nowhere else), state not 0.
  void fill(Slot slot, std::uint64_t line, std::uint8_t state) {
    const auto i = static_cast<std::size_t>(slot);
    const std::uint64_t tag = line >> set_bits_;
    tags_[low_of(slot)] = static_cast<std::uint32_t>(tag);
    tags_[high_of(slot)] = static_cast<std::uint32_t>(tag >> 32);
    state_[i] = state;
    valid_[set_of_slot(slot)] |= std::uint64_t{1} << way_of_slot(slot);
    replacement_.filled(slot);
  }

  void invalidate(Slot slot) {
    const auto i = static_cast<std::size_t>(slot);
    tags_[low_of(slot)] = tags_[high_of(slot)] = no_tag;
    state_[i] = 0;
    valid_[set_of_slot(slot)] &= ~(std::uint64_t{1} << way_of_slot(slot));
  }

  bool valid(Slot slot) const { return state_[static_cast<std::size_t>(slot)] != 0; }
  // Of a valid slot.
  std::uint64_t line_of(Slot slot) const {
    return (std::uint64_t{tags_[high_of(slot)]} << 32 | tags_[low_of(slot)]) << set_bits_ | set_of_slot(slot);
  }
  // 0 without a line; what other values mean is the user's.
  std::uint8_t state(Slot slot) const { return state_[static_cast<std::size_t>(slot)]; }
  // Of a valid slot, to a state that is not 0.
  void set_state(Slot slot, std::uint8_t state) { state_[static_cast<std::size_t>(slot)] = state; }
  // Bit w: way w of the set holds a line.
  std::uint64_t valid_ways(std::uint32_t set) const { return valid_[set]; }

  Replacement& replacement() { return replacement_; }
  const Replacement& replacement() const { return replacement_; }

  friend bool operator==(const TagArray&, const TagArray&) = default;

 private:
  // In both halves of a slot without a line. No line has it: a line number has at most 63 bits.
  static constexpr std::uint32_t no_tag = 0xffffffff;
  template <class Word>
  using Words = std::vector<Word, boost::alignment::aligned_allocator<Word, 64>>;

  Lookup lookup(std::uint8_t* state) const {
    return {tags_.data(),
            state,
            geometry_.sets - 1,
            quads_,
            static_cast<std::uint8_t>(set_bits_),
            static_cast<std::uint8_t>(slot_bits_)};
  }
  std::size_t low_of(Slot slot) const {
    const auto i = static_cast<std::size_t>(slot);
    return i + (i >> slot_bits_ << slot_bits_);
  }
  std::size_t high_of(Slot slot) const { return low_of(slot) + (std::size_t{1} << slot_bits_); }
  static const CacheGeometry& checked(const CacheGeometry& geometry) {
    if (!std::has_single_bit(geometry.sets) || !std::has_single_bit(geometry.line_bytes) ||
        geometry.line_bytes < 2 || geometry.ways < 1 || geometry.ways > 64 ||
        geometry.slots() > std::uint64_t{1} << 31) {
      throw std::invalid_argument("TagArray: geometry outside its ranges");
    }
    return geometry;
  }

  CacheGeometry geometry_;
  std::uint32_t set_bits_;
  std::uint32_t slot_bits_;
  std::uint32_t quads_;
  Words<std::uint32_t> tags_;  // set by set, so that a lookup finds both halves side by side
  Words<std::uint8_t> state_;
  std::vector<std::uint64_t> valid_;
  Replacement replacement_;
};

}  // namespace mesim
