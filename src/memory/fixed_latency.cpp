#include "memory/fixed_latency.hpp"

#include <algorithm>
#include <cmath>

#include "sim/clock_domain.hpp"

namespace mesim {

void FixedLatencyConfig::fields(Fields& f) {
  f.number("latency_ns", latency_ns,
           {.min = 0, .max = 1e6, .unit = "ns", .help = "from the begin of a transfer to its answer"});
  f.number("bandwidth_gbps", bandwidth_gbps,
           {.min = 0.001,
            .max = 1e6,
            .unit = "10^9 bytes/s",
            .help = "of the one channel, reads and writes together"});
}

FixedLatencyMemory::FixedLatencyMemory(unsigned ports, const FixedLatencyConfig& config)
    : config_(config), requests_(*this, ports), replies_(ports) {}

void FixedLatencyMemory::connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port,
                                       Cycles latency) {
  replies_[port].connect(*this, inbox, inbox_port, latency);
}

void FixedLatencyMemory::reset(std::uint64_t) {
  const double cycle_ns = clock().nanoseconds(1);
  latency_parts_ = static_cast<std::uint64_t>(std::llround(config_.latency_ns / cycle_ns * double{parts}));
  parts_per_byte_ = double{parts} / (config_.bandwidth_gbps * cycle_ns);
  known_bytes_ = 0;
  known_parts_ = 0;
  free_at_ = 0;
  counters_ = {};
}

void FixedLatencyMemory::measure(std::uint32_t bytes) {
  known_bytes_ = bytes;
  known_parts_ = static_cast<std::uint64_t>(std::llround(parts_per_byte_ * bytes));
}

void FixedLatencyMemory::step(Cycles now) {
  requests_.take(now, [&](unsigned port, const MemoryRequest& request) {
    const std::uint64_t arrival = now * parts;
    const std::uint64_t start = std::max(arrival, free_at_);
    free_at_ = start + transfer_parts(request.bytes);
    counters_.add(request);
    if (request.write) {
      ++counters_.writes;
      return;
    }
    ++counters_.reads;
    // At least a cycle: an answer in no time would be seen in the cycle in which it was asked for.
    const std::uint64_t end = std::max(start + latency_parts_, free_at_);
    const Cycles begin_cycle = start / parts;
    const Cycles end_cycle = (end + parts - 1) / parts;
    counters_.read_queue_cycles += begin_cycle - now;
    counters_.read_cycles += end_cycle - now;
    counters_.read_cycles_max = std::max(counters_.read_cycles_max, end_cycle - now);
    replies_[port].send(now,
                        {request.address, request.tag, static_cast<std::uint32_t>(begin_cycle - now),
                         static_cast<std::uint32_t>(end_cycle - begin_cycle)},
                        end_cycle - now);
  });
}

void FixedLatencyMemory::digest(Digest& digest) const {
  digest.add(free_at_);
  digest.add(counters_.reads);
  digest.add(counters_.writes);
}

void FixedLatencyMemory::write(StatWriter& out, Tick) const {
  out.begin("memory");
  out.count("reads", counters_.reads);
  out.count("writes", counters_.writes);
  out.count("read_bytes", counters_.read_bytes);
  out.count("written_bytes", counters_.written_bytes);
  if (counters_.reads != 0) {
    const auto reads = static_cast<double>(counters_.reads);
    out.begin("read_latency_cycles");
    out.value("mean", static_cast<double>(counters_.read_cycles) / reads);
    out.value("mean_queued", static_cast<double>(counters_.read_queue_cycles) / reads);
    out.value("max", static_cast<double>(counters_.read_cycles_max));
    out.end();
  }
  out.end();
}

}  // namespace mesim
