#include "coherence/checker/explorer.hpp"

#include <algorithm>

#include "coherence/checker/state_store.hpp"
#include "sim/error.hpp"

namespace mesim::checker {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

class Search {
 public:
  Search(Model& model, const ExploreOptions& options) : model_(model), options_(options) {}

  Exploration run() {
    result_.symmetry = options_.symmetry && model_.symmetric();
    const Packed start = representative(model_.initial());
    states_.insert(start.bytes());
    parents_.push_back(nobody);
    depths_.push_back(0);
    check_state(0);
    for (std::uint32_t at = 0; at < states_.size() && !result_.violation; ++at) expand(at);
    if (!result_.violation) check_progress();
    result_.states = states_.size();
    result_.quiescent_states =
        static_cast<std::uint64_t>(std::count(quiescent_.begin(), quiescent_.end(), true));
    result_.depth = depths_.back();
    result_.coverage = model_.coverage();
    return std::move(result_);
  }

 private:
  Packed representative(const Packed& state) const {
    return result_.symmetry ? model_.canonical(state) : state;
  }

  void expand(std::uint32_t at) {
    edge_begin_.push_back(edges_.size());
    model_.successors(states_[at], false, successors_);
    bool delivery = false;
    for (const Successor& next : successors_) {
      ++result_.transitions;
      if (!next.broken.empty())
        return fail(std::string(next.broken), next.detail, at, &next - successors_.begin());
      delivery |= next.delivery;
      const auto [index, fresh] = states_.insert(representative(next.state).bytes());
      edges_.push_back(index);
      if (!fresh) continue;
      if (index >= options_.state_limit) {
        throw Error(Exit::limit, "verify: more than " + std::to_string(options_.state_limit) +
                                     " states; fewer caches or --events core need less");
      }
      parents_.push_back(at);
      depths_.push_back(depths_[at] + 1);
      check_state(index);
      if (result_.violation) return;
    }
    if (!delivery && !quiescent_[at]) {
      fail("deadlock", "messages or waiting controllers, but no message can be delivered", at, -1);
    }
  }

  void check_state(std::uint32_t index) {
    std::string detail;
    const std::string_view broken = model_.broken_invariant(states_[index], detail);
    quiescent_.push_back(model_.quiescent(states_[index]));
    if (!broken.empty()) fail(std::string(broken), detail, index, -1);
  }

  // From every state a quiescent one must be reachable (AG EF quiescent): walk the edges backwards.
  void check_progress() {
    edge_begin_.push_back(edges_.size());
    const std::uint32_t count = states_.size();
    std::vector<std::uint32_t> begin(count + 1), sources(edges_.size());
    for (const std::uint32_t to : edges_) ++begin[to + 1];
    for (std::uint32_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
    std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
    for (std::uint32_t from = 0; from < count; ++from) {
      for (std::uint64_t e = edge_begin_[from]; e < edge_begin_[from + 1]; ++e)
        sources[fill[edges_[e]]++] = from;
    }
    std::vector<bool> reached(quiescent_);
    std::vector<std::uint32_t> work;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (quiescent_[i]) work.push_back(i);
    }
    while (!work.empty()) {
      const std::uint32_t to = work.back();
      work.pop_back();
      for (std::uint32_t e = begin[to]; e < begin[to + 1]; ++e) {
        if (reached[sources[e]]) continue;
        reached[sources[e]] = true;
        work.push_back(sources[e]);
      }
    }
    const auto stuck = std::find(reached.begin(), reached.end(), false);
    if (stuck == reached.end()) return;
    fail("stuck",
         std::to_string(std::count(stuck, reached.end(), false)) +
             " states cannot come to rest any more; this is the nearest",
         static_cast<std::uint32_t>(stuck - reached.begin()), -1);
  }

  // Replays the way to state `at` without renaming caches, then the failing step if one is given.
  void fail(std::string invariant, std::string detail, std::uint32_t at, std::ptrdiff_t failing_step) {
    Violation violation{std::move(invariant), std::move(detail), {}};
    std::vector<std::uint32_t> path;
    for (std::uint32_t i = at; i != 0; i = parents_[i]) path.push_back(i);
    std::reverse(path.begin(), path.end());
    Packed world = model_.initial();
    Successors steps;
    for (const std::uint32_t wanted : path) {
      model_.successors(world.bytes(), true, steps);
      for (const Successor& step : steps) {
        const Packed met = representative(step.state);
        const auto have = met.bytes();
        const auto want = states_[wanted];
        if (!std::equal(have.begin(), have.end(), want.begin(), want.end())) continue;
        violation.steps.push_back(step.text);
        world = step.state;
        break;
      }
    }
    if (failing_step >= 0) {
      model_.successors(world.bytes(), true, steps);
      // the replayed world may name the caches otherwise: any step that breaks the same invariant will do
      const auto step = std::find_if(steps.begin(), steps.end(),
                                     [&](const Successor& s) { return s.broken == violation.invariant; });
      if (step != steps.end()) {
        violation.steps.push_back(step->text);
        violation.detail = step->detail;
      }
    } else {
      std::string replayed;
      if (model_.broken_invariant(world.bytes(), replayed) == violation.invariant)
        violation.detail = replayed;
    }
    result_.violation = std::move(violation);
  }

  Model& model_;
  ExploreOptions options_;
  Exploration result_;
  StateStore states_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> depths_;
  std::vector<bool> quiescent_;
  std::vector<std::uint32_t> edges_;
  std::vector<std::uint64_t> edge_begin_;
  Successors successors_;
};

}  // namespace

Exploration explore(Model& model, const ExploreOptions& options) { return Search(model, options).run(); }

}  // namespace mesim::checker
