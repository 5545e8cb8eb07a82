// The stream model against the controllers on the same transfers.
#include "memory/dram/stream_model.hpp"

#include <catch2/catch.hpp>

#include "tests/memory/dram_helpers.hpp"

using namespace mesim;
using dram::TileRun;

namespace {

class Tiles final : public dram::RequestSource {
 public:
  explicit Tiles(const std::vector<TileRun>& runs) {
    for (const TileRun& run : runs) {
      for (std::uint64_t i = 0; i < run.chunks; ++i) {
        dram::MemoryAccess access;
        access.address = run.address + i * run.stride_bytes;
        access.bytes = static_cast<std::uint32_t>(run.chunk_bytes);
        access.write = run.write;
        accesses_.push_back(access);
      }
    }
  }
  std::span<const dram::MemoryAccess> next() override {
    return std::exchange(done_, true) ? std::span<const dram::MemoryAccess>() : accesses_;
  }

 private:
  std::vector<dram::MemoryAccess> accesses_;
  bool done_ = false;
};

double off_by(const std::string& preset, const std::vector<TileRun>& runs) {
  const MemoryConfig config = test::memory_of(preset);
  dram::Channels channels(config, "test");
  Tiles source(runs);
  test::WatchNothing watch;
  const auto exact = static_cast<double>(dram::run_direct(channels, source, watch).cycles);
  dram::StreamModel model(config, "test");
  Cycles end = 0;
  for (const TileRun& run : runs) end = model.transfer(run, 0);
  return static_cast<double>(end) / exact - 1;
}

}  // namespace

TEST_CASE("the stream model is within 2 % of the controllers on twenty patterns") {
  constexpr std::uint64_t MB = 1 << 20;
  for (const std::string preset : {"ddr4-3200", "ddr5-6400", "lpddr5-6400", "hbm2"}) {
    const std::uint64_t total = preset == "hbm2" ? 16 * MB : 3 * MB;
    const auto run = [&](std::uint64_t chunk, std::uint64_t stride, bool write) {
      return TileRun{MB / 2, chunk, stride, total / chunk, write};
    };
    const std::vector<std::vector<TileRun>> patterns = {
        {run(4096, 4096, false)},                         // a whole matrix
        {run(4096, 4096, true)},                          // written
        {run(256, 8192, false)},                          // a tile of rows
        {run(1024, 16384, true)},                         // a tile written
        {run(2048, 2048, false), run(2048, 2048, true)},  // in, then out
    };
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      INFO(preset << ", pattern " << i);
      CHECK(std::abs(off_by(preset, patterns[i])) < 0.02);
    }
  }
}

TEST_CASE("runs on different channels do not wait for each other") {
  const MemoryConfig config = test::memory_of("hbm2", {"mapping=channel:row:bank:column:group:pseudo"});
  dram::StreamModel model(config, "test");
  const TileRun here{0, 4096, 4096, 64, false};
  const TileRun there{std::uint64_t{1} << 30, 4096, 4096, 64, false};
  const Cycles first = model.transfer(here, 0);
  CHECK(model.transfer(there, 0) == first);
  CHECK(model.transfer(here, 0) > first);
}
