#include "system/run.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sim/error.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using mesim::test::config_with;
using mesim::test::run_with;

namespace {

std::string failure(std::vector<std::string> overrides) {
  try {
    run_with(std::move(overrides));
  } catch (const Error& error) {
    CHECK(error.status() == Exit::bad_input);
    return error.what();
  }
  return "no error";
}

}  // namespace

// drcachesim issues 4290 and 4673: misses varied from run to run.
TEST_CASE("the same config gives the same bytes, whatever ran before it") {
  for (const std::string order : {"serial", "round_robin"}) {
    const std::vector<std::string> overrides = {"order=" + order, "l1d.replacement=random",
                                                "l1d.size_bytes=1K", "l1d.ways=4",
                                                "workload.pattern=private"};
    const std::string first = result_text(result_document(run_with(overrides)));
    run_with({"seed=7"});
    CHECK(result_text(result_document(run_with(overrides))) == first);
  }
}

TEST_CASE("a run that is stopped keeps what it has and says that it is incomplete") {
  test::StopAtOnce watch;
  const auto run =
      run_system(config_with({"workload.pattern=private", "workload.rounds=1000000"}), "test", watch);
  CHECK_FALSE(run.result.complete);
  CHECK(run.references > 0);
  CHECK(run.references < 8'000'000);
  const auto document = result_document(run.result);  // its accounts balance
  CHECK(document["complete"] == false);
  CHECK(document["stats"]["total"]["accesses"] == run.references);
}

class StopAfter final : public RunWatch {
 public:
  explicit StopAfter(int questions) : left_(questions) {}
  bool keep_going(std::uint64_t) override { return left_-- > 0; }

 private:
  int left_;
};

TEST_CASE("an accelerator that is stopped at any point balances its accounts") {
  const std::vector<std::string> machine = {"order=accelerator", "accel.rows=32", "accel.columns=32",
                                            "accel.dma.memory=bandwidth", "accel.jump_repetitions=false"};
  const std::vector<std::vector<std::string>> workloads = {
      {"workload.operator=gemm", "workload.m=2000", "workload.n=2000", "workload.k=2000"},
      {"workload.operator=gemm", "workload.m=500", "workload.n=500", "workload.k=500", "workload.batch=20"},
      {"workload.operator=gemm", "workload.m=500", "workload.n=500", "workload.k=500", "workload.batch=20",
       "accel.dma.prefetch_weights=true", "accel.dataflow=ws"},
      {"workload.operator=attention", "workload.sequence=8192", "workload.batch=16"},
      {"workload.operator=softmax", "workload.m=400000", "workload.n=4096"},
      {"model.preset=resnet-18"},
      {"workload.operator=gemm", "workload.m=2000", "workload.n=2000", "workload.k=2000",
       "accel.dma.memory=dram", "memory.model=cycle", "memory.preset=ddr4-3200"},
  };
  for (const auto& workload : workloads) {
    std::vector<std::string> overrides = machine;
    overrides.insert(overrides.end(), workload.begin(), workload.end());
    INFO(workload.front() << " " << workload.back());
    bool stopped = false;
    for (const int questions : {0, 1, 2, 7, 20}) {
      StopAfter watch(questions);
      const RunResult result = run_system(config_with(overrides), "test", watch).result;
      stopped = stopped || !result.complete;
      CHECK(imbalances(result.accounts) == std::vector<std::string>{});
    }
    CHECK(stopped);
  }
}

// ChampSim issue 67: misses were counted when their line came, so that those under way at the end were lost.
TEST_CASE("accesses are hits and misses at any stopping point") {
  for (const int questions : {0, 1, 3}) {
    StopAfter watch(questions);
    const auto run =
        run_system(config_with({"workload.pattern=private", "workload.rounds=100000"}), "test", watch);
    const StatNode& total = *run.result.stats.component("total");
    CHECK(total.count("accesses") == total.count("reads") + total.count("writes"));
    CHECK(total.count("misses") == total.count("read_misses") + total.count("write_misses"));
    CHECK(total.count("misses") == run.result.stats.component("bus")->count("BusRd"));
    CHECK(imbalances(run.result.accounts).empty());
  }
}

TEST_CASE("every shipped config balances its accounts") {
  namespace fs = std::filesystem;
  std::size_t configs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(MESIM_SOURCE_DIR "/configs")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".json" || path.find("/presets/") != std::string::npos ||
        path.find("/schema/") != std::string::npos) {
      continue;
    }
    // An exercise holds its config as a part.
    const auto file = nlohmann::ordered_json::parse(std::ifstream(path), nullptr, true, true);
    const auto& config = file.contains("config") ? file["config"] : file;
    if (!config.is_object()) continue;  // a sweep names the config that it varies
    const std::string order = config.value("order", "round_robin");
    if (!config.contains("workload") || order == "timed" || config["workload"].contains("path")) {
      if (path.find("main.json") == std::string::npos) continue;  // needs an input, or another machine
    }
    INFO(path);
    test::RunToTheEnd watch;
    const auto result = run_system(read_config<SystemConfig>({path, {}, config.dump()}), path, watch).result;
    CHECK(imbalances(result.accounts).empty());
    ++configs;
    if (order == "memory" || order == "accelerator") continue;  // no bus
    CHECK(result.accounts.bytes.find("bus")->read > 0);
    const std::vector<std::string> overrides = {"order=timed", "coherence.interconnect=directory"};
    const auto timed = read_config<SystemConfig>({path, overrides, config.dump()});
    const std::string protocol = timed.coherence.protocol;
    const auto& workload =
        config.contains("workload") ? config["workload"] : nlohmann::ordered_json::object();
    if (workload.contains("program") || workload.contains("code") ||
        (protocol != "MSI" && protocol != "MESI" && protocol != "MOESI"))
      continue;
    const auto on_directory = run_system(timed, path, watch).result;
    CHECK(imbalances(on_directory.accounts).empty());
    CHECK(on_directory.accounts.bytes.find("network")->read > 0);
  }
  CHECK(configs >= 1);
}

TEST_CASE("orders and machines that do not go together are refused with what would") {
  CHECK(failure({"coherence.interconnect=directory"}).find("/coherence/interconnect") != std::string::npos);
  CHECK(failure({"l1i.enabled=true", "l1i.line_bytes=32"}).find("lines of one size") != std::string::npos);
}

TEST_CASE("lines that are shared falsely are named by variable, with who took them from whom") {
  const auto packed = run_with({"cores.count=2", "workload.rounds=10"});
  REQUIRE(packed.sharing["lines"].size() == 1);
  const auto& line = packed.sharing["lines"][0];
  CHECK(line["kind"] == "false");
  CHECK(line["variables"] == std::vector<std::string>{"counter[0]", "counter[1]"});
  CHECK(line["false_sharing_misses"].get<int>() > 0);
  CHECK(line["true_sharing_misses"] == 0);
  CHECK(line["cores"][0]["bytes"] == "0-3");
  CHECK(line["cores"][1]["bytes"] == "4-7");
  CHECK(line["cores"][1]["places"] == std::vector<std::string>{"counter[1]"});
  const auto apart = run_with({"cores.count=2", "workload.rounds=10", "workload.stride_bytes=64"});
  CHECK(apart.sharing["lines"].empty());
}
