// `mesim run --timeline`: what the file says is what the result counted, whatever engine computed it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"
#include "tests/shared_data.hpp"
#include "tests/timeline_reader.hpp"

using namespace mesim::test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const std::string config = MESIM_SOURCE_DIR "/configs/main.json";

std::vector<std::string> directory_run(const std::string& timeline) {
  return {"run",
          config,
          "order=timed",
          "coherence.interconnect=directory",
          "workload.rounds=50",
          "cores.count=4",
          "--json",
          "--timeline",
          timeline};
}

std::uint64_t misses_of(const Json& result) {
  std::uint64_t sum = 0;
  for (const auto& [source, latencies] : result.at("misses").at("latency").items())
    sum += latencies.at("misses").get<std::uint64_t>();
  return sum;
}

}  // namespace

TEST_CASE("a timeline has a slice for each miss, divided by segment, with arrows to the home and back") {
  if (!can_read_timelines()) return note_skipped();
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/t.pftrace";
  const auto run = run_mesim(directory_run(file));
  REQUIRE(run.status == 0);
  const Json result = Json::parse(run.out);
  const ReadTimeline read = read_timeline(file);
  CHECK(read.faults.empty());

  const double ps = 1e6 / result.at("config").at("cores").at("clock_mhz").get<double>();
  std::uint64_t misses = 0;
  std::map<std::string, std::vector<const TimelineSlice*>> flows;
  std::map<std::string, double> covered;  // by lane and begin of the miss
  std::uint64_t inside = 0;
  for (const TimelineSlice& slice : read.slices) {
    if (!slice.flow.empty()) flows[slice.flow].push_back(&slice);
    CHECK(slice.end <= result.at("time").at("simulated_ns").get<double>() * 1000 + 100 * ps);
    if (slice.group == "homes") {
      CHECK(slice.unit.rfind("home", 0) == 0);
    } else if (slice.depth == 0) {  // written behind what it encloses
      CHECK(slice.unit.rfind("core", 0) == 0);
      CHECK(inside == slice.end - slice.begin);
      inside = 0;
      ++misses;
    } else {
      inside += slice.end - slice.begin;
    }
  }
  CHECK(misses == misses_of(result));
  CHECK(misses > 100);
  for (const auto& [flow, slices] : flows) {
    std::uint64_t miss = 0, home = 0, fill = 0;
    for (const TimelineSlice* slice : slices) {
      if (slice->group == "homes") home = slice->begin;
      if (slice->group == "cores" && slice->depth == 0) miss = slice->begin;
      if (slice->name == "fill") fill = slice->begin;
    }
    if (slices.size() != 3 || miss >= home || home >= fill)
      FAIL("flow " << flow << " is no way out and back");
  }
  const auto& under_way = read.counts.at("cores/misses under way");
  CHECK(under_way.back().second == 0);
  CHECK_FALSE(read.counts.at("cores/references per 1000 cycles").empty());
}

TEST_CASE("every engine writes the same timeline, and the result is that of a run without one") {
  const TemporaryFolder folder;
  std::string first;
  for (const char* engine : {"fast", "window", "events", "stepwise"}) {
    const std::string file = folder.path() + "/" + engine + ".pftrace";
    auto arguments = directory_run(file);
    arguments.insert(arguments.end(), {"--engine", engine});
    const auto run = run_mesim(arguments);
    REQUIRE(run.status == 0);
    const std::string bytes = read_file(file);
    if (first.empty()) {
      first = bytes;
      arguments.resize(arguments.size() - 4);
      CHECK(run_mesim(arguments).out == run.out);
    }
    CHECK(bytes == first);
  }
}

TEST_CASE("a timeline's window and sample keep a part of it") {
  if (!can_read_timelines()) return note_skipped();
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/t.pftrace";
  auto arguments = directory_run(file);
  const auto run = run_mesim(arguments);
  REQUIRE(run.status == 0);
  const double ps = 1e6 / Json::parse(run.out).at("config").at("cores").at("clock_mhz").get<double>();
  const std::size_t all = read_timeline(file).slices.size();
  arguments.insert(arguments.end(), {"--timeline-window", "1000:2000"});
  REQUIRE(run_mesim(arguments).status == 0);
  const ReadTimeline window = read_timeline(file);
  CHECK(window.faults.empty());
  CHECK(window.slices.size() > 0);
  CHECK(window.slices.size() < all);
  for (const TimelineSlice& slice : window.slices) {
    if (slice.depth != 0 || slice.group != "cores") continue;
    CHECK(slice.begin < 2000 * ps);
    CHECK(slice.end >= 1000 * ps - 1);
  }
  arguments.back() = "1000:";
  arguments.insert(arguments.end(), {"--timeline-sample", "10"});
  REQUIRE(run_mesim(arguments).status == 0);
  CHECK(read_timeline(file).slices.size() < all / 5);
}

TEST_CASE("buses have timelines too, and a dump of value changes is in the order of time") {
  const TemporaryFolder folder;
  for (const char* interconnect : {"bus", "split_bus"}) {
    const std::string file = folder.path() + "/" + interconnect + ".vcd";
    const auto run = run_mesim({"run", config, "order=timed", "workload.rounds=20", "--json", "--timeline",
                                file, std::string("coherence.interconnect=") + interconnect});
    REQUIRE(run.status == 0);
    CHECK(misses_of(Json::parse(run.out)) > 10);
    std::istringstream text(read_file(file));
    std::uint64_t last = 0, changes = 0;
    for (std::string line; std::getline(text, line);) {
      if (line[0] == 's') ++changes;
      if (line[0] != '#') continue;
      const std::uint64_t at = std::stoull(line.substr(1));
      CHECK((last == 0 || at > last));
      last = at;
    }
    CHECK(changes > 40);
  }
}

TEST_CASE("a timeline that cannot be is refused before the run") {
  const TemporaryFolder folder;
  const auto message = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", config, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto run = run_mesim(arguments);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  const std::string file = folder.path() + "/t.pftrace";
  CHECK(message({"--timeline", file}).find("which has no time") != std::string::npos);
  CHECK(message({"order=timed", "--timeline", "t.json"}).find("expected .pftrace or .vcd") !=
        std::string::npos);
  for (const char* window : {"5", "7:7", "a:b", "9:3"}) {
    CHECK(message({"order=timed", "--timeline", file, "--timeline-window", window})
              .find("expected two cycles as 1000:2000") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(file));
}

TEST_CASE("a memory by itself shows its rows and commands, as many as it counts") {
  if (!can_read_timelines()) return note_skipped();
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/t.pftrace";
  const auto run =
      run_mesim({"run", MESIM_SOURCE_DIR "/configs/validation/dram.json", "workload.pattern=random",
                 "workload.requests=2000", "--json", "--timeline", file});
  REQUIRE(run.status == 0);
  const ReadTimeline read = read_timeline(file);
  CHECK(read.faults.empty());
  std::map<std::string, std::uint64_t> seen;
  for (const TimelineSlice& slice : read.slices) {
    ++seen[slice.name];
    CHECK(slice.group == "dram");
    CHECK(slice.depth == (slice.name.rfind("RD", 0) == 0 || slice.name.rfind("WR", 0) == 0 ? 1 : 0));
  }
  const Json commands = Json::parse(run.out).at("stats").at("memory").at("commands");
  CHECK(seen["row open"] == commands.at("ACT"));
  for (const char* column : {"RD", "RDA", "WR", "WRA"})
    CHECK(seen[column] == commands.value(column, std::uint64_t{0}));
}

TEST_CASE("a machine with DRAM shows the commands of its banks behind the misses of its cores") {
  if (!can_read_timelines()) return note_skipped();
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/t.pftrace";
  for (const char* interconnect : {"directory", "split_bus"}) {
    std::vector<std::string> arguments = directory_run(file);
    arguments[3] = std::string("coherence.interconnect=") + interconnect;
    arguments.insert(arguments.end(),
                     {"memory.model=cycle", "memory.preset=ddr4-3200", "workload.pattern=private"});
    const auto run = run_mesim(arguments);
    REQUIRE(run.status == 0);
    const Json result = Json::parse(run.out);
    std::map<std::string, std::uint64_t> seen;
    for (const TimelineSlice& slice : read_timeline(file).slices) ++seen[slice.group + " " + slice.name];
    const Json commands = result.at("stats").at("memory").at("commands");
    CHECK(commands.at("RD") > 20);
    CHECK(seen["dram RD"] == commands.at("RD"));
    CHECK(seen["dram WR"] == commands.value("WR", std::uint64_t{0}));
    CHECK(seen["dram row open"] == commands.at("ACT"));

    arguments.insert(arguments.end(), {"--timeline-window", "1000:1500"});
    REQUIRE(run_mesim(arguments).status == 0);
    const double ps = 1e6 / result.at("config").at("cores").at("clock_mhz").get<double>();
    std::uint64_t in_window = 0;
    for (const TimelineSlice& slice : read_timeline(file).slices) {
      if (slice.group != "dram") continue;
      ++in_window;
      CHECK(slice.begin < 1500 * ps);
      CHECK(slice.end >= 1000 * ps - 1);
    }
    CHECK(in_window > 0);
  }
}
