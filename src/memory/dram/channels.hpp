// All channels of a memory behind one address map. Channels run independently of each other: each is brought
// to the time of a burst when one comes, so a burst costs the same however many channels there are.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "memory/dram/address_map.hpp"
#include "memory/dram/controller.hpp"
#include "memory/memory_config.hpp"

namespace mesim::dram {

class Channels {
 public:
  // Throws bad_input, naming `source`, for a standard that cannot be.
  Channels(const MemoryConfig& config, const std::string& source);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  const AddressMap& map() const { return map_; }
  const Timings& timings() const { return timings_; }
  const TimingTable& table() const { return table_; }
  // What the data pins of all channels could move.
  double peak_bytes_per_cycle() const {
    const Geometry& geometry = map_.geometry();
    return static_cast<double>(geometry.burst_bytes) / table_.burst * geometry.pseudo_channels * size();
  }
  unsigned refresh_steps() const { return plan_.steps; }
  unsigned size() const { return static_cast<unsigned>(controllers_.size()); }
  Controller& operator[](unsigned channel) { return *controllers_[channel]; }
  const Controller& operator[](unsigned channel) const { return *controllers_[channel]; }

  void answer_to(BurstSink* sink);
  // Everything that waits is served. Returns the end of the last transfer.
  Cycles drain();
  // What each controller counted, with refreshes done and accounts closed up to `end`; the channels stay as
  // they are.
  std::vector<ControllerCounters> closed_counters(Cycles end) const;

 private:
  Timings timings_;
  TimingTable table_;
  AddressMap map_;
  RefreshPlan plan_;
  std::vector<std::unique_ptr<Controller>> controllers_;
};

}  // namespace mesim::dram
