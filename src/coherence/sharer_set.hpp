// Which caches may hold a line. The home's table asks only the questions of FullMap, so a directory format is
// a type with these members. A format may over-approximate, that is hold caches that have no copy, but never
// miss one that has. Nodes that are no caches (the home, DMA agents) are never members.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace mesim {

// One bit a cache, exact, up to 64 caches (Censier and Feautrier, 1978).
class FullMap {
 public:
  static constexpr std::uint16_t capacity = 64;

  void add(std::uint16_t cache) { bits_ |= bit(cache); }
  void remove(std::uint16_t cache) { bits_ &= ~bit(cache); }
  void clear() { bits_ = 0; }
  bool contains(std::uint16_t cache) const { return (bits_ & bit(cache)) != 0; }
  bool empty() const { return bits_ == 0; }
  // Can take in `cache` without giving up another.
  bool has_room(std::uint16_t) const { return true; }
  // The one to give up where there is no room.
  std::uint16_t victim() const { return static_cast<std::uint16_t>(std::countr_zero(bits_)); }
  // How many there are beside `cache`, which need not be one.
  std::uint16_t count_without(std::uint16_t cache) const {
    return static_cast<std::uint16_t>(std::popcount(bits_ & ~bit(cache)));
  }
  // In ascending order, leaving out `without`.
  template <class Visit>
  void for_each(std::uint16_t without, Visit visit) const {
    for (std::uint64_t left = bits_ & ~bit(without); left != 0; left &= left - 1) {
      visit(static_cast<std::uint16_t>(std::countr_zero(left)));
    }
  }
  bool operator==(const FullMap&) const = default;

 private:
  static constexpr std::uint64_t bit(std::uint16_t cache) {
    return cache < capacity ? std::uint64_t{1} << cache : 0;
  }
  std::uint64_t bits_ = 0;
};

// A few pointers to caches (Agarwal, Simoni, Hennessy and Horowitz: An Evaluation of Directory Schemes for
// Cache Coherence, 1988). One sharer more than there are pointers: either all caches count as sharers until
// the line is invalidated (Dir_i B), or the home has to give up the oldest (Dir_i NB).
class LimitedPointers {
 public:
  static constexpr std::uint8_t most_pointers = 8;
  enum class Overflow : std::uint8_t { broadcast, give_up_oldest };

  LimitedPointers(std::uint16_t caches, std::uint8_t pointers, Overflow overflow)
      : caches_(caches), limit_(std::min(pointers, most_pointers)), overflow_(overflow) {}

  void add(std::uint16_t cache) {
    if (cache >= caches_ || contains(cache)) return;
    if (count_ == limit_) {
      // without broadcast the table gives up the victim first
      if (overflow_ == Overflow::broadcast) everybody();
      return;
    }
    pointers_[count_++] = cache;
    // without broadcast their age matters, with it only who they are
    if (overflow_ == Overflow::broadcast) std::sort(pointers_.begin(), pointers_.begin() + count_);
  }
  void remove(std::uint16_t cache) {
    const auto end = std::remove(pointers_.begin(), pointers_.begin() + count_, cache);
    count_ = static_cast<std::uint8_t>(end - pointers_.begin());
  }
  void clear() {
    count_ = 0;
    everybody_ = false;
  }
  bool contains(std::uint16_t cache) const {
    const auto members = pointers();
    return everybody_ ? cache < caches_ : std::find(members.begin(), members.end(), cache) != members.end();
  }
  bool empty() const { return count_ == 0 && !everybody_; }
  bool has_room(std::uint16_t cache) const {
    return overflow_ == Overflow::broadcast || count_ < limit_ || contains(cache);
  }
  std::uint16_t victim() const { return pointers_[0]; }
  std::uint16_t count_without(std::uint16_t cache) const {
    return static_cast<std::uint16_t>((everybody_ ? caches_ : count_) - (contains(cache) ? 1 : 0));
  }
  template <class Visit>
  void for_each(std::uint16_t without, Visit visit) const {
    if (everybody_) {
      for (std::uint16_t cache = 0; cache < caches_; ++cache) {
        if (cache != without) visit(cache);
      }
      return;
    }
    for (const std::uint16_t cache : pointers()) {
      if (cache != without) visit(cache);
    }
  }

  // There were too many: from now on every cache counts as a sharer.
  void everybody() {
    count_ = 0;
    everybody_ = true;
  }
  bool is_everybody() const { return everybody_; }
  // Oldest first if their age matters, else ascending.
  std::span<const std::uint16_t> pointers() const { return {pointers_.data(), count_}; }

 private:
  std::uint16_t caches_;
  std::array<std::uint16_t, most_pointers> pointers_{};
  std::uint8_t limit_;
  std::uint8_t count_ = 0;
  Overflow overflow_;
  bool everybody_ = false;
};

// One bit for each group of neighbours (Gupta, Weber and Mowry: Reducing Memory and Traffic Requirements for
// Scalable Directory-Based Cache Coherence Schemes, 1990), up to 64 groups. A cache that leaves stays a
// member as long as its group has others, for they may hold the line.
class CoarseVector {
 public:
  CoarseVector(std::uint16_t caches, std::uint16_t group_caches)
      : caches_(caches), group_caches_(group_caches) {}

  void add(std::uint16_t cache) {
    if (cache < caches_) bits_ |= bit(cache);
  }
  void remove(std::uint16_t cache) {
    if (cache < caches_ && alone(cache)) bits_ &= ~bit(cache);
  }
  void clear() { bits_ = 0; }
  bool contains(std::uint16_t cache) const { return cache < caches_ && (bits_ & bit(cache)) != 0; }
  bool empty() const { return bits_ == 0; }
  bool has_room(std::uint16_t) const { return true; }
  std::uint16_t victim() const { return static_cast<std::uint16_t>(std::countr_zero(bits_) * group_caches_); }
  std::uint16_t count_without(std::uint16_t without) const {
    std::uint16_t count = 0;
    for_each(without, [&](std::uint16_t) { ++count; });
    return count;
  }
  template <class Visit>
  void for_each(std::uint16_t without, Visit visit) const {
    for (std::uint64_t left = bits_; left != 0; left &= left - 1) {
      const auto first = static_cast<std::uint16_t>(std::countr_zero(left) * group_caches_);
      const auto end = std::min<std::uint16_t>(caches_, static_cast<std::uint16_t>(first + group_caches_));
      for (std::uint16_t cache = first; cache < end; ++cache) {
        if (cache != without) visit(cache);
      }
    }
  }

 private:
  std::uint64_t bit(std::uint16_t cache) const { return std::uint64_t{1} << cache / group_caches_; }
  bool alone(std::uint16_t cache) const {
    const int first = cache / group_caches_ * group_caches_;
    return std::min<int>(first + group_caches_, caches_) - first == 1;
  }

  std::uint64_t bits_ = 0;
  std::uint16_t caches_;
  std::uint16_t group_caches_;
};

enum class DirectoryKind : std::uint8_t {
  full,
  limited_broadcast,
  limited_no_broadcast,
  coarse,
  sparse,  // full maps, but not for every line: an entry that makes room for another recalls its line
};
std::string_view directory_kind_name(DirectoryKind kind);
// From its name ("limited-broadcast"); throws bad_input with the nearest name.
DirectoryKind directory_kind_from(std::string_view name);

struct DirectoryFormat {
  DirectoryKind kind = DirectoryKind::full;
  std::uint8_t pointers = 2;       // limited
  std::uint16_t group_caches = 2;  // coarse

  // Members may be caches without a copy.
  bool over_approximates() const {
    return kind == DirectoryKind::limited_broadcast || kind == DirectoryKind::coarse;
  }
  // Adding a sharer may take giving up another.
  bool bounded() const { return kind == DirectoryKind::limited_no_broadcast; }
};

// Any of them, chosen when a machine is built.
class SharerSet {
 public:
  SharerSet() = default;  // a full map
  SharerSet(const DirectoryFormat& format, std::uint16_t caches) {
    using Overflow = LimitedPointers::Overflow;
    if (format.kind == DirectoryKind::limited_broadcast)
      set_ = LimitedPointers(caches, format.pointers, Overflow::broadcast);
    if (format.kind == DirectoryKind::limited_no_broadcast)
      set_ = LimitedPointers(caches, format.pointers, Overflow::give_up_oldest);
    if (format.kind == DirectoryKind::coarse) set_ = CoarseVector(caches, format.group_caches);
  }

  void add(std::uint16_t cache) {
    std::visit([&](auto& set) { set.add(cache); }, set_);
  }
  void remove(std::uint16_t cache) {
    std::visit([&](auto& set) { set.remove(cache); }, set_);
  }
  void clear() {
    std::visit([](auto& set) { set.clear(); }, set_);
  }
  bool contains(std::uint16_t cache) const {
    return std::visit([&](const auto& set) { return set.contains(cache); }, set_);
  }
  bool empty() const {
    return std::visit([](const auto& set) { return set.empty(); }, set_);
  }
  bool has_room(std::uint16_t cache) const {
    return std::visit([&](const auto& set) { return set.has_room(cache); }, set_);
  }
  std::uint16_t victim() const {
    return std::visit([](const auto& set) { return set.victim(); }, set_);
  }
  std::uint16_t count_without(std::uint16_t cache) const {
    return std::visit([&](const auto& set) { return set.count_without(cache); }, set_);
  }
  template <class Visit>
  void for_each(std::uint16_t without, Visit visit) const {
    std::visit([&](const auto& set) { set.for_each(without, visit); }, set_);
  }
  // The limited pointers, or null if the format is another.
  LimitedPointers* limited() { return std::get_if<LimitedPointers>(&set_); }
  const LimitedPointers* limited() const { return std::get_if<LimitedPointers>(&set_); }

 private:
  std::variant<FullMap, LimitedPointers, CoarseVector> set_;
};

}  // namespace mesim
