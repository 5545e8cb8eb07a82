// `mesim run` as a user meets it.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Json = nlohmann::ordered_json;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const std::string main_config = MESIM_SOURCE_DIR "/configs/main.json";

Finished run_json(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"run", main_config, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_mesim(arguments);
}

}  // namespace

TEST_CASE("run prints one JSON document, the same bytes each time and in the output folder") {
  const TemporaryFolder folder;
  const Finished first = run_json({"--out", folder.path() + "/a"});
  REQUIRE(first.status == 0);
  CHECK(run_json({}).out == first.out);
  CHECK(read_file(folder.path() + "/a/result.json") == first.out);
  const Json host = Json::parse(read_file(folder.path() + "/a/host.json"));
  CHECK(host.at("references") == 4000);
  CHECK(host.contains("cpu_seconds"));
  const Json result = Json::parse(first.out);
  CHECK(result.at("complete") == true);
  CHECK(result.at("name") == "main");
  CHECK(result.at("config").at("cores").at("count") == 4);
  CHECK(result.at("stats").at("bus").at("transactions") == 7999);
  CHECK(first.out.find("cpu_seconds") == std::string::npos);
  for (const char* engine : {"window", "events", "stepwise"})
    CHECK(run_json({"--engine", engine}).out == first.out);
}

TEST_CASE("the report fits 80 columns and names what it measured") {
  const TemporaryFolder folder;
  const Finished run = run_mesim({"run", main_config}, folder.path());
  REQUIRE(run.status == 0);
  for (std::size_t at = 0; at < run.out.size();) {
    const std::size_t end = run.out.find('\n', at);
    INFO(run.out.substr(at, end - at));
    CHECK(end - at <= 80);
    at = end + 1;
  }
  for (const char* part : {"MESI on a bus", "BusUpgr", "counter[0]", "cacti-45nm", "nJ", "KiB"}) {
    CHECK(run.out.find(part) != std::string::npos);
  }
  CHECK(fs::exists(folder.path() + "/results/runs/main/result.json"));
}

TEST_CASE("a failed expectation gives exit status 1 and says what was found") {
  const Finished good = run_json({R"(expect=[{"at":"/stats/bus/transactions","equals":7999}])"});
  CHECK(good.status == 0);
  CHECK(Json::parse(good.out).at("expect").at(0).at("pass") == true);
  const Finished bad = run_json({R"(expect=[{"at":"/stats/bus/transactions","equals":8000}])"});
  CHECK(bad.status == 1);
  CHECK(bad.err.find("/stats/bus/transactions: found 7999, expected 8000") != std::string::npos);
  const Finished unknown = run_json({R"(expect=[{"at":"/stats/bus/transaction","equals":8000}])"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("did you mean '/stats/bus/transactions'") != std::string::npos);
}

TEST_CASE("an output folder that cannot be written stops the run before it begins") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  const Finished run = run_json({"--out", file + "/sub", "workload.rounds=10000000"});
  CHECK(run.status == 5);
  CHECK(run.err.find("error: " + file + "/sub: ") == 0);
  CHECK(run.out.empty());
}

TEST_CASE("standard output that cannot take the result is an error") {
  const Finished run = run_shell("\"$MESIM\" run " + main_config + " --json > /dev/full");
  CHECK(run.status == 5);
}

TEST_CASE("a disk that takes only a part of the result leaves nothing half-written") {
  const TemporaryFolder folder;  // the limit on a file's size stands for the full disk
  const Finished run = run_shell(
      "ulimit -f 1; \"$MESIM\" run " + main_config + " --json --out out > /dev/null", folder.path());
  CHECK(run.status == 5);
  CHECK(run.err.find("error: out/result.json: cannot be written") == 0);
  CHECK(fs::is_empty(folder.path() + "/out"));
}

TEST_CASE("an interrupted run keeps what it has and says so") {
  for (const auto& [signal, status] : {std::pair{"INT", 130}, std::pair{"TERM", 143}}) {
    const TemporaryFolder folder;
    const Finished run =
        run_shell(std::string("\"$MESIM\" run ") + main_config +
                      " workload.rounds=10000000 cores.count=16 --progress=none --out out >report & p=$!; "
                      "sleep 0.3; kill -" +
                      signal + " $p; wait $p",
                  folder.path());
    CHECK(run.status == status);
    const Json result = Json::parse(read_file(folder.path() + "/out/result.json"));
    CHECK(result.at("complete") == false);
    CHECK(result.at("stats").at("total").at("accesses") > 0);
    CHECK(read_file(folder.path() + "/report").find("INCOMPLETE") != std::string::npos);
    CHECK(std::distance(fs::directory_iterator(folder.path() + "/out"), fs::directory_iterator()) == 3);
  }
}

TEST_CASE("progress can be had as JSON lines, or not at all") {
  CHECK(run_json({"--progress=none"}).err.empty());
  // The first line comes after a second; the run is long enough and is then stopped.
  const Finished run =
      run_shell("\"$MESIM\" run " + main_config +
                " workload.rounds=10000000 cores.count=16 --progress=json --json >/dev/null & p=$!; "
                "sleep 1.5; kill -TERM $p; wait $p");
  CHECK(run.status == 143);
  REQUIRE_FALSE(run.err.empty());
  const Json line = Json::parse(run.err.substr(0, run.err.find('\n')));
  CHECK(line.at("run") == "main");
  CHECK(line.at("references") > 0);
  CHECK(line.at("of") == 160'000'000);
  CHECK(line.at("seconds_left") > 0);
}

TEST_CASE("the report of a memory by itself says what it is, its bandwidth, rows and latencies") {
  const Finished run =
      run_mesim({"run", MESIM_SOURCE_DIR "/configs/validation/dram.json", "workload.requests=1000"});
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Contains("ddr4-3200, 1 channel") && !Contains("4 cores"));
  CHECK_THAT(run.out, Contains("GB/s of") && Contains("conflicts") && Contains("99 % below"));
}

TEST_CASE("the report of a layer says how well the array was used and what was lost most") {
  const Finished run = run_mesim({"run", MESIM_SOURCE_DIR "/configs/layer.json", "workload.channels=8"});
  CHECK_THAT(run.out, Contains("operator:convolution\n            1 operator\n"));
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Contains("largest loss") && Contains("layer 0"));
}

TEST_CASE("SCALE-Sim's reports count elements, whatever an element takes in memory") {
  const TemporaryFolder folder;
  const std::string at = folder.path() + "/";
  std::vector<std::string> last_words;
  for (const std::string type : {"raw", "bf16", "int4"}) {
    REQUIRE(run_mesim({"run", MESIM_SOURCE_DIR "/configs/layer.json", "workload.channels=16",
                       "workload.filters=32", "workload.dtype=" + type, "--out", at + type})
                .status == 0);
    REQUIRE(run_mesim({"report", at + type, "--scalesim", at + type + "-csv"}).status == 0);
    const std::string report = read_file(at + type + "-csv/DETAILED_ACCESS_REPORT.csv");
    last_words.push_back(report.substr(report.rfind(',', report.size() - 3)));
  }
  CHECK(last_words[1] == last_words[0]);
  CHECK(last_words[2] == last_words[0]);
}
