// DRAM behind the memory port of a machine, in a clock of its own. A request becomes the bursts that hold its
// bytes; those for which a queue has no room wait in front of it, in the order in which they came, for the
// port never refuses. The reply leaves with the end of the last transfer.
#pragma once
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "memory/dram/channels.hpp"
#include "memory/dram/command_trace.hpp"
#include "memory/memory.hpp"
#include "sim/latency_histogram.hpp"

namespace mesim::dram {

class DramMemory final : public Memory, private BurstSink {
 public:
  DramMemory(unsigned ports, const MemoryConfig& config, const std::string& source);

  Inbox<MemoryRequest>& requests() override { return requests_; }
  void connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port, Cycles latency) override;
  std::optional<ClockPeriod> own_clock() const override { return channels_->timings().clock(); }

  void watch_commands(const Commands& take) override;
  void step(Cycles now) override;
  void reset(std::uint64_t seed) override;
  void digest(Digest& digest) const override;

  const MemoryTraffic& traffic() const override { return traffic_; }
  void write(StatWriter& out, Tick end) const override;

 private:
  struct Waiting {
    QueuedBurst burst;
    bool write = false;
  };
  struct Request {
    std::uint64_t address = 0;
    std::uint32_t tag = 0;
    std::uint32_t left = 0;  // bursts
    std::uint16_t port = 0;
    bool write = false;
    Cycles arrived = 0;
    Cycles begun = never;
    Cycles end = 0;
  };
  struct Answer {
    Cycles at;
    std::uint64_t order;  // of equal times the first asked goes first
    std::uint32_t request;
    friend bool operator>(const Answer& a, const Answer& b) {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  void tap_commands();
  void burst_done(std::uint32_t request, Cycles begun, Cycles end) override;
  void take(unsigned port, const MemoryRequest& request, Cycles now);
  void accept(unsigned channel, Cycles now);
  void answer(Cycles now);
  void wake_for_next(Cycles now);

  MemoryConfig config_;
  std::string source_;
  Inbox<MemoryRequest> requests_;
  std::vector<Link<MemoryReply>> replies_;
  std::vector<double> reply_cycles_;  // of the receiver in a clock of the memory, by port
  std::vector<Inbox<MemoryReply>*> inboxes_of_ports_;
  std::unique_ptr<Channels> channels_;
  Commands commands_;
  std::optional<CommandTap> tap_;       // behind the channels, for it lets go of them
  std::vector<Ring<Waiting>> waiting_;  // by channel
  std::vector<Request> table_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Answer, std::vector<Answer>, std::greater<>> answers_;
  std::uint64_t answered_ = 0;
  MemoryTraffic traffic_;
  LatencyHistogram read_latency_;
  LatencyHistogram write_latency_;
};

}  // namespace mesim::dram
