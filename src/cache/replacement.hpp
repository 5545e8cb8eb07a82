// Which way a fill evicts. A policy is a class of replacement/ with
//
//   name                        what configs call it
//   Policy(geometry, seed)
//   touch(slot)                 a hit; must change nothing but what `word(slot)` holds
//   filled(slot)                a line was put there
//   victim(set) -> way          of a full set
//   word(slot), restore(slot, word)   all that a touch of the slot changes, as one word, so that an engine
//   can
//                               log words and undo touches in reverse order
//   headroom(), renumber()      touches until internal counters are renumbered, and doing so now
//   ==                          the whole state
//
// A new one is a file there and its name in the list of AnyReplacement. Code that knows its policy takes it
// as a template argument; AnyReplacement chooses at run time, with LRU inline.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cache/replacement/brrip.hpp"
#include "cache/replacement/drrip.hpp"
#include "cache/replacement/fifo.hpp"
#include "cache/replacement/lru.hpp"
#include "cache/replacement/nru.hpp"
#include "cache/replacement/random.hpp"
#include "cache/replacement/srrip.hpp"
#include "cache/replacement/tree_plru.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim {

class AnyReplacement {
 public:
  using Policies = std::variant<Lru, RandomReplacement, TreePlru, Nru, Fifo, Srrip, Brrip, Drrip>;

  // `name` as listed by `replacement_names`; any other is an error with exit status 2.
  AnyReplacement(std::string_view name, const CacheGeometry& geometry, std::uint64_t seed = 0)
      : policy_(make(name, geometry, seed)) {}
  explicit AnyReplacement(const CacheGeometry& geometry, std::uint64_t seed = 0)
      : AnyReplacement(Lru::name, geometry, seed) {}

  // As a new one.
  void clear(const CacheGeometry& geometry, std::uint64_t seed) {
    if (Lru* lru = this->lru()) return lru->clear();
    std::visit(
        [&](auto& policy) {
          using Policy = std::remove_reference_t<decltype(policy)>;
          policy = Policy(geometry, seed);
        },
        policy_);
  }
  void touch(Slot slot) {
    if (auto* lru = std::get_if<Lru>(&policy_)) [[likely]]
      return lru->touch(slot);
    std::visit([&](auto& policy) { policy.touch(slot); }, policy_);
  }
  void filled(Slot slot) {
    if (auto* lru = std::get_if<Lru>(&policy_)) [[likely]]
      return lru->filled(slot);
    std::visit([&](auto& policy) { policy.filled(slot); }, policy_);
  }
  // The policy if it is LRU, else null: a touch costs a few instructions then.
  Lru* lru() { return std::get_if<Lru>(&policy_); }
  std::uint32_t victim(std::uint32_t set) {
    if (auto* lru = std::get_if<Lru>(&policy_)) [[likely]]
      return lru->victim(set);
    return std::visit([&](auto& policy) { return policy.victim(set); }, policy_);
  }
  std::uint64_t word(Slot slot) const {
    if (auto* lru = std::get_if<Lru>(&policy_)) [[likely]]
      return lru->word(slot);
    return std::visit([&](const auto& policy) { return policy.word(slot); }, policy_);
  }
  void restore(Slot slot, std::uint64_t word) {
    std::visit([&](auto& policy) { policy.restore(slot, word); }, policy_);
  }
  std::uint32_t headroom() const {
    return std::visit([](const auto& policy) { return policy.headroom(); }, policy_);
  }
  void renumber() {
    std::visit([](auto& policy) { policy.renumber(); }, policy_);
  }

  friend bool operator==(const AnyReplacement&, const AnyReplacement&) = default;

  static std::vector<std::string> names() { return names(all{}); }

 private:
  using all = std::make_index_sequence<std::variant_size_v<Policies>>;

  template <std::size_t... I>
  static std::vector<std::string> names(std::index_sequence<I...>) {
    return {std::string(std::variant_alternative_t<I, Policies>::name)...};
  }
  template <std::size_t I = 0>
  static Policies make(std::string_view name, const CacheGeometry& geometry, std::uint64_t seed) {
    if constexpr (I < std::variant_size_v<Policies>) {
      using Policy = std::variant_alternative_t<I, Policies>;
      if (name == Policy::name) return Policies(std::in_place_index<I>, geometry, seed);
      return make<I + 1>(name, geometry, seed);
    } else {
      throw bad_input({}, "no replacement policy '" + std::string(name) + "'" + did_you_mean(name, names()));
    }
  }

  Policies policy_;
};

}  // namespace mesim
