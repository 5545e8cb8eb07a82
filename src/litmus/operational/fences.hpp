// The fewest fences that forbid what a model allows.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "litmus/exploration.hpp"
#include "litmus/models.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus {

struct FencePlace {
  unsigned thread = 0;
  std::uint32_t before = 0;  // index of the instruction that it comes before
  std::uint8_t orders = all_orders;
  std::string fence;                    // "MFENCE", "fence w,w"
  std::string after_text, before_text;  // the accesses on both sides
};

struct FenceAdvice {
  // Empty: the unwanted outcomes cannot happen as it is. Each fence orders no more than it must.
  std::vector<FencePlace> fences;
};

// Fences stand between accesses of a thread, at most one in each place. Nothing if even a fence in every
// place does not forbid the outcomes for which `unwanted` holds, if the search would take more than
// `most_runs` runs of the machine, or if a run is incomplete. Threads with indirect jumps get no fences.
std::optional<FenceAdvice> fewest_fences(const Test& test, Model model,
                                         const std::function<bool(const Outcome&)>& unwanted,
                                         unsigned most_runs = 4096, const Limits& limits = {});

// "MFENCE in P0 between `MOV [x],$1` and `MOV EAX,[y]`"
std::string fence_text(const FencePlace& place);

}  // namespace mesim::litmus
