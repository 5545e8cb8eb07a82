// How fast runs of bursts go through rows that are open. A stripe (`AddressMap::stripes`) has a burst for
// each of its banks, so while all runs stay in their frames every stripe is served as the one before; nothing
// is faster than the data bus, the bank groups and the command bus allow, and what has once been as fast as
// that goes on so until a frame, a run or a refresh ends it.
#pragma once
#include <cstdint>
#include <vector>

#include "memory/dram/channels.hpp"

namespace mesim::dram {

class StripePace {
 public:
  explicit StripePace(const Channels& channels) : channels_(channels), round_(channels.size()) {}

  // Begins with no runs.
  void clear();
  // A run that is at `burst` of memory.
  void add(std::uint64_t burst, std::uint16_t unit);
  // No stripe of all these runs takes less.
  Cycles least_period(bool write) const;
  // Their bursts of a stripe, on one channel.
  const std::vector<Controller::RoundBurst>& of_channel(unsigned channel) const { return round_[channel]; }

 private:
  Cycles least_period(const std::vector<Controller::RoundBurst>& round, bool write) const;

  const Channels& channels_;
  std::vector<std::vector<Controller::RoundBurst>> round_;
};

}  // namespace mesim::dram
