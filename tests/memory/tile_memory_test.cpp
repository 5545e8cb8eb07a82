// Memory for tiles: the stream model against every command, and what all models keep.
#include "memory/tile_memory.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "memory/dram/cycle_tiles.hpp"
#include "sim/random.hpp"
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

// `engines` of these runs under way at a time, looked at every `step` cycles: when each has moved.
std::vector<TileMemory::Done> completions(TileMemory& memory, const std::vector<TileRun>& runs,
                                          unsigned engines, Cycles step = never) {
  std::vector<TileMemory::Done> out;
  std::size_t begun = 0;
  Cycles now = 0;
  for (Cycles until = step; out.size() < runs.size();) {
    while (begun < runs.size() && begun - out.size() < engines) memory.begin(runs[begun++], now);
    if (const auto done = memory.next(until)) {
      out.push_back(*done);
      now = done->at;
    } else {
      now = until;
      until += step;
    }
  }
  return out;
}

void flatten(const StatNode& node, const std::string& path, std::map<std::string, double>& out) {
  for (const auto& entry : node.stats) {
    out[path + entry.name] = std::visit([](auto value) { return static_cast<double>(value); }, entry.value);
  }
  for (const auto& child : node.children) flatten(child, path + child.name + "/", out);
}

std::map<std::string, double> statistics(const TileMemory& memory, Cycles end) {
  StatTree stats;
  memory.write(stats, end);
  std::map<std::string, double> out;
  flatten(*stats.component("memory"), "", out);
  return out;
}

std::string differences(const TileMemory& a, const TileMemory& b, Cycles end) {
  const auto of_b = statistics(b, end);
  std::string out;
  for (const auto& [name, value] : statistics(a, end)) {
    const bool mean = name.find("mean_") != std::string::npos;  // of waits: taken at the ends of stripes
    if (std::abs(of_b.at(name) - value) > (mean ? 0.01 * value : 0))
      out += fmt::format("{}: {} and {}\n", name, value, of_b.at(name));
  }
  return out;
}

// Eight runs that begin in different rows.
std::vector<TileRun> eight_runs(std::uint64_t bytes, std::uint64_t chunk, std::uint64_t stride,
                                const std::string& direction) {
  std::vector<TileRun> runs;
  for (std::uint64_t i = 0; i < 8; ++i) {
    const bool write = direction == "write" || (direction == "mixed" && i % 2 != 0);
    runs.push_back({i * 4'870'144, chunk, stride, std::max<std::uint64_t>(bytes / 8 / chunk, 1), write});
  }
  return runs;
}

struct Both {
  std::unique_ptr<TileMemory> cycle;
  std::unique_ptr<TileMemory> stream;

  explicit Both(const std::string& preset, std::vector<std::string> overrides = {}) {
    overrides.push_back("model=cycle");
    cycle = make_tile_memory(test::memory_of(preset, overrides), "test");
    overrides.push_back("model=stream");
    stream = make_tile_memory(test::memory_of(preset, overrides), "test");
  }
  std::uint64_t passed() const { return dynamic_cast<dram::CycleTiles&>(*stream).passed_bursts(); }
};

bool same(const std::vector<TileMemory::Done>& a, const std::vector<TileMemory::Done>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.run == y.run && x.at == y.at; });
}

}  // namespace

TEST_CASE("the stream model ends every run in the cycle in which the controllers end it") {
  std::uint64_t passed = 0;
  for (const std::string& preset : test::dram_presets) {
    const std::uint64_t bytes = preset.starts_with("hbm") ? 1 << 19 : 1 << 17;
    for (const std::uint64_t chunk : {64, 192, 256, 1024, 4096, 16'384, 65'536}) {
      for (const std::uint64_t stride : {chunk, chunk + 192, std::max<std::uint64_t>(2 * chunk, 8192)}) {
        for (const std::string direction : {"read", "write", "mixed"}) {
          for (const unsigned engines : {1, 4}) {
            const auto runs = eight_runs(bytes, chunk, stride, direction);
            Both both(preset);
            INFO(preset << ", " << direction << " " << chunk << " bytes each " << stride << ", " << engines
                        << " engines");
            const auto exact = completions(*both.cycle, runs, engines);
            CHECK(same(completions(*both.stream, runs, engines), exact));
            CHECK(differences(*both.stream, *both.cycle, exact.back().at) == "");
            passed += both.passed();
          }
        }
      }
    }
  }
  CHECK(passed > 1'000'000);
}

TEST_CASE("and so with every policy of the controllers and any mapping") {
  Random random(5);
  for (const std::string preset : {"ddr4-3200", "ddr5-4800", "hbm2", "hbm3"}) {
    for (const std::string policy :
         {"controller.scheduler=fr-fcfs-cap", "controller.scheduler=fcfs", "controller.grouping=none",
          "controller.rows=closed", "controller.rows=adaptive", "controller.rows=timeout",
          "controller.refresh=none", "controller.postponed_refreshes=4", "controller.read_queue=8",
          "controller.power_down_after_cycles=100", "organisation.channels=6", "mapping=A",
          "mapping=channel:row:bank:column:group:pseudo:rank",
          "mapping=row:rank:bank:column:group:channel:pseudo; bank ^= row"}) {
      for (int i = 0; i < 4; ++i) {
        const std::uint64_t chunk = 32 + random.below(20'000);
        const std::uint64_t stride = i % 2 == 0 ? chunk : chunk + random.below(20'000);
        const auto runs = eight_runs(400'000, chunk, stride, i == 0 ? "read" : i == 1 ? "write" : "mixed");
        Both both(preset, {policy});
        INFO(preset << ", " << policy << ", " << chunk << " bytes each " << stride);
        const unsigned engines = 1 + static_cast<unsigned>(random.below(3));
        CHECK(same(completions(*both.stream, runs, engines), completions(*both.cycle, runs, engines)));
      }
    }
  }
}

TEST_CASE("a long run costs the stream model its rows and refreshes, not its bursts") {
  for (const auto& [preset, share] : {std::pair{"ddr4-3200", 0.85}, {"hbm2", 0.7}, {"hbm3", 0.65}}) {
    INFO(preset);
    Both both(preset);
    const TileRun run{1 << 20, 4096, 4096, 1024, false};
    both.stream->transfer(run, 0);
    const auto bursts = static_cast<double>(run.bytes()) / (std::string(preset) == "ddr4-3200" ? 64 : 32);
    CHECK(static_cast<double>(both.passed()) > share * bursts);
  }
}

TEST_CASE("runs on different channels do not wait for each other") {
  Both both("hbm2", {"mapping=channel:row:bank:column:group:pseudo"});
  const TileRun here{0, 4096, 4096, 64, false};
  const TileRun there{std::uint64_t{1} << 30, 4096, 4096, 64, false};
  both.stream->begin(here, 0);
  both.stream->begin(there, 0);
  CHECK(both.stream->next(never)->at == both.stream->next(never)->at);
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
  for (const std::string model : {"cycle", "stream"}) {
    for (const std::string preset : {"hbm2", "ddr4-3200"}) {
      INFO(model << ", " << preset);
      const auto ends = [&](Cycles step) {
        const auto memory = make_tile_memory(test::memory_of(preset, {"model=" + model}), "test");
        return completions(*memory, eight_runs(1 << 19, 16'384, 24'576, "read"), 2, step);
      };
      const auto at_once = ends(never);
      for (const Cycles step : {7, 100, 1001}) CHECK(same(ends(step), at_once));
    }
  }
}
