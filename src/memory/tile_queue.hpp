// Completions of runs, told in the order of their time; of equal times the run begun first.
#pragma once
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "memory/tile_memory.hpp"

namespace mesim {

class TileQueue {
 public:
  void push(TileMemory::Done done) { done_.push(done); }
  Cycles first_at() const { return done_.empty() ? never : done_.top().at; }
  std::optional<TileMemory::Done> pop(Cycles until) {
    if (done_.empty() || done_.top().at > until) return std::nullopt;
    const TileMemory::Done first = done_.top();
    done_.pop();
    return first;
  }

 private:
  struct Later {
    bool operator()(const TileMemory::Done& a, const TileMemory::Done& b) const {
      return a.at != b.at ? a.at > b.at : a.run > b.run;
    }
  };
  std::priority_queue<TileMemory::Done, std::vector<TileMemory::Done>, Later> done_;
};

}  // namespace mesim
