// A split-transaction bus in a run: an address bus that puts requests into one order and broadcasts them, and
// a data bus that moves lines in the order in which they become ready. Requests and data are independent: a
// request is granted while earlier ones still wait for their lines.
//
// A request that reaches the bus in cycle c is granted in c at the earliest, g; every cache and the memory
// find it in their snoop queues in g + snoop_cycles. The bus grants nothing while a snoop queue might
// overflow. With a queue of one it waits until everybody has taken the last request: atomic requests. Data
// that starts in cycle d with n cycles on the bus arrives in d + n.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "coherence/split_bus_message.hpp"
#include "network/jitter.hpp"
#include "sim/link.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct SplitBusCounters {
  std::uint64_t reads = 0, read_exclusives = 0, upgrades = 0, write_backs = 0;  // requests granted
  std::uint64_t lines_to_caches = 0, lines_to_memory = 0;  // transfers; the latter to memory alone
  std::uint64_t notices = 0;                               // that there is no line to move
  std::uint64_t address_busy_cycles = 0, data_busy_cycles = 0;
  std::uint64_t request_wait_cycles = 0, data_wait_cycles = 0;  // between reaching the bus and starting
  std::uint64_t held_back = 0;                                  // grants that a full snoop queue delayed
  // Bytes of lines by cache: to it; from it to memory alone.
  struct Moved {
    std::uint64_t read_bytes = 0, written_bytes = 0;
  };
  std::vector<Moved> by;

  // Component `bus`, with the names that the atomic bus has. A GetM of a cache with a copy is a BusUpgr,
  // though on this bus the line is moved all the same unless its owner asks.
  void write(StatWriter& out) const;
};

template <class Value>
class SplitBus final : public Part {
 public:
  using Net = SplitBusMessage<Value>;

  SplitBus(const SplitBusConfig& config, unsigned caches, std::uint32_t line_bytes)
      : config_(config),
        line_bytes_(line_bytes),
        inbox_(*this, caches + 2),
        backlog_(*this, caches + 1),
        snoops_(caches + 1),
        data_(caches + 1),
        late_(caches + 1),
        jitter_(caches + 2, 0) {}

  // Agents: caches 0, 1, ... and behind them the memory. A cache sends at the port of its number, memory at
  // the two behind.
  Inbox<Net>& inbox() { return inbox_; }
  Inbox<SnoopBacklog>& backlog() { return backlog_; }
  unsigned memory_agent() const { return static_cast<unsigned>(late_.size() - 1); }
  // Snooped requests come in at port 0 of `inbox`, data at port 1.
  void connect_output(unsigned agent, Inbox<Net>& inbox) {
    snoops_[agent].connect(*this, inbox, 0, config_.snoop_cycles);
    data_[agent].connect(*this, inbox, 1, 1);
  }
  // Each message is held at random for up to so many cycles from the next reset on, before it reaches the
  // bus.
  void disturb(std::uint32_t most_cycles) { jitter_.disturb(most_cycles); }
  // A message that nobody has sent yet arrives so many cycles from now at the earliest.
  Cycles delivery_latency() const { return std::min<Cycles>(config_.snoop_cycles, line_cycles()); }

  void step(Cycles now) override {
    backlog_.take(now, [&](unsigned agent, const SnoopBacklog& b) {
      late_[agent] = static_cast<std::uint32_t>(static_cast<std::int32_t>(late_[agent]) + b.change);
    });
    if (!jitter_.on()) [[likely]] {
      inbox_.take(now, [&](unsigned, const Net& net) { queue(net, now); });
    } else {
      take_late(now);
    }
    grant(now);
    transfer(now);
  }

  void reset(std::uint64_t seed) override {
    jitter_.reset(seed);
    requests_.clear();
    lines_.clear();
    recent_.clear();
    std::fill(late_.begin(), late_.end(), 0);
    address_free_ = data_free_ = 0;
    waiting_for_room_ = false;
    counters_ = {};
    counters_.by.resize(late_.size() - 1);
  }

  void digest(Digest& digest) const override {
    for (const auto* queue : {&requests_, &lines_}) {
      digest.add(queue->size());
      for (std::size_t i = 0; i < queue->size(); ++i) (*queue)[i].net.digest(digest);
    }
    for (const std::uint32_t late : late_) digest.add(late);
    if (jitter_.on())
      jitter_.digest(digest, [&](std::uint32_t number) { inbox_.calendar()[number].message.digest(digest); });
    digest.add(address_free_);
    digest.add(data_free_);
  }

  const SplitBusCounters& counters() const { return counters_; }
  bool idle() const { return requests_.empty() && lines_.empty(); }

 private:
  // All of one sender stays in order.
  void take_late(Cycles now) {
    auto& calendar = inbox_.calendar();
    const auto way = [](const Net&) { return std::pair<unsigned, unsigned>(0, 0); };
    const bool held = jitter_.pass(calendar, now, way, [&](std::uint32_t number) {
      queue(calendar[number].message, now);
      calendar.release(number);
    });
    if (held) wake(jitter_.next());
  }
  void queue(const Net& net, Cycles now) { (net.is_request() ? requests_ : lines_).push({now, net}); }

  struct Queued {
    Cycles since = 0;
    Net net;
  };

  Cycles line_cycles() const { return (line_bytes_ + config_.width_bytes - 1) / config_.width_bytes; }
  // A grant takes a place in every snoop queue until the bus could have heard that it waits there.
  bool room(Cycles now) {
    while (!recent_.empty() && recent_.front() + config_.snoop_cycles + 1 <= now) recent_.pop();
    const std::uint32_t most = *std::max_element(late_.begin(), late_.end());
    return recent_.size() + most < config_.snoop_queue;
  }

  void grant(Cycles now) {
    if (requests_.empty()) return;
    if (now < address_free_) return wake(address_free_);
    if (!room(now)) {
      counters_.held_back += !waiting_for_room_;
      waiting_for_room_ = true;
      if (!recent_.empty()) wake(recent_.front() + config_.snoop_cycles + 1);
      return;  // or woken by a queue that has taken a request
    }
    waiting_for_room_ = false;
    Net net = requests_.front().net;
    counters_.request_wait_cycles += now - requests_.front().since;
    requests_.pop();
    count(net);
    net.charge(Segment::request_link, now);
    recent_.push(now);
    for (Link<Net>& agent : snoops_) agent.send(now, net);
    address_free_ = now + config_.address_cycles;
    counters_.address_busy_cycles += config_.address_cycles;
    if (!requests_.empty()) wake(address_free_);
  }

  void transfer(Cycles now) {
    if (lines_.empty()) return;
    if (now < data_free_) return wake(data_free_);
    const Net net = lines_.front().net;
    counters_.data_wait_cycles += now - lines_.front().since;
    lines_.pop();
    const Cycles length = net.carries_line() ? line_cycles() : 1;
    const bool to_memory = net.data.to == split_bus::memory_node;
    if (!net.carries_line()) {
      ++counters_.notices;
    } else if (to_memory) {
      ++counters_.lines_to_memory;
      counters_.by[net.data.from].written_bytes += line_bytes_;
    } else {
      ++counters_.lines_to_caches;
      counters_.by[net.data.to].read_bytes += line_bytes_;
      data_[net.data.to].send(now, net, length - 1);
    }
    if (to_memory || net.copy_to_memory) data_[memory_agent()].send(now, net, length - 1);
    data_free_ = now + length;
    counters_.data_busy_cycles += length;
    if (!lines_.empty()) wake(data_free_);
  }

  void count(const Net& net) {
    using enum split_bus::RequestKind;
    counters_.reads += net.request.kind == GetS;
    counters_.write_backs += net.request.kind == PutM;
    if (net.request.kind == GetM) ++(net.has_copy ? counters_.upgrades : counters_.read_exclusives);
  }

  SplitBusConfig config_;
  std::uint32_t line_bytes_;
  Inbox<Net> inbox_;
  Inbox<SnoopBacklog> backlog_;
  std::vector<Link<Net>> snoops_, data_;
  Ring<Queued> requests_, lines_;
  Ring<Cycles> recent_;              // grants that may still be on their way
  std::vector<std::uint32_t> late_;  // by agent: requests that it told of and has not taken
  Cycles address_free_ = 0, data_free_ = 0;
  bool waiting_for_room_ = false;
  SplitBusCounters counters_;
  Jitter jitter_;
};

}  // namespace mesim
