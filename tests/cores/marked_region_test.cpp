// Counting only what lies in a program's regions of interest: what the regions count and what the rest counts
// add up to what the whole run counts, event by event and cycle by cycle.
#include "cores/marked_region.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "cores/timed_bus.hpp"
#include "cores/untimed_order.hpp"
#include "sim/accounts.hpp"
#include "sim/random.hpp"
#include "tests/cores/vector_trace.hpp"

using namespace mesim;
using test::record;
using test::VectorTrace;
using Threads = std::vector<std::vector<Record>>;
using Counts = std::map<std::string, std::uint64_t>;

namespace {

FunctionalBusConfig small_machine(unsigned cores) {
  FunctionalBusConfig config;
  config.cores = cores;
  config.l1d.size_bytes = 512;
  config.l1d.ways = 2;
  config.llc = CacheConfig{};
  config.coherence.protocol = "MESI";
  return config;
}

// Threads that fight for a few lines. Thread 0 sets marks at random places; `outside` sets them so that a
// region lasts where the other trace has none.
Threads marked_threads(std::uint64_t seed, bool outside) {
  Random random(seed);
  Threads threads(3);
  for (auto& thread : threads) {
    for (int i = 0; i < 400; ++i) {
      constexpr RecordKind kinds[] = {RecordKind::load, RecordKind::store, RecordKind::modify,
                                      RecordKind::atomic_rmw, RecordKind::fence};
      Record access = record(kinds[random.below(5)], random.below(4096), 1 + random.below(8));
      access.gap = static_cast<std::uint16_t>(random.below(4));
      thread.push_back(access);
    }
  }
  std::vector<Record> with_marks;
  bool begin = !outside;
  // An end that closes nothing, so that both traces have as many records.
  with_marks.push_back(record(outside ? RecordKind::region_begin : RecordKind::region_end, 0, 0));
  for (const Record& access : threads[0]) {
    with_marks.push_back(access);
    if (random.below(20) != 0) continue;
    with_marks.push_back(record(begin ? RecordKind::region_begin : RecordKind::region_end, 0, 0));
    begin = !begin;
  }
  threads[0] = with_marks;
  return threads;
}

void add_all(const StatNode& node, const std::string& path, Counts& counts) {
  for (const Stat& stat : node.stats) {
    if (const auto* events = std::get_if<std::uint64_t>(&stat.value)) counts[path + stat.name] += *events;
  }
  for (const StatNode& child : node.children) add_all(child, path + child.name + "/", counts);
}

void add_sharing(const SharingTracker& sharing, Counts& counts) {
  for (const SharedLine& line : sharing.worst(1000)) {
    const std::string name = "line" + std::to_string(line.address);
    counts[name + " invalidations"] += line.invalidations;
    counts[name + " misses"] += line.true_sharing_misses + line.false_sharing_misses;
    for (const auto& loss : line.losses)
      counts[name + " from " + std::to_string(loss.victim) + " by " + std::to_string(loss.by)] += loss.count;
  }
}

// Adds what a run of `threads` counts.
void count(const std::string& order, Threads threads, bool marked_only, Counts& counts) {
  VectorTrace trace(std::move(threads));
  StatTree tree;
  if (order == "timed") {
    TimedBus bus(trace, small_machine(3), {.marked_only = marked_only});
    counts["cycles"] += run_timed_bus(bus, 1).cycles;
    Accounts accounts;
    bus.account(accounts.time);
    CHECK(imbalances(accounts).empty());
    for (const auto& unit : accounts.time.units()) {
      for (const auto& owner : unit.owners) counts[unit.name + " " + owner.name] += owner.cycles;
    }
    bus.machine().write(tree);
    UntimedRun run;
    run.counted = bus.counted();
    run.write(tree);
    add_sharing(*bus.machine().sharing(), counts);
  } else {
    FunctionalBus machine(small_machine(3));
    const UntimedOptions options{.marked_only = marked_only};
    const UntimedRun run =
        order == "serial" ? run_serial(trace, machine, options) : run_round_robin(trace, machine, options);
    machine.write(tree);
    run.write(tree);
    add_sharing(*machine.sharing(), counts);
  }
  add_all(tree.root(), "", counts);
}

}  // namespace

TEST_CASE("regions and the rest of a run add up to the whole") {
  for (const std::string order : {"serial", "round_robin", "timed"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO(order << " " << seed);
      Counts inside, parts, whole;
      count(order, marked_threads(seed, false), true, inside);
      parts = inside;
      count(order, marked_threads(seed, true), true, parts);
      count(order, marked_threads(seed, false), false, whole);
      std::erase_if(parts, [](const auto& entry) { return entry.second == 0; });
      std::erase_if(whole, [](const auto& entry) { return entry.second == 0; });
      for (const auto& [name, events] : whole) {
        INFO(name);
        CHECK(parts[name] == events);
      }
      CHECK(parts.size() == whole.size());
      CHECK(inside["bus/transactions"] > 0);
      CHECK(inside["bus/transactions"] < whole["bus/transactions"]);
    }
  }
}

TEST_CASE("caches are warm when the region begins") {
  std::vector<Record> thread;
  for (std::uint64_t line = 0; line < 4; ++line) thread.push_back(record(RecordKind::load, line * 64));
  thread.push_back(record(RecordKind::region_begin, 0, 0));
  for (std::uint64_t line = 0; line < 5; ++line) thread.push_back(record(RecordKind::load, line * 64));
  thread.push_back(record(RecordKind::region_end, 0, 0));
  thread.push_back(record(RecordKind::load, 5 * 64));
  Counts counts;
  count("round_robin", {thread, {}, {}}, true, counts);
  CHECK(counts["l1d0/reads"] == 5);
  CHECK(counts["l1d0/read_misses"] == 1);
  CHECK(counts["core0/loads"] == 5);
}

TEST_CASE("regions of several threads are one, from the first begin to the last end") {
  const Record begin = record(RecordKind::region_begin, 0, 0);
  const Record end = record(RecordKind::region_end, 0, 0);
  const Record load = record(RecordKind::load, 0);
  // In turns; the first end closes nothing, thread 1's end comes before thread 0's fifth load.
  const std::vector<Record> first = {end, load, begin, load, end, load, load, load};
  const std::vector<Record> second = {load, begin, load, load, end, load};
  Counts counts;
  count("round_robin", {first, second, {}}, true, counts);
  CHECK(counts["core0/loads"] == 3);
  CHECK(counts["core1/loads"] == 2);
}
