// Split first-level caches and a common last level without time: which accesses miss. The rules are those of
// Valgrind's cachegrind (cg_sim.c): an access that crosses lines looks up all of them and is one miss if any
// misses; then, and only then, the last level is asked for the whole access, by the same rule; a modify is
// one read; writes allocate; nothing is written back to the last level and nothing is invalidated from it.
//
// With `split_lines` each line of a crossing access is an access of its own in every level, as DynamoRIO's
// drcachesim and Dinero IV count.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "cache/cache_config.hpp"
#include "cache/miss_classifier.hpp"
#include "cache/tag_array.hpp"
#include "sim/statistics.hpp"

namespace mesim {

// What an access is to the caches: `read_write` reads and then writes, `none` is no access.
enum class CountedAccess : std::uint8_t { fetch, read, write, read_write, none };
inline constexpr std::size_t access_kinds = 3;

struct AccessCounts {
  std::uint64_t accesses = 0;
  std::uint64_t misses = 0;
  // Their parts, when misses are classified.
  std::uint64_t compulsory = 0;
  std::uint64_t capacity = 0;
  std::uint64_t conflict = 0;

  friend bool operator==(const AccessCounts&, const AccessCounts&) = default;
};
AccessCounts operator+(const AccessCounts& a, const AccessCounts& b);

// `first` and `last` are indexed by CountedAccess: I1 for fetches and D1 for reads and writes; LL.
struct FunctionalCounts {
  std::array<AccessCounts, access_kinds> first;
  std::array<AccessCounts, access_kinds> last;
  std::uint64_t i1_evictions = 0;  // lines that made room for others
  std::uint64_t d1_evictions = 0;
  std::uint64_t ll_evictions = 0;

  friend bool operator==(const FunctionalCounts&, const FunctionalCounts&) = default;
};

struct FunctionalConfig {
  CacheConfig i1{};
  CacheConfig d1{};
  CacheConfig ll{.size_bytes = 2 * MiB, .ways = 16};
  bool split_lines = false;
  bool split_modify = false;  // for those who make accesses of records
  bool classify = false;

  void fields(Fields& f);
};

// Components I1, D1 and LL; classes of misses only if they were counted.
void write_stats(const FunctionalCounts& counts, bool classified, StatWriter& out);

// One cache that is only asked whether it holds lines.
template <class Replacement, bool Classify>
class FunctionalCache {
 public:
  FunctionalCache(const CacheConfig& config, std::uint64_t seed)
      : line_bits_(config.geometry().line_bits()),
        offset_mask_(config.line_bytes - 1),
        tags_(config.geometry(), replacement(config, seed)) {
    if constexpr (Classify) classifier_.emplace(config.size_bytes / config.line_bytes);
  }

  std::uint32_t line_bits() const { return line_bits_; }
  std::uint64_t evictions() const { return evictions_; }
  std::uint64_t line(std::uint64_t address) const { return address >> line_bits_; }
  // The line of the last byte; an access that would pass the end of the address space ends there.
  std::uint64_t last_line(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t end = address + (size > 1 ? size - 1 : 0);
    return line(end < address ? ~std::uint64_t{0} : end);
  }
  bool crosses(std::uint64_t address, std::uint64_t size) const {
    return (address & offset_mask_) + size > offset_mask_ + 1;
  }

  // References a line; true if it hit. A miss says `none` as its class unless misses are classified.
  bool hits(std::uint64_t line, MissClass& miss_class) {
    // The very line of the latest reference hits, and under LRU that changes nothing.
    if (std::is_same_v<Replacement, Lru> && line == latest_) [[likely]]
      return true;
    latest_ = line;
    const Slot slot = tags_.find(line);
    const bool hit = slot != no_slot;
    if constexpr (Classify) miss_class = classifier_->reference(line, hit);
    if (hit) [[likely]] {
      tags_.touch(slot);
      return true;
    }
    fill(line);
    return false;
  }

 private:
  [[gnu::noinline]] void fill(std::uint64_t line) {
    const Slot slot = tags_.victim(tags_.set_of(line));
    evictions_ += tags_.valid(slot);
    tags_.fill(slot, line, 1);
  }

  static Replacement replacement(const CacheConfig& config, std::uint64_t seed) {
    if constexpr (std::is_same_v<Replacement, AnyReplacement>) {
      return AnyReplacement(config.replacement, config.geometry(), seed);
    } else {
      return Replacement(config.geometry(), seed);
    }
  }

  std::uint32_t line_bits_;
  std::uint32_t offset_mask_;
  std::uint64_t evictions_ = 0;
  std::uint64_t latest_ = ~std::uint64_t{0};  // no line: those have at most 63 bits
  TagArray<Replacement> tags_;
  std::optional<MissClassifier> classifier_;
};

template <class Replacement, bool Split, bool Classify>
class FunctionalCaches {
 public:
  explicit FunctionalCaches(const FunctionalConfig& config, std::uint64_t seed = 0)
      : i1_(config.i1, 3 * seed), d1_(config.d1, 3 * seed + 1), ll_(config.ll, 3 * seed + 2) {}

  // Any records with `address` and `size` (0 counts as 1); `kind_of(record)` says what each is.
  template <class Record, class KindOf>
  void run(std::span<const Record> records, KindOf kind_of) {
    for (const Record& record : records) access(kind_of(record), record.address, record.size);
  }

  void access(CountedAccess kind, std::uint64_t address, std::uint64_t size) {
    if (kind >= CountedAccess::read_write) [[unlikely]] {
      if (kind == CountedAccess::none) return;
      access(CountedAccess::read, address, size);
      kind = CountedAccess::write;
    }
    Cache& cache = kind == CountedAccess::fetch ? i1_ : d1_;
    AccessCounts& counts = counts_.first[static_cast<std::size_t>(kind)];
    if (cache.crosses(address, size)) [[unlikely]]
      return crossing_access(kind, address, size);
    ++counts.accesses;
    MissClass miss_class{};
    if (cache.hits(cache.line(address), miss_class)) [[likely]]
      return;
    count_miss(counts, miss_class);
    ask_last_level(kind, address, size);
  }

  // Exact between any two accesses.
  FunctionalCounts counts() const {
    FunctionalCounts counts = counts_;
    counts.i1_evictions = i1_.evictions();
    counts.d1_evictions = d1_.evictions();
    counts.ll_evictions = ll_.evictions();
    return counts;
  }

 private:
  using Cache = FunctionalCache<Replacement, Classify>;

  [[gnu::noinline]] void crossing_access(CountedAccess kind, std::uint64_t address, std::uint64_t size) {
    AccessCounts& counts = counts_.first[static_cast<std::size_t>(kind)];
    Cache& cache = kind == CountedAccess::fetch ? i1_ : d1_;
    reference(cache, counts, address, size,
              [&](std::uint64_t begin, std::uint64_t bytes) { ask_last_level(kind, begin, bytes); });
  }

  [[gnu::noinline]] void ask_last_level(CountedAccess kind, std::uint64_t address, std::uint64_t size) {
    reference(ll_, counts_.last[static_cast<std::size_t>(kind)], address, size,
              [](std::uint64_t, std::uint64_t) {});
  }

  // One access to one cache by the rule at hand; `on_miss` is called for it, or for each part of it.
  template <class OnMiss>
  static void reference(Cache& cache, AccessCounts& counts, std::uint64_t address, std::uint64_t size,
                        OnMiss on_miss) {
    const std::uint64_t first = cache.line(address);
    const std::uint64_t last = cache.last_line(address, size);
    bool missed = false;
    MissClass strongest{};
    for (std::uint64_t line = first;; ++line) {
      MissClass miss_class{};
      const bool miss = !cache.hits(line, miss_class);
      if constexpr (Split) {
        ++counts.accesses;
        if (miss) {
          count_miss(counts, miss_class);
          const std::uint64_t begin = line == first ? address : line << cache.line_bits();
          const std::uint64_t end = line == last ? address + size : (line + 1) << cache.line_bits();
          on_miss(begin, end - begin);
        }
      } else {
        missed |= miss;
        strongest = std::max(strongest, miss_class);
      }
      if (line == last) break;
    }
    if constexpr (!Split) {
      ++counts.accesses;
      if (missed) {
        count_miss(counts, strongest);
        on_miss(address, size);
      }
    }
  }

  static void count_miss(AccessCounts& counts, MissClass miss_class) {
    ++counts.misses;
    if constexpr (Classify) {
      counts.compulsory += miss_class == MissClass::compulsory;
      counts.capacity += miss_class == MissClass::capacity;
      counts.conflict += miss_class == MissClass::conflict;
    }
  }

  Cache i1_;
  Cache d1_;
  Cache ll_;
  FunctionalCounts counts_;
};

// Calls `use` with the caches of the config, specialised for what it asks, so that choices cost nothing while
// they run: with_functional_caches(config, seed, [&](auto& caches) { caches.run(...); return caches.counts();
// }).
template <class Use>
auto with_functional_caches(const FunctionalConfig& config, std::uint64_t seed, Use use) {
  const auto with = [&]<class Replacement, bool Split, bool Classify>() {
    FunctionalCaches<Replacement, Split, Classify> caches(config, seed);
    return use(caches);
  };
  const auto with_rules = [&]<class Replacement>() {
    if (config.split_lines) {
      return config.classify ? with.template operator()<Replacement, true, true>()
                             : with.template operator()<Replacement, true, false>();
    }
    return config.classify ? with.template operator()<Replacement, false, true>()
                           : with.template operator()<Replacement, false, false>();
  };
  const bool lru = config.i1.replacement == Lru::name && config.d1.replacement == Lru::name &&
                   config.ll.replacement == Lru::name;
  return lru ? with_rules.template operator()<Lru>() : with_rules.template operator()<AnyReplacement>();
}

}  // namespace mesim
