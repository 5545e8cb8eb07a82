// The stream model against the controllers on the same transfers.
#include "memory/dram/stream_model.hpp"

#include <catch2/catch.hpp>

#include "memory/dram/energy.hpp"
#include "tests/memory/dram_helpers.hpp"

using namespace mesim;

namespace {

// Runs that are all begun at once: the cycle in which the last has moved.
Cycles all_moved(TileMemory& memory, const std::vector<TileRun>& runs) {
  Cycles end = 0;
  for (const TileRun& run : runs) memory.begin(run, 0);
  while (const auto done = memory.next(never)) end = done->at;
  return end;
}

double off_by(const std::string& preset, const std::vector<TileRun>& runs) {
  const auto cycle = make_tile_memory(test::memory_of(preset), "test");
  const auto stream = make_tile_memory(test::memory_of(preset, {"model=stream"}), "test");
  double exact = 0;
  double fast = 0;
  for (const TileRun& run : runs) {  // one after another
    exact = static_cast<double>(cycle->transfer(run, static_cast<Cycles>(exact)));
    fast = static_cast<double>(stream->transfer(run, static_cast<Cycles>(fast)));
  }
  return fast / exact - 1;
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

TEST_CASE("runs by the command that are begun together share the memory and take as long as their bursts") {
  const auto memory = make_tile_memory(test::memory_of("ddr4-3200"), "test");
  const TileRun first{0, 4096, 4096, 64, false};
  const TileRun second{std::uint64_t{1} << 20, 4096, 4096, 64, false};
  const auto alone = make_tile_memory(test::memory_of("ddr4-3200"), "test");
  const auto one = static_cast<double>(alone->transfer(first, 0));
  CHECK(static_cast<double>(all_moved(*memory, {first, second})) == Approx(2 * one).epsilon(0.1));
}

TEST_CASE("completions come in order of time, none before it is waited for, and empty runs at once") {
  for (const std::string model : {"cycle", "stream", "fixed"}) {
    INFO(model);
    const auto memory = make_tile_memory(test::memory_of("ddr4-3200", {"model=" + model}), "test");
    CHECK(memory->begin({0, 4096, 4096, 16, false}, 5) == 0);
    CHECK(memory->begin({1 << 22, 64, 64, 1, true}, 5) == 1);
    CHECK(memory->begin({0, 64, 64, 0, false}, 5) == 2);
    const auto empty = memory->next(5);
    REQUIRE(empty);
    CHECK(empty->run == 2);
    CHECK(empty->at == 5);
    CHECK_FALSE(memory->next(6));
    const auto first = memory->next(never);
    const auto last = memory->next(never);
    REQUIRE(first);
    REQUIRE(last);
    CHECK(first->at <= last->at);
    CHECK(first->run != last->run);
    CHECK_FALSE(memory->next(never));
    CHECK(memory->read_bytes() == 16 * 4096);
    CHECK(memory->written_bytes() == 64);
  }
}

TEST_CASE("waiting for a completion in small steps changes nothing") {
  const auto ends = [](Cycles step) {
    const auto memory = make_tile_memory(test::memory_of("hbm2"), "test");
    std::vector<Cycles> out;
    memory->begin({0, 512, 8192, 100, false}, 3);
    memory->begin({1 << 24, 2048, 2048, 50, true}, 3);
    for (Cycles until = step; out.size() < 2; until = step == never ? never : until + step) {
      while (const auto done = memory->next(until)) out.push_back(done->at);
    }
    return out;
  };
  CHECK(ends(7) == ends(never));
}

TEST_CASE("the stream model's energy is that of the controllers on long runs") {
  const TileRun run{0, 4096, 4096, 4000, false};
  const auto energy = [&](const std::string& model) {
    const MemoryConfig config = test::memory_of("ddr4-3200", {"model=" + model});
    const auto memory = make_tile_memory(config, "test");
    const Cycles end = memory->transfer(run, 0);
    StatTree stats;
    memory->write(stats, end);
    return dram::shares_of(dram::energy_counts(*stats.component("memory")), dram::EventEnergies(config))
        .core_pj;
  };
  CHECK(energy("stream") == Approx(energy("cycle")).epsilon(0.02));
}
