// Memory as one channel: a request waits until the channel is free, occupies it for its bytes at the
// channel's bandwidth, and is answered one latency after it began. The simplest model that shows both of what
// makes memory slow; DRAM with banks and rows stands behind the same port.
// Model: a server with deterministic service, M/D/1 under random arrivals (Kleinrock, Queueing Systems,
// 1975).
#pragma once
#include <cstdint>
#include <vector>

#include "memory/memory.hpp"
#include "sim/fields.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct FixedLatencyConfig {
  double latency_ns = 50;
  double bandwidth_gbps = 25.6;

  void fields(Fields& f);
};

class FixedLatencyMemory final : public Memory {
 public:
  struct Counters : MemoryTraffic {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t read_queue_cycles = 0;  // before the channel was free
    std::uint64_t read_cycles = 0;        // from arrival to answer
    std::uint64_t read_cycles_max = 0;
  };

  // `ports` homes may be connected.
  FixedLatencyMemory(unsigned ports, const FixedLatencyConfig& config);

  Inbox<MemoryRequest>& requests() override { return requests_; }
  void connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port, Cycles latency) override;

  void step(Cycles now) override;
  void reset(std::uint64_t seed) override;
  void digest(Digest& digest) const override;

  const Counters& counters() const { return counters_; }
  // Component `memory`: reads, writes, read_latency_cycles/mean and max.
  void write(StatWriter& out, Tick end) const override;
  const MemoryTraffic& traffic() const override { return counters_; }

 private:
  // The channel's time is kept in parts of a cycle, so that a transfer need not be whole cycles.
  static constexpr std::uint64_t parts = 1 << 16;

  std::uint64_t transfer_parts(std::uint32_t bytes) {
    if (bytes != known_bytes_) measure(bytes);
    return known_parts_;
  }
  void measure(std::uint32_t bytes);

  FixedLatencyConfig config_;
  Inbox<MemoryRequest> requests_;
  std::vector<Link<MemoryReply>> replies_;
  std::uint64_t latency_parts_ = 0;
  double parts_per_byte_ = 0;
  std::uint32_t known_bytes_ = 0;  // most requests have one size, whose transfer takes so long
  std::uint64_t known_parts_ = 0;
  std::uint64_t free_at_ = 0;
  Counters counters_;
};

}  // namespace mesim
