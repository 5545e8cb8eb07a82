// What each decision of a controller is for, seen in what it changes.
#include <algorithm>
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

TEST_CASE("adaptive rows close only behind the last access to a row of which another is wanted") {
  const auto precharging = [](const Outcome& o) {
    return o.counters[0].commands[static_cast<std::size_t>(dram::Command::read_ap)] +
           o.counters[0].commands[static_cast<std::size_t>(dram::Command::write_ap)];
  };
  CHECK(precharging(run_with("rows=adaptive", "sparse", 2000)) < 20);  // nobody waits behind
  const auto adaptive = run_with("rows=adaptive", "random");
  CHECK(precharging(adaptive) > 3000);
  CHECK(precharging(adaptive) < 5000);
  CHECK(precharging(run_with("rows=closed", "random")) > precharging(adaptive));
}

TEST_CASE("a cap on row hits shortens the wait of who wants another row") {
  // One row of a bank again and again, and now and then another row of it.
  class OneInFifty final : public dram::RequestSource {
   public:
    std::span<const dram::MemoryAccess> next() override {
      if (made_ == 400) return {};
      for (std::size_t i = 0; i < accesses_.size(); ++i) {
        accesses_[i].unit = i == 10 ? 1 : 0;
        accesses_[i].address = i == 10 ? std::uint64_t{++made_} << 20 : (i * 64) % 8192;
      }
      return accesses_;
    }

   private:
    std::vector<dram::MemoryAccess> accesses_ = std::vector<dram::MemoryAccess>(50);
    std::uint32_t made_ = 0;
  };
  const auto other_row_waits = [](const std::string& scheduler) {
    dram::Channels channels(memory_of("ddr4-3200", {"mapping=A", "controller.row_hit_cap=4",
                                                    "controller.scheduler=" + scheduler}),
                            "test");
    OneInFifty source;
    test::WatchNothing watch;
    const auto run = dram::run_direct(channels, source, watch);
    return channels.closed_counters(run.cycles)[0].units.at(1).read_cycles / 400;
  };
  CHECK(other_row_waits("fr-fcfs-cap") + 20 < other_row_waits("fr-fcfs"));
}

TEST_CASE("draining more writes at a time costs fewer turn-arounds") {
  const auto turns = [](const std::string& low) {
    return run_with("write_low_percent=" + low, "mixed", 20'000).counters[0].turn_arounds;
  };
  CHECK(turns("10") * 2 < turns("60"));
}

TEST_CASE("in order with lookahead means activations in order as well as data") {
  const auto config =
      memory_of("ddr4-3200", {"controller.scheduler=fcfs-lookahead", "controller.read_queue=64"});
  dram::Channels channels(config, "test");
  std::vector<std::uint64_t> wanted, activated, read;
  SplitMix64 random(12345);
  for (int i = 0; i < 3000; ++i) {
    const auto at = channels.map().decode(random.next() % (1 << 30) / 64 * 64);
    wanted.push_back(std::uint64_t{at.row} << 8 | at.bank);
  }
  const dram::CommandTap tap(channels, [&](const dram_check::DramCommand& c) {
    const std::uint64_t place = std::uint64_t{c.row} << 8 | (c.group * 4 + c.bank);
    if (c.op == dram_check::Op::act) activated.push_back(place);
    if (c.op == dram_check::Op::rd) read.push_back(place);
  });
  auto pattern = test::pattern_of("random", 3000, 0.625);
  pattern.write_every = 0;
  test::WatchNothing watch;
  dram::run_direct(channels, *dram::request_pattern(pattern), watch);
  CHECK(read == wanted);
  // A row that a refresh closed is opened once more; leaving repetitions out, the order is that of requests.
  std::size_t next = 0, late = 0;
  for (const std::uint64_t place : activated) {
    const auto found = std::find(wanted.begin() + static_cast<std::ptrdiff_t>(next), wanted.end(), place);
    if (found == wanted.end())
      ++late;
    else
      next = static_cast<std::size_t>(found - wanted.begin());
  }
  CHECK(late <= 16);
}

TEST_CASE("a controller that decides at once answers a clock sooner") {
  const auto lone = [](const std::string& clocks) {
    return run_with("decision_cycles=" + clocks, "stream", 1).run.cycles;
  };
  CHECK(lone("1") == 49);
  const auto chase = [](const std::string& clocks) {
    const auto config =
        memory_of("ddr4-3200", {"controller.refresh=none", "controller.decision_cycles=" + clocks});
    return run_pattern(config, "chase", 3000).run.read_latency.mean();
  };
  // Only who comes to a bank that still counts tRAS gains nothing.
  CHECK(chase("1") - chase("0") == Approx(15.0 / 16).margin(0.02));
}

TEST_CASE("refreshes pulled in while a rank is idle are not owed later") {
  const auto refreshes = [](const std::string& pulled) {
    const auto o = run_with("pulled_in_refreshes=" + pulled, "sparse", 2000);
    return o.counters[0].commands[static_cast<std::size_t>(dram::Command::refresh)];
  };
  CHECK(refreshes("8") == refreshes("0") + 8);
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
  for (const std::string file : {"dram_command.hpp", "dram_command.cpp", "timing_checker.hpp",
                                 "timing_checker.cpp", "dramsys_trace.cpp"}) {
    std::ifstream in(std::string(MESIM_SOURCE_DIR) + "/src/memory/checker/" + file);
    REQUIRE(in);
    for (std::string line; std::getline(in, line);)
      CHECK(line.find("#include \"memory/dram") == std::string::npos);
  }
}
