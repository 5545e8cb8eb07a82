#include "memory/dram/direct_run.hpp"

#include <algorithm>
#include <bit>

namespace mesim::dram {
namespace {

class Feeder {
 public:
  Feeder(Channels& channels, std::uint32_t window)
      : channels_(channels),
        burst_bits_(static_cast<unsigned>(std::countr_zero(channels.map().geometry().burst_bytes))),
        windowed_(window != 0),
        table_(window) {
    channels_.answer_to(&table_);
  }

  void feed(const MemoryAccess& access) {
    now_ = std::max(now_, access.earliest);
    if (access.dependent) wait_for_all();
    if (windowed_) wait_for_window();
    const std::uint64_t first = access.address >> burst_bits_;
    const std::uint64_t last = (access.address + std::max(access.bytes, 1U) - 1) >> burst_bits_;
    const auto bursts = static_cast<std::uint32_t>(last - first + 1);
    std::uint32_t request = Controller::no_request;
    if (bursts > 1 || access.dependent || windowed_) request = table_.open(bursts, access.write, now_);
    for (std::uint64_t burst = first; burst <= last; ++burst) feed_burst(access, burst, request);
  }

  RequestTable& table() { return table_; }

 private:
  void feed_burst(const MemoryAccess& access, std::uint64_t burst, std::uint32_t request) {
    const Location at = channels_.map().decode(burst << burst_bits_);
    Controller& controller = channels_[at.channel];
    controller.run(now_ + 1);
    if (!controller.has_room(access.write)) now_ = std::max(now_, controller.run_until_room(access.write));
    QueuedBurst queued;
    queued.burst = burst;
    queued.row = at.row;
    queued.column = at.column;
    queued.request = request;
    queued.unit = access.unit;
    queued.bank = at.bank;
    controller.accept(std::move(queued), access.write, now_);
  }

  // The next request is made when the data of all before has come.
  void wait_for_all() {
    if (table_.open_requests() == 0 && table_.last_end() == 0) return;
    for (unsigned channel = 0; table_.open_requests() != 0 && channel < channels_.size(); ++channel) {
      channels_[channel].drain();
    }
    now_ = std::max(now_, table_.last_end());
  }

  void wait_for_window() {
    while (table_.window_opens() == never) {
      Controller* first = &channels_[0];
      for (unsigned channel = 1; channel < channels_.size(); ++channel) {
        if (channels_[channel].next_time() < first->next_time()) first = &channels_[channel];
      }
      first->run(first->next_time() + 1);
    }
    now_ = std::max(now_, table_.window_opens());
  }

  Channels& channels_;
  unsigned burst_bits_;
  bool windowed_;
  RequestTable table_;
  Cycles now_ = 0;
};

}  // namespace

DirectRun run_direct(Channels& channels, RequestSource& source, RunWatch& watch, std::uint32_t window) {
  DirectRun out;
  Feeder feeder(channels, window);
  for (auto batch = source.next(); !batch.empty(); batch = source.next()) {
    for (const MemoryAccess& access : batch) {
      feeder.feed(access);
      (access.write ? out.bytes_written : out.bytes_read) += access.bytes;
    }
    out.requests += batch.size();
    if (!watch.keep_going(out.requests)) {
      out.complete = false;
      break;
    }
  }
  out.cycles = channels.drain();
  out.read_latency = feeder.table().read_latency;
  out.write_latency = feeder.table().write_latency;
  for (unsigned channel = 0; channel < channels.size(); ++channel) {
    out.read_latency.add(channels[channel].counters().read_latency);
    out.write_latency.add(channels[channel].counters().write_latency);
  }
  return out;
}

}  // namespace mesim::dram
