// A run access by access, as it is printed.
#include "system/step_view.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/system/run_helpers.hpp"

using namespace mesim;
using mesim::test::config_with;

namespace {

std::string steps_of(std::vector<std::string> overrides, StepViewOptions options = {}) {
  return step_view(config_with(std::move(overrides)), "test", options);
}

// A trace of lines `proc r|w hex`, removed when the test is over.
class SmpTrace {
 public:
  explicit SmpTrace(const std::string& text) : path_("/tmp/mesim_step_view_XXXXXX") {
    close(mkstemp(path_.data()));
    std::ofstream(path_) << text;
  }
  SmpTrace(const SmpTrace&) = delete;
  SmpTrace& operator=(const SmpTrace&) = delete;
  ~SmpTrace() { unlink(path_.c_str()); }
  std::vector<std::string> overrides() const {
    return {"order=serial", "workload.path=" + path_, "workload.format=proc-rw", "cores.count=2"};
  }

 private:
  std::string path_;
};

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    widest = std::max(widest, end - at);
    at = end + 1;
  }
  return widest;
}

}  // namespace

// muditbhargava66/CacheSimulator issue 16, where all MESI statistics stayed zero.
TEST_CASE("the nine-access smoke test, step by step") {
  const SmpTrace trace(
      "0 r 1000\n1 r 1000\n0 w 1000\n1 r 1000\n1 r 2000\n0 w 2000\n1 r 2000\n0 r 3000\n1 r 3000\n");
  CHECK(steps_of(trace.overrides()) == R"(   1  P0 reads 0x1000
      BusRd, memory supplies
      line              P0    P1    memory
      0x1000            ->E   -     current
   2  P1 reads 0x1000
      BusRd, P0 supplies
      line              P0    P1    memory
      0x1000            E>S   ->S   current
   3  P0 writes 0x1000
      BusUpgr
      line              P0    P1    memory
      0x1000            S>M   S>-   old
   4  P1 reads 0x1000
      BusRd, P0 supplies, memory takes the line
      line              P0    P1    memory
      0x1000            M>S   ->S   current
   5  P1 reads 0x2000
      BusRd, memory supplies
      line              P0    P1    memory
      0x1000            S     S     current
      0x2000            -     ->E   current
   6  P0 writes 0x2000
      BusRdX, P1 supplies
      line              P0    P1    memory
      0x1000            S     S     current
      0x2000            ->M   E>-   old
   7  P1 reads 0x2000
      BusRd, P0 supplies, memory takes the line
      line              P0    P1    memory
      0x1000            S     S     current
      0x2000            M>S   ->S   current
   8  P0 reads 0x3000
      BusRd, memory supplies
      line              P0    P1    memory
      0x1000            S     S     current
      0x2000            S     S     current
      0x3000            ->E   -     current
   9  P1 reads 0x3000
      BusRd, P0 supplies
      line              P0    P1    memory
      0x1000            S     S     current
      0x2000            S     S     current
      0x3000            E>S   ->S   current

9 accesses: 7 BusRd, 1 BusRdX, 1 BusUpgr, 0 BusUpd, 0 BusWB
8 misses, 2 invalidations, 2 flushes; memory read 3, written 2
)");
}

// National Cheng Kung University, Linux kernel course 2019, quiz 6.
TEST_CASE("a load, silent store and hits of one processor, then another one's load and store") {
  const SmpTrace trace("0 r 40\n0 w 40\n0 r 40\n0 w 40\n1 r 40\n1 w 40\n");
  CHECK(steps_of(trace.overrides()) == R"(   1  P0 reads 0x40
      BusRd, memory supplies
      line              P0    P1    memory
      0x40              ->E   -     current
   2  P0 writes 0x40
      no transaction, nobody else has the line
      line              P0    P1    memory
      0x40              E>M   -     old
   3  P0 reads 0x40: hit in M
   4  P0 writes 0x40: hit in M
   5  P1 reads 0x40
      BusRd, P0 supplies, memory takes the line
      line              P0    P1    memory
      0x40              M>S   ->S   current
   6  P1 writes 0x40
      BusUpgr
      line              P0    P1    memory
      0x40              S>-   S>M   old

6 accesses: 2 BusRd, 0 BusRdX, 1 BusUpgr, 0 BusUpd, 0 BusWB
2 misses, 1 invalidations, 1 flushes; memory read 1, written 1
)");
}

TEST_CASE("steps of a timed run have their cycles, of a pattern its variables") {
  const std::string text = steps_of({"order=timed", "cores.count=2", "workload.rounds=1"});
  CHECK(text.find("cycle 2  P0 reads counter[0] at 0x") != std::string::npos);
  CHECK(text.find("P1 reads counter[1] at 0x") != std::string::npos);
  CHECK(text.find("BusRd, memory supplies") != std::string::npos);
}

TEST_CASE("evictions and writes to memory are told") {
  const SmpTrace trace("0 w 0\n0 r 40\n");
  std::vector<std::string> one_line = trace.overrides();
  one_line.insert(one_line.end(), {"l1d.size_bytes=64", "l1d.ways=1"});
  CHECK(steps_of(one_line).find("BusRd, memory supplies, BusWB of 0x0 makes room") != std::string::npos);
  const SmpTrace shared("0 w 0\n1 r 0\n");
  std::vector<std::string> memory = shared.overrides();
  memory.emplace_back("coherence.supply=memory");
  CHECK(steps_of(memory).find("BusRd, memory supplies, a dirty copy is written to memory first") !=
        std::string::npos);
}

TEST_CASE("a program's steps are shown too, and looking on changes no count") {
  const std::string text = steps_of({"cores.count=4", "workload.program=ticket-lock"}, {.limit = 100000});
  const auto plain = mesim::test::run_with({"cores.count=4", "workload.program=ticket-lock"});
  CHECK(text.find(fmt::format("{} BusRd, ", plain.stats.component("bus")->count("BusRd"))) !=
        std::string::npos);
  CHECK(text.find("stopped there") == std::string::npos);
}

TEST_CASE("every protocol's steps fit 80 columns, with as many processors as a view may have") {
  for (const std::string protocol : {"MI", "MSI", "MESI", "MOSI", "MOESI", "MESIF", "MOESIF", "Dragon"}) {
    for (const char* pattern : {"counters", "migratory", "producer_consumer"}) {
      const std::string text =
          steps_of({"cores.count=8", "workload.rounds=20", "coherence.protocol=" + protocol,
                    std::string("workload.pattern=") + pattern});
      CHECK(widest_line(text) <= 80);
    }
  }
}

TEST_CASE("a view that is too long stops and says so; one that cannot be is refused") {
  const std::string text = steps_of({"workload.rounds=1000"}, {.limit = 5});
  CHECK(text.find("5 accesses: ") != std::string::npos);
  CHECK(text.find("stopped there: the run goes on, --step-limit shows more than 5 accesses") !=
        std::string::npos);
  CHECK_THROWS_WITH(steps_of({"cores.count=9"}), Catch::Contains("expected at most 8"));
  CHECK_THROWS_WITH(steps_of({"order=timed", "coherence.interconnect=directory"}),
                    Catch::Contains("/coherence/interconnect"));
}
