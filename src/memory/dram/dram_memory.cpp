#include "memory/dram/dram_memory.hpp"

#include <algorithm>

#include "memory/dram/report.hpp"
#include "sim/digest.hpp"

namespace mesim::dram {

DramMemory::DramMemory(unsigned ports, const MemoryConfig& config, const std::string& source)
    : config_(config),
      source_(source),
      requests_(*this, ports),
      replies_(ports),
      reply_cycles_(ports, 1),
      inboxes_of_ports_(ports),
      channels_(std::make_unique<Channels>(config, source)),
      waiting_(channels_->size()) {
  channels_->answer_to(this);
}

void DramMemory::connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port,
                               Cycles latency) {
  replies_[port].connect(*this, inbox, inbox_port, latency);
  inboxes_of_ports_[port] = &inbox;
}

void DramMemory::watch_commands(const Commands& take) {
  commands_ = take;
  tap_commands();
}

void DramMemory::tap_commands() {
  tap_.reset();
  if (commands_) tap_.emplace(*channels_, commands_);
}

void DramMemory::reset(std::uint64_t) {
  tap_.reset();
  channels_ = std::make_unique<Channels>(config_, source_);
  channels_->answer_to(this);
  tap_commands();
  for (auto& ring : waiting_) ring.clear();
  table_.clear();
  free_.clear();
  answers_ = {};
  answered_ = 0;
  traffic_ = {};
  read_latency_ = {};
  write_latency_ = {};
  for (std::size_t port = 0; port < replies_.size(); ++port) {
    if (!replies_[port].connected()) continue;
    reply_cycles_[port] = clock().nanoseconds(1) / inboxes_of_ports_[port]->clock().nanoseconds(1);
  }
}

void DramMemory::step(Cycles now) {
  for (unsigned channel = 0; channel < channels_->size(); ++channel) accept(channel, now);
  requests_.take(now, [&](unsigned port, const MemoryRequest& request) { take(port, request, now); });
  answer(now);
  wake_for_next(now);
}

void DramMemory::take(unsigned port, const MemoryRequest& request, Cycles now) {
  traffic_.add(request);
  const std::uint32_t bytes = channels_->map().geometry().burst_bytes;
  const std::uint64_t first = request.address / bytes;
  const std::uint64_t last = (request.address + std::max(request.bytes, 1U) - 1) / bytes;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(table_.size()));
    table_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  table_[index] = {.address = request.address,
                   .tag = request.tag,
                   .left = static_cast<std::uint32_t>(last - first + 1),
                   .port = static_cast<std::uint16_t>(port),
                   .write = request.write,
                   .arrived = now};
  for (std::uint64_t number = first; number <= last; ++number) {
    const Location at = channels_->map().decode(number * bytes);
    Waiting waiting;
    waiting.burst.burst = number;
    waiting.burst.row = at.row;
    waiting.burst.column = at.column;
    waiting.burst.request = index;
    waiting.burst.unit = request.unit;
    waiting.burst.bank = at.bank;
    waiting.write = request.write;
    waiting_[at.channel].push(waiting);
    accept(at.channel, now);
  }
}

// Everything up to this cycle, then what waits in front of the queues, in its order.
void DramMemory::accept(unsigned channel, Cycles now) {
  Controller& controller = (*channels_)[channel];
  controller.run(now + 1);
  Ring<Waiting>& ring = waiting_[channel];
  while (!ring.empty() && controller.has_room(ring.front().write)) {
    Waiting next = ring.front();
    ring.pop();
    controller.accept(std::move(next.burst), next.write, now);
  }
}

void DramMemory::burst_done(std::uint32_t index, Cycles begun, Cycles end) {
  Request& request = table_[index];
  request.begun = std::min(request.begun, begun);
  request.end = std::max(request.end, end);
  if (--request.left == 0) answers_.push({request.end, answered_++, index});
}

void DramMemory::answer(Cycles now) {
  while (!answers_.empty() && answers_.top().at <= now) {
    const std::uint32_t index = answers_.top().request;
    answers_.pop();
    const Request& r = table_[index];
    (r.write ? write_latency_ : read_latency_).add(r.end - r.arrived);
    free_.push_back(index);
    if (r.write) continue;
    const double scale = reply_cycles_[r.port];
    const auto of_receiver = [&](Cycles cycles) {
      return static_cast<std::uint32_t>(static_cast<double>(cycles) * scale);
    };
    replies_[r.port].send(now,
                          {r.address, r.tag, of_receiver(r.begun - r.arrived), of_receiver(r.end - r.begun)});
  }
}

// A channel on which nothing waits is left alone: its refreshes are made up when the next request comes.
void DramMemory::wake_for_next(Cycles now) {
  Cycles next = answers_.empty() ? never : answers_.top().at;
  for (unsigned channel = 0; channel < channels_->size(); ++channel) {
    Controller& controller = (*channels_)[channel];
    if (!controller.idle()) next = std::min(next, controller.next_time());
  }
  if (next != never) wake(std::max(next, now + 1));
}

void DramMemory::digest(Digest& digest) const {
  digest.add(traffic_.read_bytes);
  digest.add(traffic_.written_bytes);
  digest.add(answered_);
  digest.add(answers_.size());
  for (const auto& ring : waiting_) digest.add(ring.size());
}

void DramMemory::write(StatWriter& out, Tick end) const {
  const Cycles cycles = clock().first_edge_from(end);
  const auto counters = channels_->closed_counters(cycles);
  write_statistics({config_, *channels_, counters, cycles, read_latency_, write_latency_, traffic_.read_bytes,
                    traffic_.written_bytes},
                   out);
}

}  // namespace mesim::dram
