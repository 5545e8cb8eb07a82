// Stripes of runs that are served alike, passed over at once: a run costs what its pieces, rows and refreshes
// cost, not its bursts.
#include <algorithm>

#include "memory/dram/cycle_tiles.hpp"

namespace mesim::dram {

// True: time has passed. Everything up to the next command has been done.
bool CycleTiles::pass_over(Cycles next_command, Cycles until) {
  if (pace_.state == Pace::State::unknown) look_at_pace();
  if (pace_.state == Pace::State::none || next_command == never) return false;
  if (pace_.state == Pace::State::watched && !has_kept_pace()) return false;
  if (next_command + pace_.period >= pace_.refresh_due) {
    if (refresh_due() != pace_.refresh_due) watch();
    return false;
  }
  const Cycles end = std::min(until, pace_.refresh_due - 1);
  if (end < next_command + pace_.period) return false;
  std::uint64_t rounds = (end - next_command) / pace_.period;
  for (const std::uint32_t slot : asking_) rounds = std::min(rounds, stripes_left(active_[slot]));
  if (rounds == 0) {
    pace_.state = Pace::State::none;
    return false;
  }
  if (!streams()) {
    watch();
    return false;
  }
  pass_over(rounds);
  return true;
}

void CycleTiles::pass_over(std::uint64_t rounds) {
  const std::uint64_t stripe = channels_.map().stripes().bursts;
  for (unsigned channel = 0; channel < channels_.size(); ++channel) {
    const auto& round = stripes_.of_channel(channel);
    if (!round.empty()) channels_[channel].pass_over(round, {pace_.write, rounds, pace_.period, stripe});
  }
  for (const std::uint32_t slot : asking_) {
    Active& active = active_[slot];
    active.burst += rounds * stripe;
    active.place = channels_.map().decode(active.burst * burst_bytes_);
    passed_bursts_ += rounds * stripe;
  }
  now_ += rounds * pace_.period;
}

// Runs in one direction that all have stripes ahead of them.
void CycleTiles::look_at_pace() {
  pace_.state = Pace::State::none;
  if (asking_.empty() || asking_.size() + free_.size() != active_.size()) return;
  pace_.write = active_[asking_.front()].run.write;
  for (const std::uint32_t slot : asking_) {
    const Active& active = active_[slot];
    if (active.run.write != pace_.write || stripes_left(active) < 2) return;
  }
  stripes_.clear();
  for (const std::uint32_t slot : asking_) stripes_.add(active_[slot].burst, active_[slot].run.unit);
  pace_.shape.clear();
  pace_.period = stripes_.least_period(pace_.write);
  watch();
}

void CycleTiles::watch() {
  pace_.state = Pace::State::watched;
  pace_.since = now_;
  for (const std::uint32_t slot : asking_) active_[slot].fed = 0;
}

// Has each run got on by a stripe of one frame in the least time that stripes take, and does the same wait as
// before?
bool CycleTiles::has_kept_pace() {
  if (now_ < pace_.since + pace_.period) return false;
  const std::uint64_t stripe = channels_.map().stripes().bursts;
  bool kept = now_ == pace_.since + pace_.period;
  for (const std::uint32_t slot : asking_) {
    const Active& active = active_[slot];
    kept = kept && active.fed == stripe && active.burst - first_here(active) >= active.waiting;
  }
  watch();
  std::swap(pace_.shape, pace_.shape_before);
  pace_.shape.clear();
  if (!kept || !streams()) return false;
  for (unsigned channel = 0; channel < channels_.size(); ++channel)
    channels_[channel].shape_into(pace_.write, now_, pace_.shape);
  if (pace_.shape != pace_.shape_before) return false;
  pace_.state = Pace::State::steady;
  pace_.refresh_due = refresh_due();
  return true;
}

bool CycleTiles::streams() const {
  for (unsigned channel = 0; channel < channels_.size(); ++channel) {
    const bool waits = !channels_[channel].idle();
    if (waits == stripes_.of_channel(channel).empty()) return false;
    if (waits && !channels_[channel].streams(pace_.write)) return false;
  }
  return true;
}

// Of its piece and its frame.
std::uint64_t CycleTiles::first_here(const Active& active) const {
  const std::uint64_t chunk = (active.run.address + active.chunk * active.run.stride_bytes) / burst_bytes_;
  return std::max(chunk, active.burst - active.burst % channels_.map().stripes().frame_bursts());
}

// In its frame and its piece, less the burst with which it leaves them.
std::uint64_t CycleTiles::stripes_left(const Active& active) const {
  const AddressMap::Stripes& stripes = channels_.map().stripes();
  const std::uint64_t frame = stripes.frame_bursts();
  const std::uint64_t end = std::min((active.burst / frame + 1) * frame, active.last_burst + 1);
  return (end - active.burst - 1) / stripes.bursts;
}

Cycles CycleTiles::refresh_due() const {
  Cycles due = never;
  for (unsigned channel = 0; channel < channels_.size(); ++channel)
    due = std::min(due, channels_[channel].refresh_due());
  return due;
}

}  // namespace mesim::dram
