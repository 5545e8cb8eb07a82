// Requests of several bursts, or whose end somebody waits for, from their first burst to their last.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/dram/controller.hpp"
#include "sim/latency_histogram.hpp"

namespace mesim::dram {

class RequestTable final : public BurstSink {
 public:
  // With a window the ends of the last `window` requests are remembered.
  explicit RequestTable(std::uint32_t window = 0) : window_(window, 0) {}

  // A request of `bursts` bursts that arrived in cycle `now`; its number for the bursts.
  std::uint32_t open(std::uint32_t bursts, bool write, Cycles now) {
    std::uint32_t index;
    if (free_.empty()) {
      index = static_cast<std::uint32_t>(requests_.size());
      requests_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    requests_[index] = {now, 0, opened_, bursts, write};
    if (!window_.empty()) window_[opened_ % window_.size()] = never;
    ++opened_;
    ++open_;
    return index;
  }

  void burst_done(std::uint32_t index, Cycles, Cycles end) override {
    Request& request = requests_[index];
    request.end = std::max(request.end, end);
    last_end_ = std::max(last_end_, end);
    if (--request.left != 0) return;
    (request.write ? write_latency : read_latency).add(request.end - request.arrived);
    if (!window_.empty()) window_[request.ordinal % window_.size()] = request.end;
    free_.push_back(index);
    --open_;
  }

  std::size_t open_requests() const { return open_; }
  // When the request that the next one must wait for ended; `never` while it has not been answered.
  Cycles window_opens() const { return window_[opened_ % window_.size()]; }
  Cycles last_end() const { return last_end_; }  // of any transfer so far

  LatencyHistogram read_latency;
  LatencyHistogram write_latency;

 private:
  struct Request {
    Cycles arrived = 0;
    Cycles end = 0;
    std::uint64_t ordinal = 0;
    std::uint32_t left = 0;
    bool write = false;
  };
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_;
  std::vector<Cycles> window_;
  std::uint64_t opened_ = 0;
  std::size_t open_ = 0;
  Cycles last_end_ = 0;
};

}  // namespace mesim::dram
