// The commands of a run as records: for the checker, and for a file that it or a person reads later.
#pragma once
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "memory/checker/dram_command.hpp"
#include "memory/checker/timing_checker.hpp"
#include "memory/dram/channels.hpp"
#include "memory/dram/controller.hpp"

namespace mesim::dram {

// What the independent checker needs to know of a memory.
dram_check::Parameters checker_parameters(const MemoryConfig& config, const Timings& timings);

// Hands every command of all channels to `take`, as long as it lives.
class CommandTap {
 public:
  using Take = std::function<void(const dram_check::DramCommand&)>;
  CommandTap(Channels& channels, Take take);
  ~CommandTap();
  CommandTap(const CommandTap&) = delete;
  CommandTap& operator=(const CommandTap&) = delete;

 private:
  struct Sink final : CommandSink {
    void command(Cycles at, Command command, unsigned bank, std::uint32_t row, std::uint32_t column) override;
    const Take* take = nullptr;
    Geometry geometry;
    std::uint32_t channel = 0;
  };
  Channels& channels_;
  Take take_;
  std::deque<Sink> sinks_;
};

}  // namespace mesim::dram
