// `mesim sweep` as a user meets it: whatever happens to it, nothing is torn, lost or done twice.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/random.hpp"
#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

std::string sweep_file(const TemporaryFolder& folder, const std::string& body) {
  return folder.write("s.json", R"({"config": ")" MESIM_SOURCE_DIR R"(/configs/main.json", )" + body + "}");
}

std::string seeds(int count) {
  std::string list;
  for (int i = 1; i <= count; ++i) list += (i == 1 ? "" : ",") + std::to_string(i);
  return R"("set": ["workload.rounds=50"], "grid": [{"key": "seed", "values": [)" + list + "]}]";
}

pid_t start_sweep(const std::string& file, const std::string& out) {
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  if (freopen("/dev/null", "w", stdout) == nullptr || freopen("/dev/null", "w", stderr) == nullptr)
    _exit(126);
  execl(MESIM_BINARY, "mesim", "sweep", file.c_str(), "--out", out.c_str(), "--jobs", "2", nullptr);
  _exit(127);
}

std::size_t whole_points(const std::string& out) {
  std::size_t count = 0;
  if (!fs::exists(out + "/points")) return 0;
  for (const auto& entry : fs::directory_iterator(out + "/points")) {
    if (entry.path().extension() != ".json") continue;
    CHECK(Json::accept(read_file(entry.path().string())));  // never torn
    ++count;
  }
  return count;
}

void survives_kills(int points, int kills) {
  const TemporaryFolder folder;
  const std::string file = sweep_file(folder, seeds(points));
  const std::string calm = folder.path() + "/calm";
  const std::string killed = folder.path() + "/killed";
  REQUIRE(run_mesim({"sweep", file, "--out", calm, "--jobs", "1"}).status == 0);
  mesim::Random random(1);
  std::size_t before = 0;
  for (int i = 0; i < kills; ++i) {
    const pid_t child = start_sweep(file, killed);
    usleep(static_cast<useconds_t>(10'000 + random.below(80'000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::size_t now = whole_points(killed);
    CHECK(now >= before);
    before = now;
  }
  REQUIRE(run_mesim({"sweep", file, "--out", killed, "--jobs", "2"}).status == 0);
  CHECK(whole_points(killed) == static_cast<std::size_t>(points));
  CHECK(read_file(killed + "/sweep.csv") == read_file(calm + "/sweep.csv"));
  for (const auto& entry : fs::directory_iterator(calm + "/points")) {
    CHECK(read_file(killed + "/points/" + entry.path().filename().string()) ==
          read_file(entry.path().string()));
  }
}

}  // namespace

TEST_CASE("a sweep makes one row for each point, the same for any number of processes, and runs none twice") {
  const TemporaryFolder folder;
  const std::string file =
      sweep_file(folder, R"("grid": [{"key": "coherence.protocol", "values": ["MSI", "MESI"]}],
    "set": ["workload.rounds=10"], "measure": ["/stats/bus/transactions"])");
  const std::string out = folder.path() + "/out";
  const Finished first = run_mesim({"sweep", file, "--out", out, "--jobs", "2", "--json"});
  REQUIRE(first.status == 0);
  const Json points = Json::parse(first.out).at("points");
  REQUIRE(points.size() == 2);
  CHECK(points[0].at("coherence.protocol") == "MSI");
  CHECK(points[0].at("status") == "done");
  CHECK(points[0].at("stats/bus/transactions") > points[1].at("stats/bus/transactions"));

  const std::string hash = points[0].at("hash");
  const auto written = fs::last_write_time(out + "/points/" + hash + ".json");
  CHECK(run_mesim({"sweep", file, "--out", out, "--json"}).out == first.out);
  CHECK(fs::last_write_time(out + "/points/" + hash + ".json") == written);

  const Finished asked = run_mesim(
      {"sweep", "query", out,
       "SELECT \"coherence.protocol\" AS p FROM points ORDER BY \"stats/bus/transactions\"", "--json"});
  REQUIRE(asked.status == 0);
  CHECK(Json::parse(asked.out).at("rows") == Json::parse(R"([{"p": "MESI"}, {"p": "MSI"}])"));
  CHECK(run_mesim({"sweep", "query", out, "DELETE FROM points"}).status == 2);
  CHECK(run_mesim({"sweep", "query", out, "SELECT nothing FROM points"}).status == 2);
}

TEST_CASE("a point that fails is a row with its error, and the others go on") {
  const TemporaryFolder folder;
  const std::string file = sweep_file(
      folder, R"("set": ["workload.rounds=10"], "points": [{"set": ["l1d.ways=3"]}, {"set": ["l1d.ways=2"]},
                            {"set": ["expect=[{\"at\": \"/stats/bus/transactions\", \"equals\": 1}]"]}])");
  const Finished run = run_mesim({"sweep", file, "--out", folder.path() + "/out", "--json"});
  CHECK(run.status == 1);
  const Json points = Json::parse(run.out).at("points");
  CHECK(points[0].at("status") == "failed");
  CHECK(points[0].at("error").get<std::string>().find("/l1d/") != std::string::npos);
  CHECK(points[1].at("status") == "done");
  CHECK(points[2].at("status") == "unexpected");
  const Json status =
      Json::parse(run_mesim({"sweep", "status", file, "--out", folder.path() + "/out", "--json"}).out);
  CHECK(status.at("status").at("failed") == 1);
}

TEST_CASE("a sweep of which no point can run is refused before it writes anything") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& file, int status, const std::string& said) {
    const Finished run = run_mesim({"sweep", file, "--out", folder.path() + "/out"});
    CHECK(run.status == status);
    CHECK(run.err.find(said) != std::string::npos);
    CHECK(run.err.find('\n') == run.err.size() - 1);
    CHECK_FALSE(fs::exists(folder.path() + "/out"));
  };
  refused(sweep_file(folder, R"("grid": [{"key": "l1d.wayz", "values": [1, 2]}])"), 2,
          "did you mean 'ways'?");
  refused(folder.write("n.json", R"({"config": "nowhere.json", "grid": [{"key": "seed", "values": [1]}]})"),
          5, "nowhere.json: cannot be opened");
}

TEST_CASE("a point that takes too much time or memory is given up and says so") {
  const TemporaryFolder folder;
  const auto status_with = [&](const std::string& limit) {
    const std::string point =
        R"("points": [{"set": ["workload.rounds=10000000", "cores.count=32", "l1d.size_bytes=64M"]}],)";
    const std::string file = sweep_file(folder, point + R"("limits": {)" + limit + "}");
    return Json::parse(
               run_mesim({"sweep", file, "--out", folder.path() + "/" + limit.substr(1, 3), "--json"}).out)
        .at("points")[0]
        .at("status");
  };
  CHECK(status_with(R"("cpu_seconds": 1)") == "time");
  CHECK(status_with(R"("memory_bytes": "64M")") == "memory");
}

TEST_CASE("two sweeps in one folder exclude each other") {
  const TemporaryFolder folder;
  const std::string file = sweep_file(folder, R"("points": [{"set": ["workload.rounds=10000000"]}])");
  const std::string out = folder.path() + "/out";
  const pid_t first = start_sweep(file, out);
  while (!fs::exists(out + "/lock") || !fs::exists(out + "/host")) usleep(1000);
  usleep(50'000);
  const Finished second = run_mesim({"sweep", file, "--out", out});
  CHECK(second.status == 2);
  CHECK(second.err.find("another sweep works in it (process " + std::to_string(first) + ")") !=
        std::string::npos);
  kill(first, SIGTERM);
  int status = 0;
  waitpid(first, &status, 0);
  CHECK(WEXITSTATUS(status) == 143);
  CHECK(fs::exists(out + "/sweep.csv"));  // what there is, even when stopped
}

TEST_CASE("a sweep killed at any moment goes on from there to the same bytes") { survives_kills(60, 8); }
TEST_CASE("a sweep of 1,000 points survives 100 kills", "[.long]") { survives_kills(1000, 100); }

TEST_CASE(
    "halving gives the best third of each rung three times as much, the same for any number of processes") {
  const TemporaryFolder folder;
  const std::string file = sweep_file(folder,
                                      R"("set": ["order=timed", "workload.pattern=counters"],
         "grid": [{"key": "workload.stride_bytes", "values": [4, 8, 16, 32, 64, 128, 256, 512, 1024]}],
         "halving": {"key": "workload.rounds", "from": 20, "to": 180, "factor": 3, "measure": "/time/cycles"})");
  const std::string one = folder.path() + "/one";
  const std::string two = folder.path() + "/two";
  const auto run = run_mesim({"sweep", file, "--out", one, "--jobs", "1", "--json"});
  REQUIRE(run.status == 0);
  const Json points = Json::parse(run.out).at("points");
  REQUIRE(points.size() == 9 + 3 + 1);
  std::vector<std::pair<std::uint64_t, int>> first;
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(points[i].at("workload.rounds") == 20);
    first.emplace_back(points[i].at("time/cycles").get<std::uint64_t>(),
                       points[i].at("workload.stride_bytes"));
  }
  std::stable_sort(first.begin(), first.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::set<int> best = {first[0].second, first[1].second, first[2].second};
  for (std::size_t i = 9; i < 12; ++i) {
    CHECK(points[i].at("workload.rounds") == 60);
    CHECK(best.count(points[i].at("workload.stride_bytes").get<int>()) == 1);
  }
  CHECK(points[12].at("workload.rounds") == 180);

  REQUIRE(run_mesim({"sweep", file, "--out", two, "--jobs", "2"}).status == 0);
  CHECK(read_file(two + "/sweep.csv") == read_file(one + "/sweep.csv"));
  // a point of the first rung is lost: it is run again, and the rungs behind it are there already
  fs::remove(two + "/points/" + points[0].at("hash").get<std::string>() + ".json");
  CHECK(run_mesim({"sweep", "status", file, "--out", two}).out.find("1 missing") != std::string::npos);
  REQUIRE(run_mesim({"sweep", file, "--out", two}).status == 0);
  CHECK(read_file(two + "/sweep.csv") == read_file(one + "/sweep.csv"));
  CHECK(read_file(two + "/report.html").find("id=\"halving\"") != std::string::npos);
}

TEST_CASE("a halving that ranks by nothing, or shrinks, is refused") {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& halving) {
    const auto run =
        run_mesim({"sweep", sweep_file(folder, R"("grid": [{"key": "seed", "values": [1, 2]}], "halving": )" +
                                                   halving)});
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK(message(R"({"key": "workload.rounds", "from": 1, "to": 9})").find("figure to rank by") !=
        std::string::npos);
  CHECK(message(R"({"key": "workload.rounds", "from": 9, "to": 1, "measure": "/time/cycles"})")
            .find("less than the first") != std::string::npos);
}
