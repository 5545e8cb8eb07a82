// A memory by itself against what three simulators of DRAM give for the same requests, queues and times:
// Ramulator 2.1 (c5b1c3a), DRAMSys 5.1 (6b01467) with DRAMPower, DRAMsim3 (2981759).
#include "system/memory_run.hpp"

#include <catch2/catch.hpp>

#include "tests/system/run_helpers.hpp"

using namespace mesim;

namespace {

nlohmann::ordered_json run_validation(const std::string& name, std::vector<std::string> overrides) {
  test::RunToTheEnd watch;
  const std::string path = MESIM_SOURCE_DIR "/configs/validation/" + name;
  const auto config = read_config<SystemConfig>({path, std::move(overrides), {}});
  return result_document(run_system(config, path, watch).result);
}

nlohmann::ordered_json run_dram(std::vector<std::string> overrides) {
  return run_validation("dram.json", std::move(overrides));
}

std::uint64_t cycles(const nlohmann::ordered_json& result) { return result["time"]["cycles"]; }

double millijoules(const nlohmann::ordered_json& result) {
  return result["ledgers"]["energy_pj"]["total"].get<double>() / 1e9;
}

}  // namespace

TEST_CASE("DDR4-3200 streams take the cycles that Ramulator and DRAMSys give") {
  CHECK(cycles(run_dram({"memory.mapping=A"})) == 6'499'446);  // both
  const auto b = run_dram({"memory.mapping=B"});
  CHECK(cycles(b) == 4'206'779);  // DRAMSys; Ramulator 4,206,489
  CHECK(millijoules(b) == Approx(4.384).epsilon(0.01));
}

TEST_CASE("a mixed DDR4-3200 stream takes the cycles that Ramulator gives") {
  const auto result = run_dram({"memory.mapping=B", "workload.pattern=mixed"});
  CHECK(static_cast<double>(cycles(result)) == Approx(4'701'495).epsilon(0.0001));
  CHECK(result["stats"]["memory"]["bandwidth_gbps"].get<double>() <
        result["stats"]["memory"]["ceiling_gbps"].get<double>());
}

TEST_CASE("random reads of DDR4-3200 reach 98 % of what tFAW and refresh allow") {
  const auto result = run_dram({"workload.pattern=random", "workload.requests=300000"});
  const double gbps = result["stats"]["memory"]["bandwidth_gbps"];
  CHECK(gbps == Approx(11.36).epsilon(0.002));  // DRAMSys
  CHECK(gbps > 0.98 * 4 * 64 / (34 * 0.625) * (1 - 560.0 / 12480));
  CHECK(millijoules(result) == Approx(13.06 * 0.3).epsilon(0.01));
}

TEST_CASE("idle, sparse and dependent reads of DDR4-3200 take as long as in Ramulator and DRAMSys") {
  const auto one = run_dram({"workload.requests=1"});
  CHECK(one["stats"]["memory"]["read_latency_cycles"]["mean"] == 49.0);
  const auto sparse = run_dram({"workload.pattern=sparse", "workload.requests=100000"});
  CHECK(cycles(sparse) == 31'999'729);  // Ramulator
  CHECK(sparse["stats"]["memory"]["read_latency_cycles"]["mean"].get<double>() == Approx(84.5).margin(0.1));
  CHECK(sparse["stats"]["memory"]["energy"]["core_and_activate_vpp_mw"].get<double>() ==
        Approx(632.8).epsilon(0.01));
  const auto chase = run_dram({"workload.pattern=chase", "workload.requests=300000"});
  CHECK(static_cast<double>(cycles(chase)) / 300'000 == Approx(72.6).margin(0.05));
}

TEST_CASE("every cycle of a data bus has an owner, and every burst a command") {
  for (const std::string pattern : {"stream", "mixed", "random", "sparse", "chase"}) {
    const auto result = run_dram({"workload.pattern=" + pattern, "workload.requests=5000"});
    const auto& memory = result["stats"]["memory"];
    std::uint64_t sum = 0;
    for (const auto& [owner, value] : result["ledgers"]["time"]["memory0"].items()) {
      if (owner != "total") sum += value.get<std::uint64_t>();
    }
    CHECK(sum == cycles(result));
    CHECK(memory["commands"]["RD"].get<std::uint64_t>() + memory["commands"]["WR"].get<std::uint64_t>() +
              memory["forwarded_reads"].get<std::uint64_t>() + memory["merged_writes"].get<std::uint64_t>() ==
          5000);
    CHECK(memory["row_hits"].get<std::uint64_t>() + memory["row_misses"].get<std::uint64_t>() +
              memory["row_conflicts"].get<std::uint64_t>() ==
          memory["commands"]["RD"].get<std::uint64_t>() + memory["commands"]["WR"].get<std::uint64_t>());
  }
}

TEST_CASE("a stream of tiles takes as long by the stream model as by the command, to 2 %") {
  for (const std::string stride : {"0", "8192"}) {
    for (const std::string write_every : {"0", "1"}) {
      const auto run = [&](const std::string& model) {
        return run_dram({"memory.model=" + model, "workload.request_bytes=512",
                         "workload.request_stride_bytes=" + stride, "workload.requests=20000",
                         "workload.write_every=" + write_every});
      };
      const auto cycle = run("cycle");
      const auto stream = run("stream");
      INFO("stride " << stride << ", write_every " << write_every);
      CHECK(static_cast<double>(cycles(stream)) == Approx(static_cast<double>(cycles(cycle))).epsilon(0.02));
      CHECK(millijoules(stream) == Approx(millijoules(cycle)).epsilon(0.03));
    }
  }
  CHECK_THROWS_WITH(run_dram({"memory.model=stream", "workload.pattern=random"}),
                    Catch::Contains("expected workload.pattern=stream"));
}

TEST_CASE("cores with caches and a device without share a DRAM by a line of the config") {
  for (const auto& [preset, burst_bytes] : {std::pair{"ddr4-3200", 64}, {"ddr5-4800", 64}, {"hbm2-c", 32}}) {
    INFO(preset);
    const std::string memory = std::string("memory.preset=") + preset;
    const auto both = run_validation("device-on-dram.json", {memory});
    const auto& dram = both["stats"]["memory"];
    const auto alone = run_validation("device-on-dram.json", {memory, "dma.count=0"});
    const std::uint64_t of_cores = alone["stats"]["memory"]["read_bytes"];
    CHECK(of_cores >= 64 * 4 * 200);  // a line for each round of each core
    CHECK(dram["read_bytes"] == of_cores + 640'000);
    CHECK(dram["commands"]["RD"].get<std::uint64_t>() * burst_bytes == dram["read_bytes"]);
    // The cores of a run with the device wait longer for their misses.
    CHECK(dram["requester0"]["mean_read_cycles"].get<double>() >
          alone["stats"]["memory"]["requester0"]["mean_read_cycles"].get<double>());
    CHECK(both["ledgers"]["energy_pj"]["total"].get<double>() > 0);
  }
}

TEST_CASE("every kind of DRAM streams near what refresh and turn-arounds leave of its peak") {
  const auto share = [](const std::string& preset, const std::string& pattern) {
    const auto result = run_dram({"memory.preset=" + preset, "memory.mapping=default",
                                  "workload.pattern=" + pattern, "workload.requests=400000"});
    const auto& memory = result["stats"]["memory"];
    return memory["bandwidth_gbps"].get<double>() / memory["ceiling_gbps"].get<double>();
  };
  for (const std::string preset : {"hbm2-a", "hbm2-b", "hbm2-c"}) {
    INFO(preset);
    CHECK(share(preset, "stream") > 0.95);
    CHECK(share(preset, "mixed") > 0.93);
  }
  for (const std::string preset : {"ddr5-4800", "ddr5-6400", "lpddr5-6400", "gddr6-16", "hbm3"}) {
    INFO(preset);
    CHECK(share(preset, "stream") > 0.9);
  }
}
