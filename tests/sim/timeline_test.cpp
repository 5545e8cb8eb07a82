#include "sim/timeline.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/error.hpp"
#include "tests/shared_data.hpp"
#include "tests/timeline_reader.hpp"

using namespace mesim;
namespace fs = std::filesystem;

namespace {

struct File {
  std::string path;
  explicit File(const std::string& ending)
      : path((fs::temp_directory_path() / ("mesim-timeline-" + std::to_string(::getpid()) + ending))
                 .string()) {}
  ~File() { fs::remove(path); }
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a timeline is read by protoc with its tracks, nesting, flows, addresses and counters") {
  if (!test::can_read_timelines()) return test::note_skipped();
  const File file(".pftrace");
  auto timeline = open_timeline(file.path, {});
  const auto miss = timeline->name("load miss");
  const auto memory = timeline->name("memory");
  const auto core = timeline->track("caches", "core0");
  const auto home = timeline->track("homes", "home3");
  const auto busy = timeline->counter("homes", "busy");
  CHECK(timeline->track("caches", "core0") == core);
  timeline->begin(core, 1000, miss, {.address = 0xffff'ffff'ffff'0040, .flow = 7});
  timeline->slice(core, 1500, 1750, memory, {});
  timeline->slice(core, 1750, 2000, memory, {});
  timeline->end(core, 2000);
  timeline->slice(core, 2000, 2000, miss, {.address = 0});
  timeline->slice(home, 1200, 1900, memory, {.flow = 7});
  timeline->count(busy, 1200, 1);
  timeline->count(busy, 1900, -4);
  timeline->close();
  CHECK(timeline->events() == 12);

  const auto read = test::read_timeline(file.path);
  CHECK(read.faults.empty());
  REQUIRE(read.slices.size() == 5);
  CHECK(read.slices[0].name == "memory");
  CHECK(read.slices[0].depth == 1);
  CHECK(read.slices[0].begin == 1500);
  const auto& outer = read.slices[2];
  CHECK(outer.group == "caches");
  CHECK(outer.unit == "core0");
  CHECK(outer.name == "load miss");
  CHECK(outer.depth == 0);
  CHECK(outer.end == 2000);
  CHECK(outer.flow == "7");
  CHECK(outer.address == "18446744073709486144");
  CHECK(read.slices[3].address == "0");
  CHECK(read.slices[4].unit == "home3");
  CHECK(read.slices[4].flow == "7");
  CHECK(read.counts.at("homes/busy") == std::vector<std::pair<std::uint64_t, long>>{{1200, 1}, {1900, -4}});
}

TEST_CASE("a timeline at its limit still ends what it began, and counts the rest") {
  if (!test::can_read_timelines()) return test::note_skipped();
  const File file(".pftrace");
  auto timeline = open_timeline(file.path, {.max_bytes = 2000});
  const auto name = timeline->name("work");
  const auto track = timeline->track("units", "one");
  timeline->begin(track, 0, name, {});
  for (Tick at = 1; at < 1000; ++at) timeline->slice(track, at, at + 1, name, {});
  timeline->end(track, 1000);
  timeline->close();
  const auto read = test::read_timeline(file.path);
  CHECK(read.faults.empty());
  CHECK(read.slices.size() + timeline->dropped() == 1000);
  CHECK(read.slices.back().end == 1000);
  CHECK(fs::file_size(file.path) < 2200);
}

TEST_CASE("window and sample keep whole keys") {
  const File file(".pftrace");
  const auto timeline = open_timeline(file.path, {.from = 200, .until = 400, .one_in = 4});
  timeline->base_clock(ClockDomain(ClockPeriod::picoseconds(500)));
  std::size_t kept = 0;
  for (std::uint64_t key = 0; key < 4000; ++key) kept += timeline->wants(150'000, 160'000, key);
  CHECK(kept > 900);
  CHECK(kept < 1100);
  std::uint64_t key = 0;
  while (!timeline->wants(150'000, 160'000, key)) ++key;
  CHECK(timeline->wants(50'000, 100'000, key));
  CHECK(timeline->wants(199'000, 300'000, key));
  CHECK_FALSE(timeline->wants(50'000, 99'000, key));
  CHECK_FALSE(timeline->wants(200'000, 201'000, key));
}

TEST_CASE("slices of one unit that overlap get lanes of their own") {
  const File file(".pftrace");
  const auto timeline = open_timeline(file.path, {});
  Lanes lanes(*timeline, "homes", "home0");
  const auto first = lanes.take(0, 10);
  const auto second = lanes.take(5, 12);
  CHECK(first != second);
  CHECK(lanes.take(10, 20) == first);
  CHECK(lanes.take(15, 25) == second);
}

TEST_CASE("nothing of a timeline stays behind unless it is closed") {
  const File file(".pftrace");
  open_timeline(file.path, {});
  CHECK_FALSE(fs::exists(file.path));
  CHECK_THROWS_AS(open_timeline("trace.json", {}), Error);
  CHECK_THROWS_AS(open_timeline("/nowhere/at/all.pftrace", {}), Error);
}

TEST_CASE("a value change dump is in the order of time") {
  const File file(".vcd");
  const auto timeline = open_timeline(file.path, {});
  const auto miss = timeline->name("load miss");
  const auto memory = timeline->name("memory");
  const auto home = timeline->track("homes", "home 0");
  const auto core = timeline->track("caches", "core0");
  const auto count = timeline->counter("caches", "misses");
  timeline->begin(core, 10, miss, {});
  timeline->slice(core, 20, 30, memory, {});
  timeline->end(core, 40);
  timeline->slice(home, 15, 35, memory, {});
  timeline->count(count, 10, 5);
  timeline->close();
  CHECK(
      text_of(file.path) ==
      "$timescale 1ps $end\n"
      "$scope module caches $end\n$var string 1 \" core0 $end\n$var integer 64 # misses $end\n$upscope $end\n"
      "$scope module homes $end\n$var string 1 ! home_0 $end\n$upscope $end\n"
      "$enddefinitions $end\n"
      "#10\nsload_miss \"\nb101 #\n#15\nsmemory !\n#20\nsmemory \"\n#30\nsload_miss \"\n#35\ns !\n#40\ns "
      "\"\n");
}
