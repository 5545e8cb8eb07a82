// Operations on a timeline: a slice for each while its engine is occupied, and the same cycles as without.
#include "accel/op_timeline.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "accel/layer_run.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

class Kept final : public Timeline {
 public:
  Kept() : Timeline(TimelineOptions{}) {}
  Track track(const std::string&, const std::string& unit) override {
    tracks.push_back(unit);
    return static_cast<Track>(tracks.size() - 1);
  }
  Track counter(const std::string&, const std::string&) override { return 0; }
  Name name(const std::string& text) override {
    names.push_back(text);
    return static_cast<Name>(names.size() - 1);
  }
  void begin(Track track, Tick at, Name, Detail) override { ticks[tracks[track]] -= at; }
  void end(Track track, Tick at) override { ticks[tracks[track]] += at; }
  void count(Track, Tick, std::int64_t) override {}
  void close() override {}

  std::vector<std::string> tracks, names;
  std::map<std::string, Tick> ticks;  // in slices, by unit
};

class WithTimeline final : public RunWatch {
 public:
  bool keep_going(std::uint64_t) override { return true; }
  Timeline* timeline() override { return &kept; }
  Kept kept;
};

}  // namespace

TEST_CASE("a timeline shows each array for the cycles in which operands enter it, and changes none") {
  AcceleratorConfig config;
  config.rows = config.columns = 8;
  config.dataflow = "ws";
  config.dma.memory = "bandwidth";
  const std::vector<OperatorLayer> layers = {{.name = "gemm", .shape = GemmShape{1, 100, 60, 70}}};
  WithTimeline watch;
  const auto with = make_transfer_memory(config, MemoryConfig(), "test");
  const auto without = make_transfer_memory(config, MemoryConfig(), "test");
  const NetworkRun seen = run_layers(config, layers, *with, "test", &watch);
  const NetworkRun alone = run_layers(config, layers, *without, "test", nullptr);
  CHECK(seen.cycles == alone.cycles);
  const Cycles busy = seen.layers[0].queues[3].busy;
  CHECK(busy == alone.layers[0].queues[3].busy);
  // A cycle of 1 GHz is 1000 ticks.
  CHECK(watch.kept.ticks["array0"] == busy * 1000);
  CHECK(watch.kept.ticks.count("load") == 1);
}
