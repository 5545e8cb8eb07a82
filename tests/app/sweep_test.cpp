// What a sweep file means: which points, in which order, and when two points are the same run.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <set>

#include "app/sweep/process_pool.hpp"
#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_table.hpp"
#include "sim/error.hpp"
#include "tests/app/mesim_process.hpp"

using namespace mesim;

namespace {

// A sweep over the shipped main config.
SweepPlan planned(const test::TemporaryFolder& folder, const std::string& body) {
  return plan_sweep(
      folder.write("s.json", R"({"config": ")" MESIM_SOURCE_DIR R"(/configs/main.json", )" + body + "}"));
}

std::vector<std::string> settings(const SweepPlan& plan) {
  std::vector<std::string> all;
  for (const SweepPoint& point : plan.points) {
    std::string text;
    for (const Setting& s : point.settings) text += (text.empty() ? "" : " ") + s.key + "=" + s.value;
    all.push_back(text);
  }
  return all;
}

}  // namespace

TEST_CASE("a grid combines all values, the last axis fastest; a zip advances its axes together") {
  const test::TemporaryFolder folder;
  const SweepPlan plan = planned(folder, R"("grid": [{"key": "l1d.ways", "values": [1, 2]}],
    "zip": [{"key": "cores.count", "values": [2, 4]}, {"key": "workload.rounds", "values": [40, 20]}])");
  CHECK(settings(plan) == std::vector<std::string>{"l1d.ways=1 cores.count=2 workload.rounds=40",
                                                   "l1d.ways=1 cores.count=4 workload.rounds=20",
                                                   "l1d.ways=2 cores.count=2 workload.rounds=40",
                                                   "l1d.ways=2 cores.count=4 workload.rounds=20"});
  CHECK(plan.keys == std::vector<std::string>{"l1d.ways", "cores.count", "workload.rounds"});
}

TEST_CASE("listed points stand behind the grid, alone without one") {
  const test::TemporaryFolder folder;
  const SweepPlan plan = planned(folder, R"("points": [{"set": ["l1d.ways=2", "l1d.size_bytes=8K"]}])");
  CHECK(settings(plan) == std::vector<std::string>{R"(l1d.ways=2 l1d.size_bytes="8K")"});
}

TEST_CASE("random points stay in their bounds and depend on the seed alone") {
  const test::TemporaryFolder folder;
  const auto drawn = [&](const std::string& seed) {
    return settings(planned(folder, R"("random": {"count": 200, "seed": )" + seed + R"(, "axes": [
      {"key": "workload.rounds", "from": 10, "to": 1000, "scale": "log"}, {"key": "l1d.ways", "values": [1, 2, 4]}]})"));
  };
  const auto first = drawn("1");
  CHECK(first == drawn("1"));
  CHECK(first != drawn("2"));
  REQUIRE(first.size() == 200);
  std::size_t below_geometric_mean = 0;
  for (const auto& text : first) {
    const int rounds = std::stoi(text.substr(text.find('=') + 1));
    CHECK(rounds >= 10);
    CHECK(rounds <= 1000);
    below_geometric_mean += rounds < 100;
  }
  CHECK(below_geometric_mean > 70);  // half of the draws of a log scale
  CHECK(below_geometric_mean < 130);
}

TEST_CASE("a point is named by all that its result depends on and by nothing else") {
  const test::TemporaryFolder folder;
  const auto hash = [&](const std::string& body) { return planned(folder, body).points.at(0).hash; };
  const std::string one = hash(R"("points": [{"set": ["l1d.ways=2"]}])");
  CHECK(one.size() == 64);
  CHECK(hash(R"("grid": [{"key": "l1d.ways", "values": [2, 4]}], "measure": ["/time/cycles"])") == one);
  CHECK(hash(R"("points": [{"set": ["l1d.size_bytes=32768", "l1d.ways=2"]}])") == one);  // the same config
  CHECK(hash(R"("points": [{"set": ["l1d.ways=4"]}])") != one);
  CHECK(hash(R"("points": [{"set": ["l1d.ways=2", "seed=2"]}])") != one);

  folder.write("t.trace", "r 10\n");
  const std::string traced = R"("set": ["workload.path=t.trace", "workload.format=per-core-rw"],
                                "points": [{"set": ["l1d.ways=2"]}])";
  const std::string before = hash(traced);
  CHECK(before != one);
  folder.write("t.trace", "r 20\n");
  CHECK(hash(traced) != before);  // the input's bytes count, not its name
}

TEST_CASE("a text with commas, quotes or line ends is one field of the CSV") {
  const SweepTable table{{"point", "a,b"}, 1, {{0, "x\"y\nz"}, {1, nullptr}, {2, 1.5}}};
  CHECK(table_csv(table) == "point,\"a,b\"\n0,\"x\"\"y\nz\"\n1,\n2,1.5\n");
}

TEST_CASE("the pool runs every job, the killed ones again, and says how each ended") {
  std::multiset<std::pair<std::size_t, int>> ends;
  std::set<std::size_t> killed;
  const ProcessPool pool{.jobs = 3,
                         .limits = {},
                         .body =
                             [](std::size_t job) {
                               if (job == 4) {
                                 std::signal(SIGABRT, SIG_DFL);
                                 std::abort();
                               }
                               return static_cast<int>(job);
                             },
                         .ended =
                             [&](std::size_t job, ProcessEnd end) {
                               ends.emplace(job, end.signal != 0 ? -end.signal : end.status);
                               return job == 2 && killed.insert(job).second;
                             },
                         .keep_going = [] { return true; }};
  CHECK(pool.run(6));
  const std::multiset<std::pair<std::size_t, int>> wanted = {{0, 0}, {1, 1}, {2, 2},       {2, 2},
                                                             {3, 3}, {5, 5}, {4, -SIGABRT}};
  CHECK(ends == wanted);
}
