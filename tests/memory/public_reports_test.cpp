// Faults that users of other memory simulators reported in public, each as a run with its right value.
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "memory/dram/energy.hpp"
#include "memory/dram/report.hpp"
#include "memory/dram/request_trace.hpp"
#include "tests/memory/dram_helpers.hpp"

using namespace mesim;
using dram::Command;
using dram::MemoryAccess;
using test::memory_of;

namespace {

class ListSource final : public dram::RequestSource {
 public:
  explicit ListSource(std::vector<MemoryAccess> accesses) : accesses_(std::move(accesses)) {}
  std::span<const MemoryAccess> next() override {
    if (done_) return {};
    done_ = true;
    return accesses_;
  }

 private:
  std::vector<MemoryAccess> accesses_;
  bool done_ = false;
};

struct Ran {
  dram::DirectRun run;
  std::vector<dram::ControllerCounters> counters;
  std::unique_ptr<dram::Channels> channels;

  std::uint64_t commands(Command id) const {
    std::uint64_t sum = 0;
    for (const auto& c : counters) sum += c.commands[static_cast<std::size_t>(id)];
    return sum;
  }
  std::uint64_t sum(const std::array<std::uint64_t, dram::max_banks> dram::ControllerCounters::*what) const {
    std::uint64_t total = 0;
    for (const auto& c : counters) {
      for (const auto value : c.*what) total += value;
    }
    return total;
  }
  double ns() const { return static_cast<double>(run.cycles) * channels->timings().clock_ns(); }
  double gbps() const { return static_cast<double>(run.bytes_read + run.bytes_written) / ns(); }
};

Ran run_on(const MemoryConfig& config, dram::RequestSource& source) {
  Ran out;
  out.channels = std::make_unique<dram::Channels>(config, "test");
  test::WatchNothing watch;
  out.run = dram::run_direct(*out.channels, source, watch);
  out.counters = out.channels->closed_counters(out.run.cycles);
  return out;
}

Ran run_list(const MemoryConfig& config, std::vector<MemoryAccess> accesses) {
  ListSource source(std::move(accesses));
  return run_on(config, source);
}

std::vector<MemoryAccess> reads(std::uint64_t count, std::uint64_t stride, std::uint32_t bytes) {
  std::vector<MemoryAccess> out(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    out[i].address = i * stride;
    out[i].bytes = bytes;
  }
  return out;
}

class TraceFile {
 public:
  TraceFile(const std::string& name, const std::string& text)
      : path_((std::filesystem::temp_directory_path() / name).string()) {
    std::ofstream(path_) << text;
  }
  ~TraceFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Ran run_trace(const std::string& name, const std::string& text) {
  const TraceFile file(name, text);
  const MemoryConfig config = memory_of("ddr4-3200", {"mapping=A"});
  const dram::AddressMap map(config, "test");
  REQUIRE(dram::is_request_trace(file.path()));
  const auto source = dram::request_trace(file.path(), map);
  return run_on(config, *source);
}

}  // namespace

// DRAMsim3's trace front end sends the last line once more as a read.
TEST_CASE("a trace of ten lines gives ten reads: the last is not sent again") {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "0x" + std::to_string(i) + "000 READ " + std::to_string(i * 10) + "\n";
  CHECK(run_trace("ten.trace", text).commands(Command::read) == 10);
}

// DRAMsim3 keeps up to eight writes for ever; Ramulator 2 issues 100 and 109.
TEST_CASE("a few writes are drained although the queue is nowhere near full, and have a latency") {
  const auto run = run_trace("three.trace", "0x0 WRITE 0\n0x40 WRITE 1\n0x80 P_MEM_WR 2\n");
  CHECK(run.commands(Command::write) == 3);
  CHECK(run.commands(Command::read) == 0);
  CHECK(run.run.write_latency.count() == 3);
}

// Ramulator 2 issue 88.
TEST_CASE("requests in flight at the end of a trace are counted") {
  const auto run = run_list(memory_of("ddr4-3200"), reads(1001, 64, 64));
  CHECK(run.commands(Command::read) == 1001);
  CHECK(run.run.read_latency.count() == 1001);
}

TEST_CASE("all forms of request traces give the same requests") {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"form1.trace", "0x2000 R\n0x2040 W\n"},
           {"form2.trace", "LD 0x2000\nST 8256\n"},
           {"form3.trace", "R 0,0,1,0,0,0\nW 0,0,1,0,0,1\n"},
           {"form4.trace", "3 0x2000 0x2040\n"},
           {"form5.stl", "# by the player\n1:\tread\t0x2000\n2:\t(64)\twrite\t0x2040\n"}}) {
    INFO(name);
    const auto run = run_trace(name, text);
    CHECK(run.commands(Command::read) == 1);
    CHECK(run.commands(Command::write) == 1);
    CHECK(run.commands(Command::activate) == 1);
  }
}

// Ramulator 2 issue 104.
TEST_CASE("HBM2 with two pseudo-channels streams at its bandwidth, not at half of it") {
  const auto run = run_list(memory_of("hbm2-c"), reads(100'000, 32, 32));
  CHECK(run.gbps() > 0.95 * 256 * (1 - 350.0 / 3900));
}

// gem5's HBM3 preset has half of it; Ramulator 2 issue 42.
TEST_CASE("HBM3 has 819.2 GB/s of peak, and a stream reaches nine tenths of what refresh leaves") {
  const auto run = run_list(memory_of("hbm3"), reads(400'000, 64, 64));
  CHECK(run.gbps() > 0.9 * 819.2 * (1 - 560.0 / 6240));
  CHECK(run.gbps() < 819.2);
}

// Ramulator 2 issue 116.
TEST_CASE("1024 bursts in one row of HBM are one miss and 31 of 32 hits each") {
  const auto config =
      memory_of("hbm2", {"organisation.channels=1", "mapping=row:bank:group:pseudo:channel:column"});
  const auto run = run_list(config, reads(1024, 32, 32));
  CHECK(run.sum(&dram::ControllerCounters::row_hits) == 1024 * 31 / 32);
}

// Ramulator 2 issues 129 and 130.
TEST_CASE("a memory without ranks is refreshed all the same") {
  auto accesses = reads(2, 64, 64);
  accesses[1].earliest = 1'000'000;  // a millisecond at 1 GHz
  const auto run = run_list(memory_of("hbm2", {"organisation.channels=1"}), accesses);
  CHECK(run.commands(Command::refresh) == 2 * 256);  // of each pseudo-channel
}

// Ramulator 2 issue 113.
TEST_CASE("two rows of a bank that alternate are conflicts") {
  auto accesses = reads(100, std::uint64_t{1} << 17, 64);  // a row each, in one bank
  for (auto& a : accesses) a.dependent = true;
  const auto run = run_list(memory_of("ddr4-3200", {"mapping=A", "controller.refresh=none"}), accesses);
  CHECK(run.sum(&dram::ControllerCounters::row_conflicts) == 99);
  CHECK(run.sum(&dram::ControllerCounters::row_misses) == 1);
}

// Ramulator 2 issue 102.
TEST_CASE("a read after a write to another rank waits for the bus, not for the write") {
  std::vector<MemoryAccess> accesses(2);
  accesses[0].write = true;
  accesses[1].address = 64;
  accesses[1].earliest = 1;
  const auto config = memory_of("ddr4-3200", {"organisation.ranks=2", "mapping=row:bank:group:column:rank"});
  dram::Channels channels(config, "test");
  std::vector<Cycles> at;
  const dram::CommandTap tap(channels, [&](const dram_check::DramCommand& c) {
    if (c.op == dram_check::Op::wr || c.op == dram_check::Op::rd) at.push_back(c.at);
  });
  ListSource source(accesses);
  test::WatchNothing watch;
  dram::run_direct(channels, source, watch);
  REQUIRE(at.size() == 2);
  // Both ACTs come a clock apart; the ranks share the data pins alone.
  CHECK(std::max(at[0], at[1]) - std::min(at[0], at[1]) <= 12);
}

// Ramulator 2.1 as shipped: tRFC of 360 ns, tRRD_L of 5 and tWTR_S of 5 clocks; issue 123; Ramulator issue
// 118.
TEST_CASE("times keep the floors of their standard") {
  const auto cycles = [](const std::string& preset, const std::string& name) {
    return dram::Timings(memory_of(preset), "test").at(name);
  };
  CHECK(cycles("ddr4-3200", "nRFC") == 560);
  CHECK(cycles("ddr4-3200", "nCCD_L") == 8);
  CHECK(cycles("ddr5-4800", "nRRD_L") >= 8);
  CHECK(cycles("ddr5-6400", "nWTR_S") == 8);
  CHECK(cycles("ddr5-4800", "nRFCB") != cycles("ddr5-4800", "nRFC"));
  CHECK(cycles("hbm3", "nRREFD") == 13);
}

// DRAMsim3 issue 18: picojoules without the clock; DRAMPower issue 126: the same for every trace.
TEST_CASE("energy follows what was done, and time rather than clocks") {
  const auto energy = [](const std::string& preset, std::uint64_t requests) {
    const auto config = memory_of(preset);
    auto run = run_list(config, reads(requests, 64, 64));
    return dram::shares_of(dram::energy_counts(run.counters, *run.channels, run.ns()),
                           dram::EventEnergies(config));
  };
  const auto one = energy("ddr4-3200", 10'000);
  const auto two = energy("ddr4-3200", 20'000);
  CHECK(two.core_pj == Approx(2 * one.core_pj).epsilon(0.02));
  // Closed form: 116 mA above standby at 1.2 V over 4 clocks of 0.625 ns in 8 devices.
  CHECK(dram::EventEnergies(memory_of("ddr4-3200")).read_pj == Approx(1.2 * 116 * 4 * 0.625 * 8));
  CHECK(dram::EventEnergies(memory_of("ddr4-3200")).activate_vpp_pj == Approx(2.5 * 3 * 74 * 0.625 * 8));
  // The same currents at half the clock: a burst takes twice as long.
  CHECK(dram::EventEnergies(memory_of("ddr4-3200", {"organisation.data_rate_mts=1600"})).read_pj ==
        Approx(2 * 1.2 * 116 * 4 * 0.625 * 8));
}

// DRAMPower issue 130.
TEST_CASE("every preset has energy for every event") {
  for (const auto& preset : test::dram_presets) {
    INFO(preset);
    const dram::EventEnergies e(memory_of(preset));
    for (const double pj : {e.activate_pj, e.read_pj, e.write_pj, e.refresh_pj, e.io_read_pj}) CHECK(pj > 0);
    for (const double mw : e.background_mw) CHECK(mw > 0);
  }
}

// DRAMsim3 pull request 58.
TEST_CASE("a precharge in the command trace names the row that it closes") {
  const auto config = memory_of("ddr4-3200", {"mapping=A"});
  dram::Channels channels(config, "test");
  std::map<std::uint32_t, std::uint32_t> open;
  std::size_t closed = 0;
  const dram::CommandTap tap(channels, [&](const dram_check::DramCommand& c) {
    const std::uint32_t bank = c.group * 4 + c.bank;
    if (c.op == dram_check::Op::act) open[bank] = c.row;
    if (c.op != dram_check::Op::pre) return;
    CHECK(c.row == open.at(bank));
    ++closed;
  });
  const auto source = dram::request_pattern(test::pattern_of("random", 500, 0.625));
  test::WatchNothing watch;
  dram::run_direct(channels, *source, watch);
  CHECK(closed > 100);
}

// DRAMsim3 is a clock short.
TEST_CASE("a write of DDR4 follows a read by no less than CL + BL/2 + 2 - CWL clocks") {
  const auto config = memory_of("ddr4-3200", {"mapping=B"});
  dram::Channels channels(config, "test");
  Cycles last_read = 0;
  Cycles least = never;
  const dram::CommandTap tap(channels, [&](const dram_check::DramCommand& c) {
    if (c.op == dram_check::Op::rd) last_read = c.at;
    if (c.op == dram_check::Op::wr && last_read != 0) least = std::min(least, c.at - last_read);
  });
  const auto source = dram::request_pattern(test::pattern_of("mixed", 5000, 0.625));
  test::WatchNothing watch;
  dram::run_direct(channels, *source, watch);
  CHECK(least == 22 + 4 + 2 - 16);
}

// DRAMSys issue 11.
TEST_CASE("a rank in power-down is left alone until it is awake, with another rank at work") {
  for (const std::string refresh : {"all_bank", "none"}) {
    const auto config = memory_of(
        "ddr4-3200",
        {"organisation.ranks=2", "controller.power_down_after_cycles=16", "controller.refresh=" + refresh});
    const auto run = test::run_checked(config, "sparse", 3000);
    INFO(run.first_violation);
    CHECK(run.checker.violation_count() == 0);
    CHECK(run.checker.count(dram_check::Op::pde) > 100);
  }
}

// DRAMSys issue 42.
TEST_CASE("a player's trace may carry data and sizes") {
  const auto run = run_trace("data.stl", "0:\t(64)\twrite\t0x1000\t0xdeadbeef\n5:\tread\t0x2000\n");
  CHECK(run.commands(Command::write) == 1);
  CHECK(run.commands(Command::read) == 1);
}

// gem5 issue 3490; Ramulator issue 47.
TEST_CASE("write to read of DDR5 is given from the end of the data, and writes keep their own spacing") {
  const dram::Timings t(memory_of("ddr5-6400"), "test");
  CHECK(t.at("nWTR_S") == 8);  // without CWL and the burst
  CHECK(t.at("nWTR_L") == 32);
  CHECK(t.at("nCCD_L_WR") == 64);
  CHECK(t.at("nCCD_L_WR2") == 32);
  CHECK(t.at("nRFC") == 944);
}

TEST_CASE("energy of the requesters sums to the memory's") {
  std::vector<MemoryAccess> accesses = reads(3000, 64, 64);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    accesses[i].unit = static_cast<std::uint16_t>(i % 3);
    accesses[i].write = i % 5 == 0;
  }
  const auto config = memory_of("ddr4-3200");
  const auto run = run_list(config, accesses);
  StatTree stats;
  dram::write_statistics({config, *run.channels, run.counters, run.run.cycles, {}, {}, 0, 0}, stats);
  const StatNode& memory = *stats.component("memory");
  double sum = 0;
  for (const std::string unit : {"requester0", "requester1", "requester2"}) {
    for (const Stat& stat : memory.child(unit)->stats)
      if (stat.name == "energy_pj") sum += std::get<double>(stat.value);
  }
  CHECK(sum == Approx(dram::shares_of(dram::energy_counts(run.counters, *run.channels, run.ns()),
                                      dram::EventEnergies(config))
                          .sum_pj()));
}

// Ramulator 2 issue 123: tREFISB loaded from tRFC. Issue 272, REFpb without its rules, is for every family in
// checker_rules_test.cpp.
TEST_CASE("refreshes of some banks come as often as their standard says") {
  struct Case {
    const char* preset;
    const char* refresh;
    std::uint64_t in_a_millisecond;
  };
  for (const Case& c : {Case{"ddr5-4800", "same_bank", 1'000'000 / 3900 * 4},
                        Case{"lpddr5-6400", "per_bank", 1'000'000 / 3906 * 8},
                        Case{"hbm3", "per_bank", 1'000'000 / 3900 * 16 * 2 * 2}}) {
    const auto config =
        memory_of(c.preset, {"organisation.channels=1", std::string("controller.refresh=") + c.refresh});
    auto accesses = reads(2, 64, 64);
    accesses[1].earliest = static_cast<Cycles>(1e6 / dram::Timings(config, "test").clock_ns());
    const auto run = run_list(config, accesses);
    INFO(c.preset);
    CHECK(static_cast<double>(run.commands(Command::refresh_bank)) ==
          Approx(static_cast<double>(c.in_a_millisecond)).epsilon(0.01));
    CHECK(run.commands(Command::refresh) == 0);
  }
}

// Ramulator 2 issue 116: statistics of several channels.
TEST_CASE("each of several channels counts its own requests, hits and misses") {
  const auto run = run_list(memory_of("ddr4-3200", {"organisation.channels=4", "controller.refresh=none"}),
                            reads(4096, 64, 64));
  for (const auto& c : run.counters) {
    CHECK(c.reads == 1024);
    CHECK(c.commands[static_cast<std::size_t>(Command::read)] == 1024);
    std::uint64_t hits = 0, misses = 0;
    for (const auto count : c.row_hits) hits += count;
    for (const auto count : c.row_misses) misses += count;
    CHECK(hits + misses == 1024);
    CHECK(misses == c.commands[static_cast<std::size_t>(Command::activate)]);
  }
  CHECK(run.run.read_latency.count() == 4096);
}

// DRAMSim2 issue 30: a memory that must be asked every cycle. At one step a clock this would be an hour.
TEST_CASE("a memory at rest costs nothing but its refreshes") {
  auto accesses = reads(1000, 64, 64);
  for (std::size_t i = 0; i < accesses.size(); ++i) accesses[i].earliest = i * 1'600'000'000;
  const auto run = run_list(memory_of("ddr4-3200", {"controller.self_refresh_after_cycles=1000"}), accesses);
  CHECK(run.commands(Command::read) == 1000);
  CHECK(run.ns() > 999e9);
}
