// True and false sharing on timed machines: where one access is over before the next begins it must be what
// the untimed bus tells, whose rules are tested by themselves; everywhere it must be the same whatever engine
// runs, and must cost the machine no cycle.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "coherence/functional_bus.hpp"
#include "system/sharing.hpp"
#include "system/timed_directory.hpp"
#include "system/timed_split_bus.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr std::uint32_t cores = 4;
constexpr std::size_t all_lines = 1000;

struct Access {
  std::uint16_t core;
  bool store;
  std::uint64_t address;
};

std::vector<Access> random_accesses(std::uint64_t seed) {
  Random random(seed);
  std::vector<Access> accesses;
  for (int i = 0; i < 400; ++i) {
    accesses.push_back({static_cast<std::uint16_t>(random.below(cores)), random.chance(0.4),
                        0x10000 + 64 * random.below(12) + 4 * random.below(5)});
  }
  return accesses;
}

// Each access waits for the one before.
ThreadsTrace one_after_the_other(const std::vector<Access>& accesses) {
  std::vector<std::vector<Record>> threads(cores);
  const auto add = [&](std::uint16_t core, RecordKind kind, std::uint64_t address, std::uint32_t size) {
    Record r;
    r.kind = kind;
    r.thread = core;
    r.address = address;
    r.size = size;
    threads[core].push_back(r);
  };
  for (std::uint32_t i = 0; i < accesses.size(); ++i) {
    const Access& a = accesses[i];
    add(a.core, RecordKind::wait, 1, i);
    add(a.core, a.store ? RecordKind::store : RecordKind::load, a.address, 4);
    add(a.core, RecordKind::signal, 1, 0);
  }
  return ThreadsTrace(std::move(threads));
}

// Lines, who took them from whom, and what missed, without what takes time.
std::string told(const SharingTracker& sharing) {
  std::string text;
  for (const SharedLine& line : sharing.worst(all_lines)) {
    text += fmt::format("{:x}: {} lost, {} true, {} false;", line.address, line.invalidations,
                        line.true_sharing_misses, line.false_sharing_misses);
    for (const auto& loss : line.losses)
      text += fmt::format(" {} from {}: {}", loss.by, loss.victim, loss.count);
    text += "\n";
  }
  for (const SharedPlace& p : sharing.places())
    text += fmt::format("{:x} {} {}\n", p.address, p.true_sharing_misses, p.false_sharing_misses);
  return text;
}

// With all that it costs.
std::string all_told(const SharingTracker& sharing) {
  return sharing_json(sharing, all_lines, {}, true).dump() + told(sharing);
}

void set_tiles(TimedTilesConfig& config, const CacheConfig& l1d) {
  config.cores = cores;
  config.core = CoreConfig::blocking();
  config.caches.l1d = l1d;
  config.attribute_sharing = true;
}

std::string on_untimed_bus(const std::vector<Access>& accesses, const char* protocol,
                           const CacheConfig& l1d) {
  FunctionalBusConfig config;
  config.cores = cores;
  config.l1d = l1d;
  config.coherence.protocol = protocol;
  FunctionalBus bus(config);
  for (const Access& a : accesses) a.store ? bus.store(a.core, a.address, 4) : bus.load(a.core, a.address, 4);
  return told(*bus.sharing());
}

template <class Machine>
std::string on_machine(Machine&& machine, Trace& trace) {
  machine.load(trace);
  machine.reset(1);
  REQUIRE(machine.run(never));
  return told(*machine.sharing());
}

// The same run in all engines, looked at now and then, and once more without telling of sharing.
template <class Machine, class Config>
std::uint64_t compare_engines(Config config, Trace& trace, std::uint64_t seed) {
  std::string first;
  Cycles cycles = 0;
  std::uint64_t misses = 0;
  for (const RunAhead how : {RunAhead::none, RunAhead::events, RunAhead::window, RunAhead::speculation}) {
    config.run_ahead = how;
    config.attribute_sharing = true;
    Machine machine(config);
    machine.load(trace);
    machine.reset(seed);
    Random random(seed * 10 + static_cast<std::uint64_t>(how));
    Cycles stop = 0;
    while (!machine.run(stop)) stop += 1 + random.below(5000);
    const std::string text = all_told(*machine.sharing());
    if (how == RunAhead::none) {
      first = text;
      cycles = machine.cycles();
    }
    REQUIRE(text == first);
    REQUIRE(machine.cycles() == cycles);
    for (unsigned core = 0; core < config.cores; ++core)
      misses += machine.sharing()->true_sharing_misses(core) + machine.sharing()->false_sharing_misses(core);
  }
  config.attribute_sharing = false;
  Machine plain(config);
  plain.load(trace);
  plain.reset(seed);
  REQUIRE(plain.run(never));
  CHECK(plain.cycles() == cycles);
  CHECK(plain.sharing() == nullptr);
  return misses;
}

std::uint64_t total(const RunResult& result, const char* name) {
  return result.stats.component("total")->count(name);
}

}  // namespace

TEST_CASE("accesses one after the other share on timed machines as on the untimed bus") {
  const CacheConfig l1d = GENERATE(CacheConfig{.size_bytes = 32768, .ways = 8, .line_bytes = 64},
                                   CacheConfig{.size_bytes = 256, .ways = 1, .line_bytes = 64},
                                   CacheConfig{.size_bytes = 512, .ways = 4, .line_bytes = 64});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed, l1d.size_bytes);
    const auto accesses = random_accesses(seed);
    ThreadsTrace trace = one_after_the_other(accesses);
    const char* protocols[] = {"MSI", "MESI", "MOESI"};
    for (int family = 0; family < 3; ++family) {
      CAPTURE(protocols[family]);
      const std::string wanted = on_untimed_bus(accesses, protocols[family], l1d);
      REQUIRE(wanted.size() > 100);
      TimedDirectoryConfig directory;
      set_tiles(directory, l1d);
      directory.protocol.family = static_cast<directory::Family>(family);
      CHECK(on_machine(TimedDirectory(directory), trace) == wanted);
      CHECK(on_machine(OutOfOrderDirectory(directory), trace) == wanted);
      TimedSplitBusConfig bus;
      set_tiles(bus, l1d);
      bus.family = static_cast<split_bus::Family>(family);
      bus.bus.nonstalling = seed % 2 == 0;
      CHECK(on_machine(TimedSplitBus(bus), trace) == wanted);
    }
  }
}

TEST_CASE("sharing is told alike by all engines, and telling it costs no cycle") {
  std::uint64_t misses = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    WorkloadShape shape;
    shape.cores = static_cast<unsigned>(2 + random.below(6));
    shape.references = 800;
    shape.shared = random.chance(0.5) ? 0.3 : 0.05;
    shape.shared_lines = random.chance(0.5) ? 4 : 40;
    shape.hot_lines = random.chance(0.5) ? 8 : 60;
    shape.specials = random.chance(0.3) ? 0.05 : 0;
    const auto trace = random_workload(shape, seed);
    const auto set = [&](TimedTilesConfig& config) {
      config.cores = shape.cores;
      config.core.store_buffer = static_cast<std::uint32_t>(random.below(9));
      config.caches.l1d = {.size_bytes = 1024u << random.below(4), .ways = 2, .line_bytes = 64};
      if (random.chance(0.3))
        config.caches.l2 = CacheConfig{.size_bytes = 16384, .ways = 8, .line_bytes = 64};
    };
    TimedDirectoryConfig directory;
    set(directory);
    directory.protocol.family = static_cast<directory::Family>(seed % 3);
    directory.protocol.nonstalling = random.chance(0.5);
    directory.network.topology = random.chance(0.5) ? "mesh" : "crossbar";
    misses += compare_engines<TimedDirectory>(directory, *trace, seed);
    TimedSplitBusConfig bus;
    set(bus);
    bus.family = static_cast<split_bus::Family>(seed % 3);
    bus.bus.nonstalling = random.chance(0.5);
    bus.bus.snoop_queue = static_cast<std::uint32_t>(1 + random.below(9));
    misses += compare_engines<TimedSplitBus>(bus, *trace, seed);
    directory.core.type = "out_of_order";
    misses += compare_engines<OutOfOrderDirectory>(directory, *trace, seed);
  }
  CHECK(misses > 10000);
}

TEST_CASE("a directory and a split bus name the variables that share a line, and the cycles they cost") {
  for (const std::string machine : {"directory", "split_bus"}) {
    CAPTURE(machine);
    const auto run = [&](std::vector<std::string> overrides) {
      overrides.insert(overrides.begin(),
                       {"order=timed", "coherence.interconnect=" + machine, "workload.rounds=200"});
      return run_with(overrides);
    };
    const RunResult packed = run({"workload.pattern=counters"});
    const auto& line = packed.sharing.at("lines").at(0);
    CHECK(line.at("kind") == "false");
    CHECK(line.at("variables").size() == 4);
    CHECK(total(packed, "true_sharing_misses") == 0);
    CHECK(total(packed, "false_sharing_misses") > 100);
    std::uint64_t by_loss = 0;
    for (const auto& loss : line.at("losses")) by_loss += loss.at("cycles_lost").get<std::uint64_t>();
    CHECK(by_loss == total(packed, "false_sharing_cycles"));
    CHECK(run({"workload.pattern=counters", "workload.stride_bytes=64"}).sharing.at("lines").empty());
    const RunResult migratory = run({"workload.pattern=migratory"});
    CHECK(total(migratory, "false_sharing_misses") == 0);
    CHECK(total(migratory, "true_sharing_misses") == 4 * 200 - 4);
    const RunResult program = run({"workload.program=ticket-lock", "workload.parameters=[\"rounds=20\"]"});
    CHECK(program.sharing.dump().find("now_serving") != std::string::npos);
    CHECK(run({"coherence.attribute_sharing=false"}).sharing.is_null());
  }
}
