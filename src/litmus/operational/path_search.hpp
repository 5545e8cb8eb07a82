// Breadth-first search that remembers how it came to each state.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "litmus/operational/packed_set.hpp"

namespace mesim::litmus::operational {

// World: `first()` gives rows of Cells; `successors(state, emit)` calls emit(move, next state). The
// reductions keep, for every run to a final state, one with the same steps in another order, so that the
// shortest run is not lost. Returns moves and the states after them; empty pair of vectors when `wanted` is
// never met.
template <typename Cell, typename Move>
struct Path {
  std::vector<Cell> start;
  std::vector<Move> moves;
  std::vector<std::vector<Cell>> states;  // after each move
  bool found = false;
};

template <typename Cell, typename Move, typename Successors, typename Wanted>
Path<Cell, Move> shortest_path(const std::vector<Cell>& first, std::size_t cells, std::uint64_t most_states,
                               Successors successors, Wanted wanted) {
  PackedSet<Cell> seen(cells);
  std::vector<std::pair<std::uint32_t, Move>> came_from;
  for (std::size_t at = 0; at < first.size(); at += cells)
    if (seen.insert(first.data() + at).second) came_from.emplace_back(~0U, Move{});
  std::vector<Cell> state(cells);
  for (std::uint32_t at = 0; at < seen.size() && seen.size() < most_states; ++at) {
    std::copy(seen[at], seen[at] + cells, state.begin());
    if (wanted(state.data())) {
      Path<Cell, Move> path;
      path.found = true;
      std::uint32_t back = at;
      for (; came_from[back].first != ~0U; back = came_from[back].first) {
        path.moves.push_back(came_from[back].second);
        path.states.emplace_back(seen[back], seen[back] + cells);
      }
      path.start.assign(seen[back], seen[back] + cells);
      std::reverse(path.moves.begin(), path.moves.end());
      std::reverse(path.states.begin(), path.states.end());
      return path;
    }
    successors(state.data(), [&](Move move, const Cell* next) {
      if (seen.insert(next).second) came_from.emplace_back(at, move);
    });
  }
  return {};
}

}  // namespace mesim::litmus::operational
