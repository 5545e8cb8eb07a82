#include "litmus/operational/fences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/operational/operational.hpp"
#include "litmus/semantics.hpp"

namespace mesim::litmus {
namespace {

bool has_indirect_jumps(const Thread& thread) {
  return std::any_of(thread.code.begin(), thread.code.end(),
                     [](const Instruction& i) { return i.op == Op::jump_register; });
}

std::string source_text(const Thread& thread, std::size_t pc) {
  const auto source = thread.code[pc].source;
  return source < thread.sources.size() ? thread.sources[source].text : std::string();
}

// Before every access but the first of its thread.
std::vector<FencePlace> all_places(const Test& test) {
  std::vector<FencePlace> places;
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const Thread& thread = test.threads[t];
    if (has_indirect_jumps(thread)) continue;
    int last = -1;
    for (std::size_t pc = 0; pc < thread.code.size(); ++pc) {
      if (!is_memory(thread.code[pc].op)) continue;
      if (last >= 0) {
        FencePlace place;
        place.thread = static_cast<unsigned>(t);
        place.before = static_cast<std::uint32_t>(pc);
        place.after_text = source_text(thread, static_cast<std::size_t>(last));
        place.before_text = source_text(thread, pc);
        places.push_back(place);
      }
      last = static_cast<int>(pc);
    }
  }
  return places;
}

// A jump to the access comes to its fence first.
void insert_fence(Thread& thread, std::uint32_t before, std::uint8_t orders) {
  for (Instruction& i : thread.code)
    if ((i.op == Op::branch || i.op == Op::jump) && i.target > before) ++i.target;
  Instruction fence;
  fence.op = Op::fence;
  fence.orders = orders;
  fence.source = thread.code[before].source;
  thread.code.insert(thread.code.begin() + before, fence);
}

Test with_fences(const Test& test, const std::vector<FencePlace>& places) {
  Test fenced = test;
  for (std::size_t i = places.size(); i-- > 0;)  // the last of a thread first, so that indices stay true
    insert_fence(fenced.threads[places[i].thread], places[i].before, places[i].orders);
  return fenced;
}

std::string x86_fence(std::uint8_t orders) {
  if ((orders & ~store_store) == 0) return "SFENCE";
  if ((orders & ~(load_load | load_store)) == 0) return "LFENCE";
  return "MFENCE";
}

std::string riscv_fence(std::uint8_t orders) {
  std::string before, after;
  if ((orders & (load_load | load_store)) != 0) before += 'r';
  if ((orders & (store_load | store_store)) != 0) before += 'w';
  if ((orders & (load_load | store_load)) != 0) after += 'r';
  if ((orders & (load_store | store_store)) != 0) after += 'w';
  return fmt::format("fence {},{}", before, after);
}

class FenceSearch {
 public:
  FenceSearch(const Test& test, Model model, const std::function<bool(const Outcome&)>& unwanted,
              unsigned most_runs, const Limits& limits)
      : test_(test), model_(model), unwanted_(unwanted), runs_left_(most_runs), limits_(limits) {}

  std::optional<FenceAdvice> run() {
    const auto places = all_places(test_);
    if (!forbidden(places)) return std::nullopt;
    for (std::size_t size = 0; size <= places.size() && runs_left_ != 0; ++size) {
      std::vector<FencePlace> chosen;
      if (!choose(places, 0, size, chosen)) continue;
      lighten(chosen);
      return FenceAdvice{chosen};
    }
    return std::nullopt;
  }

 private:
  bool forbidden(const std::vector<FencePlace>& places) {
    if (runs_left_ == 0) return false;
    --runs_left_;
    const auto found = run_operational(with_fences(test_, places), model_, limits_);
    return found.limit.empty() && std::none_of(found.outcomes.begin(), found.outcomes.end(), unwanted_);
  }

  bool choose(const std::vector<FencePlace>& places, std::size_t from, std::size_t more,
              std::vector<FencePlace>& chosen) {
    if (more == 0) return forbidden(chosen);
    for (std::size_t at = from; at + more <= places.size() && runs_left_ != 0; ++at) {
      chosen.push_back(places[at]);
      if (choose(places, at + 1, more - 1, chosen)) return true;
      chosen.pop_back();
    }
    return false;
  }

  // Takes from each fence the orders that are not needed.
  void lighten(std::vector<FencePlace>& chosen) {
    for (FencePlace& place : chosen) {
      for (const std::uint8_t order : {store_load, load_load, load_store, store_store}) {
        const auto before = place.orders;
        place.orders = static_cast<std::uint8_t>(place.orders & ~order);
        if (place.orders == 0 || !forbidden(chosen)) place.orders = before;
      }
      place.fence = test_.arch == "RISCV" ? riscv_fence(place.orders) : x86_fence(place.orders);
    }
  }

  const Test& test_;
  Model model_;
  const std::function<bool(const Outcome&)>& unwanted_;
  unsigned runs_left_;
  Limits limits_;
};

}  // namespace

std::optional<FenceAdvice> fewest_fences(const Test& test, Model model,
                                         const std::function<bool(const Outcome&)>& unwanted,
                                         unsigned most_runs, const Limits& limits) {
  return FenceSearch(test, model, unwanted, most_runs, limits).run();
}

std::string fence_text(const FencePlace& place) {
  return fmt::format("{} in P{} between `{}` and `{}`", place.fence, place.thread, place.after_text,
                     place.before_text);
}

}  // namespace mesim::litmus
