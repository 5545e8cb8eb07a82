// A device that reads and writes memory through the homes: whole lines, no cache of its own, several
// transfers at a time. A read returns the newest value wherever it is and leaves the copies, a write takes
// every copy back first (the DmaRead and DmaWrite events of the protocol's table; coherent I/O as in Hennessy
// and Patterson, "Computer Architecture", 6th ed., appendix D.2).
//
// `Source` says what the device does:
//   Cycles ready_at() const                     when the next transfer may begin, or `never` for now
//   DmaTransfer<Value> next(Cycles now)         that transfer
//   void done(const DmaTransfer<Value>&, const Value& read, Cycles now)
//   bool finished() const                       nothing comes any more
// and, if what it does takes time of its own,
//   void advance(Cycles now)                    everything up to this cycle is done
//   Cycles next_event() const                   when it wants to be asked again, or `never`
//   void reset(std::uint64_t seed);  void digest(Digest&) const;
#pragma once
#include <algorithm>
#include <vector>

#include "coherence/directory_message.hpp"
#include "sim/link.hpp"
#include "sim/statistics.hpp"

namespace mesim {

template <class Value>
struct DmaTransfer {
  std::uint64_t line = 0;
  bool write = false;
  [[no_unique_address]] Value value{};  // of a write
};

struct DmaCounters {
  std::uint64_t reads = 0, writes = 0;  // lines, finished
  Cycles read_cycles = 0;               // from sending to the answer, summed
  Cycles write_cycles = 0;
  Cycles last = 0;  // of the last transfer's end
};

template <class Value, class Source>
class DmaAgent final : public Part {
 public:
  using Net = DirectoryMessage<Value>;

  // `self` is its node, behind the homes' nodes; up to `queue_depth` transfers are under way.
  template <class... SourceArguments>
  DmaAgent(unsigned queue_depth, unsigned line_bytes, directory::NodeId self, HomeMap homes,
           SourceArguments&&... source)
      : queue_depth_(queue_depth),
        line_bytes_(line_bytes),
        self_(self),
        homes_(homes),
        source_(std::forward<SourceArguments>(source)...) {}

  Inbox<Net>& inbox() { return inbox_; }
  void connect(Inbox<Net>& network, unsigned port, Cycles latency) {
    out_.connect(*this, network, port, latency);
  }
  Source& source() { return source_; }
  const Source& source() const { return source_; }
  bool finished() const { return source_.finished() && outstanding_.empty(); }
  bool idle() const { return outstanding_.empty(); }
  const DmaCounters& counters() const { return counters_; }

  void step(Cycles now) override {
    inbox_.take(now, [&](unsigned, const Net& net) { answered(net, now); });
    if constexpr (requires { source_.advance(now); }) source_.advance(now);
    while (outstanding_.size() < queue_depth_ && source_.ready_at() <= now) send(source_.next(now), now);
    if (outstanding_.size() < queue_depth_ && source_.ready_at() != never) wake(source_.ready_at());
    if constexpr (requires { source_.next_event(); }) {
      if (source_.next_event() != never) wake(source_.next_event());
    }
  }
  void reset(std::uint64_t seed) override {
    outstanding_.clear();
    counters_ = {};
    source_.reset(seed);
    wake(0);
  }
  void digest(Digest& digest) const override {
    for (const Outstanding& o : outstanding_) {
      digest.add(o.transfer.line);
      digest.add(o.transfer.write);
      digest.add(o.since);
    }
    source_.digest(digest);
  }

  void write(StatWriter& out) const {
    out.count("reads", counters_.reads);
    out.count("writes", counters_.writes);
    out.count("bytes", (counters_.reads + counters_.writes) * line_bytes_);
    if (counters_.reads != 0)
      out.value("mean_read_cycles",
                static_cast<double>(counters_.read_cycles) / static_cast<double>(counters_.reads));
    if (counters_.writes != 0)
      out.value("mean_write_cycles",
                static_cast<double>(counters_.write_cycles) / static_cast<double>(counters_.writes));
  }

 private:
  struct Outstanding {
    DmaTransfer<Value> transfer;
    Cycles since;
  };

  void send(const DmaTransfer<Value>& transfer, Cycles now) {
    Net net;
    net.message.kind = transfer.write ? directory::MessageKind::DmaWrite : directory::MessageKind::DmaRead;
    net.message.to = directory::home_node;
    net.message.requestor = self_;
    net.message.value = transfer.value;
    net.line = transfer.line;
    net.time.since = now;
    net.destination = homes_.node_of(transfer.line);
    net.source = self_;
    net.size_bytes = static_cast<std::uint16_t>(Net::header_bytes + (transfer.write ? line_bytes_ : 0));
    outstanding_.push_back({transfer, now});
    out_.send(now, net);
  }

  // Of two transfers of one line and kind the older is answered first: both stood in the line's queue.
  void answered(const Net& net, Cycles now) {
    const bool write = net.message.kind == directory::MessageKind::DmaAck;
    const auto it = std::find_if(outstanding_.begin(), outstanding_.end(), [&](const Outstanding& o) {
      return o.transfer.line == net.line && o.transfer.write == write;
    });
    const Outstanding done = *it;
    outstanding_.erase(it);
    ++(write ? counters_.writes : counters_.reads);
    (write ? counters_.write_cycles : counters_.read_cycles) += now - done.since;
    counters_.last = now;
    source_.done(done.transfer, net.message.value, now);
  }

  unsigned queue_depth_;
  unsigned line_bytes_;
  directory::NodeId self_;
  HomeMap homes_;
  Source source_;
  Inbox<Net> inbox_{*this, 1};
  Link<Net> out_;
  std::vector<Outstanding> outstanding_;
  DmaCounters counters_;
};

}  // namespace mesim
