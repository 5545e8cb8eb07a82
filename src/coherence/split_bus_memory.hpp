// The memory's side of a split-transaction bus in a run: it executes the protocol's memory table for every
// line, with an optional last-level cache between the bus and memory.
//
// It snoops as the caches do: ordered requests wait in a queue, one is taken a cycle, and none while the
// table stalls the first. Data for memory that comes before the request it belongs to waits by sender and
// line: what a cache sent for one line must not wait behind what it sent for another, because memory may not
// take the request of the other before it has the data of the one. What a request causes leaves
// `controller_cycles` later, or when memory has answered.
#pragma once
#include <tsl/robin_map.h>

#include <optional>
#include <vector>

#include "cache/cache_config.hpp"
#include "coherence/split_bus_actions.hpp"
#include "coherence/split_bus_message.hpp"
#include "sim/error.hpp"
#include "sim/memory_port.hpp"
#include "sim/mix_hash.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct SplitBusMemoryCounters {
  std::uint64_t llc_reads = 0, llc_read_misses = 0, llc_writes = 0, llc_write_misses = 0;
  std::uint64_t llc_fills = 0, llc_writebacks = 0;
  std::uint64_t early_data = 0;  // came before its request was taken
  std::uint64_t stalled_snoops = 0;
  struct Moved {
    std::uint64_t read = 0, written = 0;
  };
  std::vector<Moved> by;  // lines over the last level, by cache

  void write_controller(StatWriter& out) const;  // component `memory_controller`
  void write_llc(StatWriter& out) const;         // component `llc`
};

template <class Value>
class SplitBusMemory final : public Part {
 public:
  using Net = SplitBusMessage<Value>;
  using Line = split_bus::MemoryLine<Value>;

  // `protocol` outlives the part.
  SplitBusMemory(const SplitBusConfig& config, unsigned caches, std::uint32_t line_bytes,
                 std::optional<CacheConfig> llc, const split_bus::Protocol& protocol)
      : config_(config),
        caches_(caches),
        line_bytes_(line_bytes),
        llc_config_(std::move(llc)),
        protocol_(protocol) {}

  // Port 0 takes snooped requests, port 1 data.
  Inbox<Net>& inbox() { return inbox_; }
  // At the bus's ports `port` and the next one.
  void connect(Inbox<Net>& bus, Inbox<SnoopBacklog>& backlog, unsigned port, unsigned agent) {
    out_.connect(*this, bus, port, 1);
    late_out_.connect(*this, bus, port + 1, 1);
    backlog_.connect(*this, backlog, agent, 1);
  }
  void connect_memory(MemoryDevice& memory) {
    to_memory_.connect(*this, memory.requests(), 0, 1);
    memory.connect_reply(0, replies_, 0, 1);
  }

  void step(Cycles now) override;
  void reset(std::uint64_t seed) override;
  void digest(Digest& digest) const override;

  const SplitBusMemoryCounters& counters() const { return counters_; }
  bool has_llc() const { return llc_config_.has_value(); }
  // What memory knows of a line; null if nothing ever happened to it.
  const Line* line(std::uint64_t line) const {
    const auto found = lines_.find(line);
    return found == lines_.end() ? nullptr : &found->second;
  }
  // What memory holds of a line when a run begins; after the reset.
  void preset(std::uint64_t line, const Value& value) { known(line).value = value; }
  // What memory knows of every line, and the last level; of a part that is idle.
  struct Contents {
    tsl::robin_map<std::uint64_t, Line, MixHash> lines;
    std::optional<TagArray<>> llc;
  };
  Contents contents() const { return {lines_, llc_}; }
  // After a reset: with these contents, of another part of its shape.
  void put(const Contents& contents) {
    lines_ = contents.lines;
    llc_ = contents.llc;
  }

  bool idle() const { return snoops_.empty() && held_.empty() && reads_ == 0; }

 private:
  enum LlcState : std::uint8_t { clean = 1, dirty = 2 };
  struct Environment {
    SplitBusMemory& memory;
    const Net& cause;
    Cycles now;
    void send(const split_bus::DataMessage<Value>& message) { memory.answer(message, cause, now); }
  };

  Line& known(std::uint64_t line) {
    const auto [found, added] = lines_.try_emplace(line);
    if (added) found.value().state = protocol_.initial_memory();
    return found.value();
  }
  bool take_request(const Net& net, Cycles now);
  void take_held(Cycles now);
  bool take_data(const Net& net, Cycles now);
  void answer(const split_bus::DataMessage<Value>& message, const Net& cause, Cycles now);
  void memory_answered(const MemoryReply& reply, Cycles now);
  void write_line(std::uint64_t line, split_bus::NodeId by, Cycles now);
  void fill(std::uint64_t line, LlcState state, split_bus::NodeId by, Cycles now);
  void to_memory(std::uint64_t line, bool write, std::uint32_t tag, split_bus::NodeId by, Cycles now) {
    const MemoryRequest request{
        .address = line * line_bytes_, .bytes = line_bytes_, .tag = tag, .unit = by, .write = write};
    to_memory_.send(now, request, config_.controller_cycles);
  }

  SplitBusConfig config_;
  unsigned caches_;
  std::uint32_t line_bytes_;
  std::optional<CacheConfig> llc_config_;
  const split_bus::Protocol& protocol_;
  Inbox<Net> inbox_{*this, 2};
  Inbox<MemoryReply> replies_{*this, 1};
  Link<Net> out_, late_out_;
  Link<SnoopBacklog> backlog_;
  Link<MemoryRequest> to_memory_;

  tsl::robin_map<std::uint64_t, Line, MixHash> lines_;  // looked up only
  std::optional<TagArray<>> llc_;
  Ring<Net> snoops_;
  std::vector<Net> held_;     // data whose request has not been taken, in order of arrival
  std::vector<Net> reading_;  // by tag: what goes on when memory has answered
  std::vector<std::uint32_t> free_tags_;
  std::uint32_t reads_ = 0;
  std::uint32_t told_ = 0;
  Cycles next_snoop_ = never;
  SplitBusMemoryCounters counters_;
};

template <class Value>
void SplitBusMemory<Value>::step(Cycles now) {
  replies_.take(now, [&](unsigned, const MemoryReply& reply) { memory_answered(reply, now); });
  bool arrived = false, data = false;
  inbox_.take(now, [&](unsigned port, const Net& net) {
    if (port == 0) {
      Net request = net;
      request.charge(Segment::home, now);
      snoops_.push(request);
      arrived = true;
      if (snoops_.size() == 1) next_snoop_ = now;
    } else {
      held_.push_back(net);
      data = true;
    }
  });
  if (data) {
    take_held(now);
    if (!snoops_.empty()) next_snoop_ = std::min(next_snoop_, now);  // what was stalled may go on
  }
  bool taken = false;
  if (!snoops_.empty() && next_snoop_ <= now) {
    taken = take_request(snoops_.front(), now);
    if (taken) {
      snoops_.pop();
      take_held(now);
    }
    next_snoop_ = taken && !snoops_.empty() ? now + 1 : never;
    if (next_snoop_ != never) wake(next_snoop_);
  }
  const auto waiting = static_cast<std::uint32_t>(snoops_.size());
  if ((arrived || taken) && waiting != told_) {
    backlog_.send(now, {static_cast<std::int32_t>(waiting - told_)});
    told_ = waiting;
  }
  counters_.early_data += data && !held_.empty();
}

// False if the table stalls it.
template <class Value>
bool SplitBusMemory<Value>::take_request(const Net& net, Cycles now) {
  using namespace split_bus;
  Net cause = net;
  cause.charge(Segment::home_queue, now);
  Line& line = known(net.line);
  const MemoryState before = line.state;
  const MemoryEvent event = memory_event(net.request.kind);
  Environment env{*this, cause, now};
  const Outcome outcome = apply(protocol_.memory(), event, Incoming<Value>{net.request, {}}, line, env);
  if (outcome == Outcome::undefined) {
    throw Error(Exit::internal,
                fmt::format("{}: memory in {} gets {} for line {:#x}, and the table has no row for it",
                            protocol_.name(), name(before), name(event), net.line));
  }
  counters_.stalled_snoops += outcome == Outcome::stalled;
  return outcome == Outcome::done;
}

// Everything that can be taken now; of one sender and line in order.
template <class Value>
void SplitBusMemory<Value>::take_held(Cycles now) {
  for (std::size_t i = 0; i < held_.size();) {
    const Net net = held_[i];
    const auto before = held_.begin() + static_cast<std::ptrdiff_t>(i);
    const bool behind = std::any_of(held_.begin(), before, [&](const Net& earlier) {
      return earlier.source == net.source && earlier.line == net.line;
    });
    if (!behind && take_data(net, now)) {
      held_.erase(before);
      i = 0;  // what waited for the state that this has left
    } else {
      ++i;
    }
  }
}

template <class Value>
bool SplitBusMemory<Value>::take_data(const Net& net, Cycles now) {
  using namespace split_bus;
  Line& line = known(net.line);
  const MemoryState before = line.state;
  const MemoryEvent event = memory_event(net.data.kind);
  const bool writes = net.carries_line();
  Environment env{*this, net, now};
  const Outcome outcome = apply(protocol_.memory(), event, Incoming<Value>{{}, net.data}, line, env);
  if (outcome == Outcome::undefined) {
    throw Error(Exit::internal,
                fmt::format("{}: memory in {} gets {} for line {:#x}, and the table has no row for it",
                            protocol_.name(), name(before), name(event), net.line));
  }
  if (outcome == Outcome::done && writes) write_line(net.line, net.data.from, now);
  return outcome == Outcome::done;
}

// The line as memory has it now goes to the bus, once it has been read.
template <class Value>
void SplitBusMemory<Value>::answer(const split_bus::DataMessage<Value>& message, const Net& cause,
                                   Cycles now) {
  Net net = cause;
  net.request = {};
  net.data = message;
  net.source = split_bus::memory_node;
  net.charge(Segment::home, now + config_.controller_cycles);
  if (llc_) {
    ++counters_.llc_reads;
    ++counters_.by[message.to].read;
    const Slot slot = llc_->find(net.line);
    if (slot != no_slot) {
      llc_->touch(slot);
      out_.send(now, net, config_.controller_cycles);
      return;
    }
    ++counters_.llc_read_misses;
  }
  std::uint32_t tag = 0;
  if (free_tags_.empty()) {
    tag = static_cast<std::uint32_t>(reading_.size());
    reading_.push_back(net);
  } else {
    tag = free_tags_.back();
    free_tags_.pop_back();
    reading_[tag] = net;
  }
  ++reads_;
  to_memory(net.line, false, tag, message.to, now);
}

template <class Value>
void SplitBusMemory<Value>::memory_answered(const MemoryReply& reply, Cycles now) {
  Net net = reading_[reply.tag];
  free_tags_.push_back(reply.tag);
  --reads_;
  net.charge(Segment::memory_queue, std::min<Cycles>(net.since + reply.queue_cycles, now));
  net.charge(Segment::memory, now);
  if (llc_ && llc_->find(net.line) == no_slot) {
    ++counters_.llc_fills;
    fill(net.line, clean, net.data.to, now);
  }
  late_out_.send(now, net);
}

template <class Value>
void SplitBusMemory<Value>::write_line(std::uint64_t line, split_bus::NodeId by, Cycles now) {
  if (!llc_) return to_memory(line, true, 0, by, now);
  ++counters_.llc_writes;
  ++counters_.by[by].written;
  const Slot slot = llc_->find(line);
  if (slot != no_slot) {
    llc_->set_state(slot, dirty);
    llc_->touch(slot);
    return;
  }
  ++counters_.llc_write_misses;
  fill(line, dirty, by, now);
}

template <class Value>
void SplitBusMemory<Value>::fill(std::uint64_t line, LlcState state, split_bus::NodeId by, Cycles now) {
  const Slot slot = llc_->victim(llc_->set_of(line));
  if (llc_->valid(slot) && llc_->state(slot) == dirty) {
    ++counters_.llc_writebacks;
    to_memory(llc_->line_of(slot), true, 0, by, now);
  }
  llc_->fill(slot, line, state);
}

template <class Value>
void SplitBusMemory<Value>::reset(std::uint64_t seed) {
  lines_.clear();
  llc_.reset();
  if (llc_config_) llc_.emplace(llc_config_->tag_array(seed + 1000));
  snoops_.clear();
  held_.clear();
  reading_.clear();
  free_tags_.clear();
  reads_ = told_ = 0;
  next_snoop_ = never;
  counters_ = {};
  counters_.by.resize(caches_);
}

template <class Value>
void SplitBusMemory<Value>::digest(Digest& digest) const {
  std::uint64_t sum = 0;  // of the lines' digests: the order of a hash table is nobody's state
  for (const auto& [number, line] : lines_) {
    Digest one;
    one.add(number);
    one.add(line.state);
    one.add(split_bus::stable(line.state) ? 0 : line.awaited * 2 + line.awaits_put);
    line.value.digest(one);
    sum += one.value();
  }
  digest.add(sum);
  digest.add(snoops_.size());
  for (std::size_t i = 0; i < snoops_.size(); ++i) snoops_[i].digest(digest);
  for (const Net& net : held_) net.digest(digest);
  digest.add(reads_);
  if (!llc_) return;
  for (std::uint32_t set = 0; set < llc_->geometry().sets; ++set) {
    for (std::uint32_t way = 0; way < llc_->geometry().ways; ++way) {
      const Slot slot = llc_->slot_of(set, way);
      digest.add(llc_->state(slot));
      if (!llc_->valid(slot)) continue;
      digest.add(llc_->line_of(slot));
      digest.add(llc_->replacement().word(slot));
    }
  }
}

}  // namespace mesim
