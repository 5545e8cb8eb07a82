// The commands of a DRAM on a timeline: a track for each bank, on which a slice is a row that is
// open and its address the row, with the column commands inside; a track for each rank with refreshes and the
// like. A command is a cycle long.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "memory/checker/dram_command.hpp"
#include "memory/memory.hpp"
#include "sim/clock_domain.hpp"
#include "sim/timeline.hpp"

namespace mesim {

class DramTimeline {
 public:
  // `clock` is the memory's.
  DramTimeline(Timeline& timeline, const ClockDomain& clock);
  void take(const dram_check::DramCommand& command);
  // The run is over in cycle `now` of the memory; rows that are open end with it.
  void finish(Cycles now);

 private:
  struct Bank {
    Timeline::Track track = 0;
    bool open = false;
    Cycles opened = 0;
    std::uint32_t row = 0;
    std::vector<std::pair<Cycles, dram_check::Op>> columns;
  };
  using BankName = std::array<std::uint32_t, 5>;  // channel, pseudo-channel, rank, group, bank

  Bank& bank_of(const dram_check::DramCommand& command);
  void close(Bank& bank, Cycles at);
  void on_rank(const dram_check::DramCommand& command);

  Timeline& timeline_;
  ClockDomain clock_;
  std::map<BankName, Bank> banks_;
  std::vector<Timeline::Name> commands_;  // by Op
  Timeline::Name row_;
};

// The same for the memory of a machine, while it runs; nothing if there is no timeline or no DRAM.
class MachineDramTimeline {
 public:
  MachineDramTimeline(Timeline* timeline, Memory& memory);
  ~MachineDramTimeline() { memory_.watch_commands({}); }
  MachineDramTimeline(const MachineDramTimeline&) = delete;
  MachineDramTimeline& operator=(const MachineDramTimeline&) = delete;
  void finish(Tick end);

 private:
  Memory& memory_;
  ClockDomain clock_;
  std::optional<DramTimeline> timeline_;
};

}  // namespace mesim
