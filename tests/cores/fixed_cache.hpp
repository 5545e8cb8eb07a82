// A cache of unlimited size whose misses take a fixed time, for tests of cores.
#pragma once
#include <set>
#include <span>
#include <vector>

#include "sim/core_port.hpp"
#include "sim/link.hpp"

namespace mesim::test {

class FixedCache {
 public:
  FixedCache(Part& owner, Cycles miss_cycles, std::uint32_t mshrs) : inbox_(owner, 1), mshrs_(mshrs) {
    self_.connect(owner, inbox_, 0, miss_cycles);
  }

  CoreHit try_hit(const CoreRequest& request, Cycles) {
    const std::uint64_t line = request.address / 64;
    const bool writes = request.kind == AccessKind::store || request.kind == AccessKind::atomic;
    if (writes ? !writable_.contains(line) : !readable_.contains(line)) return {};
    stores_ += request.kind == AccessKind::store;
    return {.done = true, .latency = 1};
  }
  MissReply miss(const CoreRequest& request, Cycles now) {
    const std::uint64_t line = request.address / 64;
    if (outstanding_.size() == mshrs_ || outstanding_.contains(line)) return MissReply::refused;
    outstanding_.insert(line);
    stores_ += request.kind == AccessKind::store;
    self_.send(now, {line, now, request.token, request.kind});
    return MissReply::accepted;
  }
  // Valid until the next call.
  std::span<const CoreCompletion> receive(Cycles now) {
    done_.clear();
    inbox_.take(now, [&](unsigned, const Fill& fill) {
      outstanding_.erase(fill.line);
      readable_.insert(fill.line);
      if (fill.kind == AccessKind::store || fill.kind == AccessKind::atomic) writable_.insert(fill.line);
      CoreCompletion completion;
      completion.token = fill.token;
      completion.segments.add(Segment::lookup, 1);
      completion.segments.add(Segment::memory, now - fill.begin - 1);
      done_.push_back(completion);
    });
    return done_;
  }
  Cycles first_arrival() const { return inbox_.first(); }
  Cycles inbound_latency() const { return never / 2; }  // nobody else sends
  std::uint64_t stores() const { return stores_; }      // asked for
  void reset(std::uint64_t) {
    stores_ = 0;
    readable_.clear();
    writable_.clear();
    outstanding_.clear();
  }
  void digest(Digest& digest) const {
    for (const auto line : readable_) digest.add(line);
    for (const auto line : writable_) digest.add(line);
  }

 private:
  struct Fill {
    std::uint64_t line;
    Cycles begin;
    std::uint16_t token;
    AccessKind kind;
  };
  Inbox<Fill> inbox_;
  Link<Fill> self_;
  std::uint32_t mshrs_;
  std::uint64_t stores_ = 0;
  std::vector<CoreCompletion> done_;
  std::set<std::uint64_t> readable_, writable_, outstanding_;
};

}  // namespace mesim::test
