// Buffers of banks against one that counts every word of every cycle.
#include <catch2/catch.hpp>
#include <set>

#include "accel/banked_buffer.hpp"
#include "sim/random.hpp"
#include "tests/accel/systolic_helpers.hpp"

using namespace mesim;
using namespace mesim::accel;
using namespace mesim::test;

namespace {

// Reads vector after vector, in each cycle as many words of each bank as it has ports.
Cycles counted_cycles(const SramConfig& sram, std::uint64_t element_bytes, const VectorAccess& access,
                      std::uint64_t steps) {
  Cycles cycles = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::set<std::uint64_t> wanted;
    for (std::uint64_t i = 0; i < access.count; ++i) {
      for (std::uint64_t byte = 0; byte < element_bytes; ++byte) {
        wanted.insert((step * access.step_bytes + i * access.stride_bytes + byte) / sram.bank_bytes);
      }
    }
    while (!wanted.empty()) {
      std::vector<std::uint32_t> given(sram.banks, 0);
      for (auto word = wanted.begin(); word != wanted.end();) {
        word = given[*word % sram.banks]++ < sram.bank_ports ? wanted.erase(word) : std::next(word);
      }
      ++cycles;
    }
  }
  return cycles;
}

AcceleratorConfig banked(const std::string& dataflow, std::uint32_t banks) {
  AcceleratorConfig config;
  config.rows = config.columns = 16;
  config.dataflow = dataflow;
  config.sram.banks = banks;
  config.sram.bank_bytes = 1;
  return config;
}

}  // namespace

TEST_CASE("rows and columns of tiles in banks take the cycles in which their words come") {
  Random random(21);
  for (int i = 0; i < 300; ++i) {
    SramConfig sram;
    sram.banks = static_cast<std::uint32_t>(1 + random.below(20));
    sram.bank_bytes = 1u << random.below(4);
    sram.bank_ports = static_cast<std::uint32_t>(1 + random.below(3));
    sram.pad_bytes = static_cast<std::uint32_t>(random.below(9));
    const std::uint64_t element_bytes = 1 + random.below(4);
    const BankedBuffer buffer(sram, element_bytes);
    const TileLayout tile = buffer.tile(1 + random.below(40));
    const std::uint64_t count = 1 + random.below(24);
    const VectorAccess access = random.chance(0.5) ? tile.rows_of(count) : tile.columns_of(count);
    const std::uint64_t steps = 1 + random.below(60);
    INFO(i << ": " << sram.banks << " banks of " << sram.bank_bytes << ", stride " << access.stride_bytes);
    CHECK(steps + buffer.conflicts(access, steps) == counted_cycles(sram, element_bytes, access, steps));
  }
}

TEST_CASE("a column of a tile as wide as the banks meets one bank only, and a padded one all of them") {
  // os reads a column of A in each cycle: 16 rows that are 64 bytes long, in 16 banks of a byte.
  AcceleratorConfig config = banked("os", 16);
  const GemmTask task{16, 16, 64};
  const Cycles fold = 64 + 15 + 15;
  CHECK(run_systolic(config, task).cycles == fold + 64 * 15);
  config.sram.bank_ports = 4;
  CHECK(run_systolic(config, task).cycles == fold + 64 * 3);
  config.sram.bank_ports = 1;
  config.sram.pad_bytes = 1;
  CHECK(run_systolic(config, task).cycles == fold);
  // A that lies transposed gives its columns as rows.
  config.sram.pad_bytes = 0;
  GemmTask transposed = task;
  transposed.transpose_a = true;
  CHECK(run_systolic(config, transposed).cycles == fold);
  // ws reads rows, which lie across the banks.
  CHECK(run_systolic(banked("ws", 16), task).cycles == run_systolic(banked("ws", 0), task).cycles);
}

TEST_CASE("every cycle of every multiplier has one owner, with banks and without") {
  Random random(22);
  const char* const dataflows[] = {"os", "ws", "is"};
  for (int i = 0; i < 200; ++i) {
    AcceleratorConfig config =
        banked(dataflows[random.below(3)], static_cast<std::uint32_t>(random.below(18)));
    config.rows = static_cast<std::uint32_t>(1 + random.below(12));
    config.columns = static_cast<std::uint32_t>(1 + random.below(12));
    config.arrays = static_cast<std::uint32_t>(1 + random.below(3));
    config.mac_cycles = static_cast<std::uint32_t>(1 + random.below(3));
    config.overlap_folds = random.chance(0.5);
    config.dma.memory = random.chance(0.7) ? "bandwidth" : "ideal";
    config.dma.prefetch_weights = config.dataflow == "ws" && random.chance(0.5);
    config.sram.chunk = static_cast<std::uint32_t>(1 + random.below(8));
    std::vector<OperatorLayer> layers;
    for (std::uint64_t l = 0; l <= random.below(4); ++l) {
      layers.push_back({.name = "layer",
                        .shape = GemmShape{1 + random.below(2), 1 + random.below(60), 1 + random.below(60),
                                           1 + random.below(60)}});
    }
    const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
    const NetworkRun run = run_layers(config, layers, *memory, "test", nullptr);
    INFO(i << ": " << config.rows << " x " << config.columns << ' ' << config.dataflow);
    REQUIRE(run.layers.size() == layers.size());
    Cycles all = 0;
    for (const LayerRun& layer : run.layers) {
      all += layer.cycles;
      for (std::size_t q = 3; q < layer.queues.size(); q += 2) {
        const QueueCounters& array = layer.queues[q];
        Cycles cycles = array.busy;
        for (const Cycles wait : array.waits) cycles += wait;
        REQUIRE(cycles == layer.cycles);
        REQUIRE(array.conflicts <= array.busy);
        if (config.sram.banks == 0) {
          REQUIRE(array.conflicts + array.waits[static_cast<std::size_t>(WaitOwner::bank)] == 0);
        }
      }
    }
    REQUIRE(all == run.cycles);
  }
}
