// The representative of a state under renaming of the caches (Ip and Dill, 1996): the least packed form over
// all renamings that sort the caches by what can be seen of them without names.
#pragma once
#include <algorithm>
#include <array>

#include "coherence/checker/model.hpp"

namespace mesim::checker {

inline constexpr unsigned most_caches = 8;
using Renaming = std::array<std::uint8_t, most_caches>;  // old name -> new name

// `key[i]` must be the same for caches that a renaming may exchange; `packed_as(renaming)` packs the renamed
// state.
template <class PackedAs>
Packed least_renamed(unsigned count, const std::array<std::uint64_t, most_caches>& key, PackedAs packed_as) {
  Renaming order{};  // new name -> old name
  for (unsigned i = 0; i < count; ++i) {
    unsigned at = i;
    for (; at > 0 && key[order[at - 1]] > key[i]; --at) order[at] = order[at - 1];
    order[at] = static_cast<std::uint8_t>(i);
  }
  Packed best;
  const auto consider = [&] {
    Renaming to{};
    for (unsigned i = 0; i < count; ++i) to[order[i]] = static_cast<std::uint8_t>(i);
    const Packed candidate = packed_as(to);
    const auto a = candidate.bytes(), b = best.bytes();
    if (b.empty() || std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end())) best = candidate;
  };
  // all orders inside each group of equal keys: an odometer of permutations
  for (;;) {
    consider();
    unsigned begin = 0;
    for (;;) {
      if (begin == count) return best;
      unsigned end = begin + 1;
      while (end < count && key[order[end]] == key[order[begin]]) ++end;
      if (std::next_permutation(order.begin() + begin, order.begin() + end)) break;
      begin = end;
    }
  }
}

}  // namespace mesim::checker
