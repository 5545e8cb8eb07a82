// Which lines a cache asks for before the core does. A prefetcher is a class of prefetcher/ with
//
//   name                        what configs call it
//   Prefetcher(config, line_bits)
//   observe(access, wanted)     an access that reached the cache, in program order; appends line numbers
//   digest(digest)              its whole state
//
// It only says what it wants; the cache drops what it has, what is on its way and what it has no room for. A
// new one is a file there and its name in the list of AnyPrefetcher.
#pragma once
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cache/prefetcher/next_line.hpp"
#include "cache/prefetcher/stride.hpp"
#include "cache/prefetcher_config.hpp"

namespace mesim {

class AnyPrefetcher {
 public:
  using Kinds = std::variant<NextLinePrefetcher, StridePrefetcher>;

  // `config.kind` is one of `names`.
  AnyPrefetcher(const PrefetcherConfig& config, unsigned line_bits) : kind_(make(config, line_bits)) {}

  void observe(const ObservedAccess& access, std::vector<std::uint64_t>& wanted) {
    std::visit([&](auto& kind) { kind.observe(access, wanted); }, kind_);
  }
  void digest(Digest& digest) const {
    std::visit([&](const auto& kind) { kind.digest(digest); }, kind_);
  }

  static std::vector<std::string> names() {
    return names(std::make_index_sequence<std::variant_size_v<Kinds>>{});
  }

 private:
  template <std::size_t... I>
  static std::vector<std::string> names(std::index_sequence<I...>) {
    return {std::string(std::variant_alternative_t<I, Kinds>::name)...};
  }
  template <std::size_t I = 0>
  static Kinds make(const PrefetcherConfig& config, unsigned line_bits) {
    if constexpr (I + 1 < std::variant_size_v<Kinds>) {
      using Kind = std::variant_alternative_t<I, Kinds>;
      if (config.kind != Kind::name) return make<I + 1>(config, line_bits);
    }
    return Kinds(std::in_place_index<I>, config, line_bits);
  }

  Kinds kind_;
};

}  // namespace mesim
