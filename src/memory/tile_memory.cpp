#include "memory/tile_memory.hpp"

#include <algorithm>
#include <cmath>

#include "memory/dram/cycle_tiles.hpp"
#include "memory/tile_queue.hpp"

namespace mesim {
namespace {

// One channel with a latency and a bandwidth, as FixedLatencyMemory: a run takes it for its bytes.
class FixedTiles final : public TileMemory {
 public:
  explicit FixedTiles(const FixedLatencyConfig& config) : config_(config) {}

  ClockPeriod clock() const override { return ClockPeriod::picoseconds(1000); }
  double peak_bytes_per_cycle() const override { return config_.bandwidth_gbps; }

  std::uint64_t begin(const TileRun& run, Cycles at) override {
    const auto bytes = static_cast<double>(run.bytes());
    free_at_ = std::max(free_at_, static_cast<double>(at)) + bytes / config_.bandwidth_gbps;
    const double end = bytes == 0 ? static_cast<double>(at) : free_at_ + config_.latency_ns;
    queue_.push({runs_, static_cast<Cycles>(std::ceil(end))});
    (run.write ? written_bytes_ : read_bytes_) += run.bytes();
    return runs_++;
  }
  std::optional<Done> next(Cycles until) override { return queue_.pop(until); }

  std::uint64_t read_bytes() const override { return read_bytes_; }
  std::uint64_t written_bytes() const override { return written_bytes_; }
  void write(StatWriter& out, Cycles) const override {
    out.begin("memory");
    out.count("read_bytes", read_bytes_);
    out.count("written_bytes", written_bytes_);
    out.end();
  }

 private:
  FixedLatencyConfig config_;
  double free_at_ = 0;
  TileQueue queue_;
  std::uint64_t runs_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace

std::unique_ptr<TileMemory> make_tile_memory(const MemoryConfig& config, const std::string& source) {
  if (config.is_dram()) return std::make_unique<dram::CycleTiles>(config, source);
  return std::make_unique<FixedTiles>(config);
}

}  // namespace mesim
