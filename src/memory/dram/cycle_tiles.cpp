#include "memory/dram/cycle_tiles.hpp"

#include <algorithm>

#include "memory/dram/report.hpp"

namespace mesim::dram {

CycleTiles::CycleTiles(const MemoryConfig& config, const std::string& source)
    : config_(config),
      channels_(config, source),
      burst_bytes_(channels_.map().geometry().burst_bytes),
      passes_over_(config.model == "stream"),
      stripes_(channels_) {
  channels_.answer_to(this);
}

std::uint64_t CycleTiles::begin(const TileRun& run, Cycles at) {
  now_ = std::max(now_, at);
  (run.write ? written_bytes_ : read_bytes_) += run.bytes();
  if (run.bytes() == 0) {
    done_.push({runs_, now_});
    return runs_++;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(active_.size()));
    active_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  active_[slot] = {};
  active_[slot].run = joined(run);
  active_[slot].number = runs_;
  enter_chunk(active_[slot]);
  asking_.push_back(slot);
  pace_.state = Pace::State::unknown;
  return runs_++;
}

// Goes from command to command until a run is done before anything else happens.
std::optional<TileMemory::Done> CycleTiles::next(Cycles until) {
  while (true) {
    feed();
    const unsigned channel = next_channel();
    const Cycles at = channel == channels_.size() ? never : channels_[channel].next_time();
    if (passes_over_ && at > now_ && pass_over(at, std::min(until, done_.first_at()))) continue;
    if (done_.first_at() <= std::min(at, until)) {
      const auto done = done_.pop(until);
      now_ = std::max(now_, done->at);
      return done;
    }
    if (at > until || at == never) {
      if (until != never) now_ = std::max(now_, until);
      return std::nullopt;
    }
    channels_[channel].run(at + 1);
    now_ = std::max(now_, at);
  }
}

// In turns, a burst each, until no run has a burst for which there is room.
void CycleTiles::feed() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < asking_.size();) {
      const std::uint32_t slot = asking_[i];
      moved = feed_one(slot) || moved;
      if (active_[slot].chunk == active_[slot].run.chunks) {
        asking_.erase(asking_.begin() + static_cast<std::ptrdiff_t>(i));
        pace_.state = Pace::State::unknown;
      } else
        ++i;
    }
  }
}

bool CycleTiles::feed_one(std::uint32_t slot) {
  Active& active = active_[slot];
  Controller& controller = channels_[active.place.channel];
  controller.run(now_ + 1);
  if (!controller.has_room(active.run.write)) return false;
  QueuedBurst burst;
  burst.burst = active.burst;
  burst.row = active.place.row;
  burst.column = active.place.column;
  burst.request = slot;
  burst.unit = active.run.unit;
  burst.bank = active.place.bank;
  ++active.waiting;
  ++active.fed;
  const bool write = active.run.write;
  advance(active);
  controller.accept(std::move(burst), write, now_);
  return true;
}

// Chunks that follow each other without a gap are one: the bursts are the same.
TileRun CycleTiles::joined(TileRun run) const {
  if (run.stride_bytes != run.chunk_bytes || run.chunk_bytes % burst_bytes_ != 0 ||
      run.address % burst_bytes_ != 0)
    return run;
  run.chunk_bytes *= run.chunks;
  run.chunks = 1;
  return run;
}

void CycleTiles::enter_chunk(Active& active) {
  const TileRun& run = active.run;
  const std::uint64_t begin = run.address + active.chunk * run.stride_bytes;
  active.burst = begin / burst_bytes_;
  active.last_burst = (begin + run.chunk_bytes - 1) / burst_bytes_;
  active.place = channels_.map().decode(active.burst * burst_bytes_);
  pace_.state = Pace::State::unknown;
}

void CycleTiles::advance(Active& active) {
  if (active.burst != active.last_burst) {
    ++active.burst;
    if (active.burst % channels_.map().stripes().frame_bursts() == 0) pace_.state = Pace::State::unknown;
    active.place = channels_.map().decode(active.burst * burst_bytes_);
  } else if (++active.chunk != active.run.chunks) {
    enter_chunk(active);
  }
}

void CycleTiles::burst_done(std::uint32_t slot, Cycles, Cycles end) {
  Active& active = active_[slot];
  active.end = std::max(active.end, end);
  if (--active.waiting != 0 || active.chunk != active.run.chunks) return;
  done_.push({active.number, active.end});
  free_.push_back(slot);
}

// The channel whose next command comes first, of those that have bursts; none: their number.
unsigned CycleTiles::next_channel() {
  unsigned first = channels_.size();
  Cycles at = never;
  for (unsigned channel = 0; channel < channels_.size(); ++channel) {
    if (channels_[channel].idle() || channels_[channel].next_time() >= at) continue;
    at = channels_[channel].next_time();
    first = channel;
  }
  return first;
}

void CycleTiles::write(StatWriter& out, Cycles end) const {
  const auto counters = channels_.closed_counters(end);
  write_statistics({config_, channels_, counters, end, {}, {}, read_bytes_, written_bytes_}, out);
}

}  // namespace mesim::dram
