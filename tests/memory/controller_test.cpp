// What each decision of a controller is for, seen in what it changes.
#include <catch2/catch.hpp>
#include <fstream>

#include "memory/dram/energy.hpp"
#include "sim/random.hpp"
#include "tests/memory/dram_helpers.hpp"

using namespace mesim;
using test::memory_of;

namespace {

struct Outcome {
  dram::DirectRun run;
  std::vector<dram::ControllerCounters> counters;
  double core_mw = 0;
};

Outcome run_pattern(const MemoryConfig& config, const std::string& name, std::uint64_t requests,
                    double interval_ns = 0) {
  dram::Channels channels(config, "test");
  const double clock = channels.timings().clock_ns();
  auto pattern = test::pattern_of(name, requests, clock);
  if (interval_ns > 0) pattern.interval_cycles = interval_ns / clock;
  const auto source = dram::request_pattern(pattern);
  test::WatchNothing watch;
  Outcome out;
  out.run = dram::run_direct(channels, *source, watch);
  out.counters = channels.closed_counters(out.run.cycles);
  const double ns = static_cast<double>(out.run.cycles) * clock;
  out.core_mw =
      dram::shares_of(dram::energy_counts(out.counters, channels, ns), dram::EventEnergies(config)).core_pj /
      ns;
  return out;
}

Outcome run_with(const std::string& controller, const std::string& pattern, std::uint64_t requests = 5000,
                 double interval_ns = 0) {
  return run_pattern(memory_of("ddr4-3200", {controller.empty() ? "mapping=B" : "controller." + controller}),
                     pattern, requests, interval_ns);
}

// Two requesters of random reads, the second a tenth of the first.
class TwoRequesters final : public dram::RequestSource {
 public:
  std::span<const dram::MemoryAccess> next() override {
    if (done_) return {};
    done_ = true;
    SplitMix64 random(1);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      dram::MemoryAccess access;
      access.address = random.next() % (1 << 28) & ~63ULL;
      access.unit = i % 10 == 9 ? 1 : 0;
      accesses_.push_back(access);
    }
    return accesses_;
  }

 private:
  std::vector<dram::MemoryAccess> accesses_;
  bool done_ = false;
};

}  // namespace

TEST_CASE("first-ready scheduling beats first come, first served on random reads") {
  CHECK(run_with("", "random").run.cycles * 3 < run_with("scheduler=fcfs", "random").run.cycles * 2);
}

TEST_CASE("grouping reads and writes saves turn-arounds") {
  const auto grouped = run_with("", "mixed");
  const auto by_age = run_with("grouping=none", "mixed");
  CHECK(grouped.counters[0].turn_arounds * 4 < by_age.counters[0].turn_arounds);
  CHECK(grouped.run.cycles < by_age.run.cycles);
}

TEST_CASE("closing rows helps random reads that come one at a time, and hurts a stream of them") {
  CHECK(run_with("rows=closed", "sparse").run.read_latency.mean() + 8 <
        run_with("", "sparse").run.read_latency.mean());
  const auto closed = run_with("rows=closed", "stream", 2000, 100);
  CHECK(closed.counters[0].commands[static_cast<std::size_t>(dram::Command::read_ap)] == 2000);
  CHECK(run_with("rows=timeout", "sparse").run.read_latency.mean() <
        run_with("", "sparse").run.read_latency.mean());
}

TEST_CASE("a window of one request is a chase, and larger windows obey Little's law") {
  const auto windowed = [](const std::string& name, std::uint32_t window,
                           std::vector<std::string> overrides) {
    dram::Channels channels(memory_of("ddr4-3200", std::move(overrides)), "test");
    const auto source = dram::request_pattern(test::pattern_of(name, 5000, channels.timings().clock_ns()));
    test::WatchNothing watch;
    return dram::run_direct(channels, *source, watch, window);
  };
  auto reads = test::pattern_of("random", 5000, 1);
  reads.write_every = 0;
  dram::Channels channels(memory_of("ddr4-3200"), "test");
  test::WatchNothing watch;
  CHECK(dram::run_direct(channels, *dram::request_pattern(reads), watch, 1).cycles ==
        windowed("chase", 0, {}).cycles);
  for (const std::uint32_t window : {2U, 5U, 16U}) {
    for (const std::string count : {"1", "4"}) {
      const auto run = windowed("stream", window, {"organisation.channels=" + count});
      const double in_flight =
          static_cast<double>(run.requests) * run.read_latency.mean() / static_cast<double>(run.cycles);
      CHECK(in_flight == Approx(window).epsilon(0.05));
    }
  }
}

TEST_CASE("reads of one bank take a row cycle each, whoever schedules") {
  for (const std::string scheduler : {"fcfs", "fr-fcfs"}) {
    const auto config =
        memory_of("ddr4-3200", {"mapping=A", "controller.refresh=none", "controller.scheduler=" + scheduler});
    dram::Channels channels(config, "test");
    auto pattern = test::pattern_of("stream", 5000, channels.timings().clock_ns());
    pattern.stride_bytes = channels.map().capacity_bytes() / 65536;
    test::WatchNothing watch;
    const auto run = dram::run_direct(channels, *dram::request_pattern(pattern), watch);
    const auto row_cycle = channels.timings().at("nRAS") + channels.timings().at("nRP");
    CHECK(static_cast<double>(run.cycles) / 5000 == Approx(row_cycle).epsilon(0.001));
  }
}

TEST_CASE("power-down and self-refresh save power and cost latency") {
  const auto up = run_with("", "sparse", 2000, 2000);
  const auto down = run_with("power_down_after_cycles=50", "sparse", 2000, 2000);
  const auto asleep = run_with("self_refresh_after_cycles=200", "sparse", 2000, 2000);
  CHECK(down.core_mw < up.core_mw);
  CHECK(asleep.core_mw < down.core_mw);
  CHECK(down.run.read_latency.mean() > up.run.read_latency.mean());
  CHECK(asleep.run.read_latency.mean() > down.run.read_latency.mean());
}

TEST_CASE("refreshing bank by bank shortens the longest wait") {
  const auto all = run_pattern(memory_of("ddr5-4800"), "sparse", 5000);
  const auto some = run_pattern(memory_of("ddr5-4800", {"controller.refresh=same_bank"}), "sparse", 5000);
  CHECK(some.run.read_latency.max() < all.run.read_latency.max());
}

TEST_CASE("postponed refreshes are made up") {
  const auto now = run_with("", "random", 50'000);
  const auto later = run_with("postponed_refreshes=8", "random", 50'000);
  const auto refreshes = [](const Outcome& o) {
    return o.counters[0].commands[static_cast<std::size_t>(dram::Command::refresh)];
  };
  CHECK(refreshes(later) + 9 >= refreshes(now));  // eight owed, and the run is shorter
  CHECK(refreshes(later) < refreshes(now));
}

TEST_CASE("a requester of higher priority waits less, and the others more") {
  const auto mean_wait = [](std::vector<std::string> overrides) {
    overrides.push_back("controller.read_queue=64");
    const MemoryConfig config = memory_of("ddr4-3200", std::move(overrides));
    dram::Channels channels(config, "test");
    TwoRequesters source;
    test::WatchNothing watch;
    const auto run = dram::run_direct(channels, source, watch);
    const auto counters = channels.closed_counters(run.cycles);
    CHECK(counters[0].units.at(0).reads == 18'000);
    CHECK(counters[0].units.at(1).reads == 2'000);
    return counters[0].units[1].read_cycles / 2'000;
  };
  CHECK(mean_wait({"controller.priorities=[0,5]"}) * 2 < mean_wait({}));
}

TEST_CASE("latencies are kept to a fifth of a percent") {
  LatencyHistogram histogram;
  for (Cycles c = 1; c <= 100'000; ++c) histogram.add(c);
  CHECK(histogram.mean() == Approx(50'000.5));
  CHECK(static_cast<double>(histogram.percentile(0.5)) == Approx(50'000).epsilon(0.002));
  CHECK(static_cast<double>(histogram.percentile(0.99)) == Approx(99'000).epsilon(0.002));
  CHECK(histogram.max() == 100'000);
}

TEST_CASE("the checker shares no code with the controller") {
  for (const std::string file :
       {"dram_command.hpp", "dram_command.cpp", "timing_checker.hpp", "timing_checker.cpp", "dramsys_trace.cpp"}) {
    std::ifstream in(std::string(MESIM_SOURCE_DIR) + "/src/memory/checker/" + file);
    REQUIRE(in);
    for (std::string line; std::getline(in, line);)
      CHECK(line.find("#include \"memory/dram") == std::string::npos);
  }
}
