// An accelerator beside the cores of a timed directory: its loads and stores are the transfers of a DMA
// device, whole lines through the homes, so that it reads what cores have written and takes what they hold.
//
// The tile machine goes on when the device does: a transfer ends when its last line has come, and what the
// program does then begins in that cycle.
#pragma once
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "accel/layer_run.hpp"
#include "accel/systolic_mapper.hpp"
#include "cores/dma_source.hpp"
#include "sim/result.hpp"
#include "system/config.hpp"

namespace mesim {

// Transfers as lines that a device moves.
class CoherentPath final : public accel::TransferMemory {
 public:
  explicit CoherentPath(std::uint32_t line_bytes) : line_bytes_(line_bytes) {}

  std::optional<accel::TransferDone> next(Cycles until) override;
  void relative_state(Cycles, std::vector<std::uint64_t>&) const override {}
  void shift(Cycles) override {}
  bool recurs() const override { return false; }

  bool waiting() const { return !lines_.empty(); }
  DmaTransfer<NoData> take();
  void line_moved(const DmaTransfer<NoData>& transfer, Cycles now);
  std::uint64_t lines_under_way() const { return under_way_; }

 protected:
  accel::TransferTime begin(const accel::TileOp& op, Cycles now) override;

 private:
  struct Line {
    std::uint64_t line = 0;
    bool write = false;
    std::uint64_t run = 0;
  };

  std::uint32_t line_bytes_;
  std::deque<Line> lines_;           // that have not begun
  std::vector<std::uint64_t> left_;  // lines of each run
  std::deque<accel::TransferDone> done_;
  // Runs that wait for a line, by line and direction; the oldest is answered first.
  std::unordered_map<std::uint64_t, std::deque<std::uint64_t>> waiting_for_;
  std::uint64_t under_way_ = 0;
};

// One run of an accelerator's program, fed to a DMA device.
class AcceleratorFeed final : public DmaFeed {
 public:
  AcceleratorFeed(const accel::AcceleratorConfig& config, const accel::SystolicMapper& mapper,
                  std::uint32_t line_bytes);

  void advance(Cycles now) override { machine_.advance(now); }
  Cycles next_event() const override { return machine_.next_event_at(); }
  bool waiting() const override { return path_.waiting(); }
  DmaTransfer<NoData> next() override { return path_.take(); }
  void done(const DmaTransfer<NoData>& transfer, Cycles now) override { path_.line_moved(transfer, now); }
  bool finished() const override { return machine_.done(); }
  void digest(Digest& digest) const override;

  const accel::TileMachine& machine() const { return machine_; }
  Cycles end() { return machine_.end(); }  // closes the accounts of a program that is done
  const CoherentPath& path() const { return path_; }

 private:
  CoherentPath path_;
  accel::TileMachine machine_;
};

class CoherentAccelerator {
 public:
  // Throws bad_input, naming `source`, for buffers that do not hold the program's tiles.
  CoherentAccelerator(const SystemConfig& config, const std::string& source);

  std::unique_ptr<AcceleratorFeed> feed() const;
  // Statistics, cycles and energy of its engines, into the result of the machine around it.
  void collect(AcceleratorFeed& feed, const SystemConfig& config, RunResult& result) const;

 private:
  accel::AcceleratorConfig config_;
  accel::SystolicMapper mapper_;
  GemmShape gemm_;
  std::uint32_t line_bytes_;
};

}  // namespace mesim
