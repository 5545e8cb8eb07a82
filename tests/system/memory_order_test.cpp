// What the hardware lets programs see: outcomes come out of store buffers, windows and caches by the cycle,
// and are compared with what each consistency allows.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cores/program/parser.hpp"
#include "sim/config_files.hpp"
#include "sim/random.hpp"
#include "system/timed_directory.hpp"
#include "system/timed_split_bus.hpp"

using namespace mesim;

namespace {

// Threads, each a few instructions on x, y, z that leave what they read in r1, r2.
struct Litmus {
  std::string name;
  std::vector<std::string> threads;
  // Of out[0].a, out[0].b, out[1].a ... and the last values of x and y.
  std::function<bool(const std::vector<std::uint64_t>&, std::uint64_t, std::uint64_t)> relaxed;
};

using Values = std::vector<std::uint64_t>;

const std::vector<Litmus>& tests() {
  static const std::vector<Litmus> all = {
      {"SB",
       {"st x,1;ld r1,y", "st y,1;ld r1,x"},
       [](const Values& r, auto, auto) { return r[0] == 0 && r[2] == 0; }},
      {"SB+fences",
       {"st x,1;fence;ld r1,y", "st y,1;fence;ld r1,x"},
       [](const Values& r, auto, auto) { return r[0] == 0 && r[2] == 0; }},
      {"SB+swaps",
       {"swap r9,x,1;ld r1,y", "swap r9,y,1;ld r1,x"},
       [](const Values& r, auto, auto) { return r[0] == 0 && r[2] == 0; }},
      {"SB+cas",
       {"st x,1;cas r1,y,5,1", "st y,1;cas r1,x,5,1"},
       [](const Values& r, auto, auto) { return r[0] == 0 && r[2] == 0; }},
      {"MP+rewrite",
       {"st x,1;st y,1;st x,2", "ld r1,x;ld r2,y"},
       [](const Values& r, auto, auto) { return r[2] == 2 && r[3] == 0; }},
      {"own store twice",
       {"st x,1;st x,2;ld r1,x", "st y,1"},
       [](const Values& r, auto, auto) { return r[0] == 1; }},
      {"R",
       {"st x,1;st y,1", "st y,2;ld r1,x"},
       [](const Values& r, auto, std::uint64_t y) { return y == 2 && r[2] == 0; }},
      {"MP",
       {"st x,1;st y,1", "ld r1,y;ld r2,x"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[3] == 0; }},
      {"MP+w-w",
       {"st x,1;fence w,w;st y,1", "ld r1,y;ld r2,x"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[3] == 0; }},
      {"MP+w-w+r-r",
       {"st x,1;fence w,w;st y,1", "ld r1,y;fence r,r;ld r2,x"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[3] == 0; }},
      {"MP+w-w+branch",
       {"st x,1;fence w,w;st y,1", "ld r1,y;beq r1,1,skip1;skip1: ld r2,x"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[3] == 0; }},
      {"MP+w-w+address",
       {"st x,1;fence w,w;st y,1", "ld r1,y;and r3,r1,0;lea r4,x;add r4,r4,r3;ld r2,[r4]"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[3] == 0; }},
      {"LB",
       {"ld r1,x;st y,1", "ld r1,y;st x,1"},
       [](const Values& r, auto, auto) { return r[0] == 1 && r[2] == 1; }},
      {"S",
       {"st x,2;st y,1", "ld r1,y;st x,1"},
       [](const Values& r, std::uint64_t x, auto) { return r[2] == 1 && x == 2; }},
      {"2+2W",
       {"st x,1;st y,2", "st y,1;st x,2"},
       [](const Values&, std::uint64_t x, std::uint64_t y) { return x == 1 && y == 1; }},
      {"IRIW",
       {"st x,1", "st y,1", "ld r1,x;ld r2,y", "ld r1,y;ld r2,x"},
       [](const Values& r, auto, auto) { return r[4] == 1 && r[5] == 0 && r[6] == 1 && r[7] == 0; }},
      {"IRIW+r-r",
       {"st x,1", "st y,1", "ld r1,x;fence r,r;ld r2,y", "ld r1,y;fence r,r;ld r2,x"},
       [](const Values& r, auto, auto) { return r[4] == 1 && r[5] == 0 && r[6] == 1 && r[7] == 0; }},
      {"WRC",
       {"st x,1", "ld r1,x;st y,1", "ld r1,y;ld r2,x"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[4] == 1 && r[5] == 0; }},
      {"CoRR",
       {"st x,1", "ld r1,x;ld r2,x"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[3] == 0; }},
      // the address of the older load comes late, so that the younger one goes first
      {"CoRR+late",
       {"st x,1", "ld r3,z;and r3,r3,0;lea r4,x;add r4,r4,r3;ld r1,[r4];ld r2,x"},
       [](const Values& r, auto, auto) { return r[2] == 1 && r[3] == 0; }},
      {"CoWW", {"st x,1;st x,2", "ld r1,x"}, [](const Values&, std::uint64_t x, auto) { return x != 2; }},
      {"CoWR",
       {"st x,1;ld r1,x", "st x,2"},
       [](const Values& r, std::uint64_t x, auto) { return r[0] == 2 && x == 1; }},
  };
  return all;
}

const Litmus& test_named(const std::string& name) {
  for (const Litmus& test : tests()) {
    if (test.name == name) return test;
  }
  FAIL("no test " << name);
  return tests().front();
}

// The test as a program: caches begin in random states, threads at random times.
std::string text_of(const Litmus& test, Random& random) {
  std::string text = "var x line\nvar y line\nvar z line\nvar out[4] {a, b} line\n";
  for (std::size_t t = 0; t < test.threads.size(); ++t) text += fmt::format("beq tid, {}, thread{}\n", t, t);
  text += "halt\n";
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    text += fmt::format("thread{}:\n", t);
    for (const char* variable : {"x", "y"}) {
      const std::uint64_t kind = random.below(3);
      if (kind == 1) text += fmt::format("ld r8, {}\n", variable);
      if (kind == 2) text += fmt::format("fadd r8, {}, 0\n", variable);
    }
    text += fmt::format("delay {}\n", 600 + random.below(random.chance(0.5) ? 30 : 400));
    for (const char c : test.threads[t]) text += c == ';' ? '\n' : c;
    text += fmt::format("\ndelay 1500\nst out[tid].a, r1\nst out[tid].b, r2\nhalt\n");
  }
  return text;
}

void set_cores(TimedTilesConfig& config, const std::string& consistency, bool in_order) {
  config.cores = 4;
  config.core.type = in_order ? "in_order" : "out_of_order";
  config.core.consistency = consistency;
  config.core.width = 4;
  config.core.window.size = 32;
  config.caches.l1d = {.size_bytes = 2048, .ways = 2, .line_bytes = 64};
}

TimedDirectoryConfig machine_of(const std::string& consistency, bool in_order = false) {
  TimedDirectoryConfig config;
  set_cores(config, consistency, in_order);
  config.homes = 2;
  config.home.llc = CacheConfig{.size_bytes = 8192, .ways = 4, .line_bytes = 64};
  return config;
}

// Caches that fall behind the bus by as many requests as there are.
TimedSplitBusConfig split_bus_of(const std::string& consistency, split_bus::Family family, bool nonstalling,
                                 bool in_order = false) {
  TimedSplitBusConfig config;
  set_cores(config, consistency, in_order);
  config.family = family;
  config.bus = {.address_cycles = 8,
                .snoop_cycles = 10,
                .width_bytes = 8,
                .snoop_queue = 16,
                .controller_cycles = 5,
                .nonstalling = nonstalling};
  config.caches.l1_latency_cycles = 8;
  return config;
}

// How often the relaxed outcome is seen.
template <class Machine, class Config>
unsigned seen_on(const Config& config, const Litmus& test, unsigned runs) {
  Machine machine(config);
  unsigned count = 0;
  for (unsigned run = 1; run <= runs; ++run) {
    Random random(run, test.name.size());
    const Program program = parse_program(text_of(test, random), test.name, {.threads = 4});
    machine.load(program);
    machine.reset(run);
    REQUIRE(machine.run(never));
    Values out;
    const auto word = [&](std::size_t variable, std::uint64_t offset) {
      return machine.word(program.variables[variable].address + offset, 8);
    };
    for (std::uint64_t t = 0; t < 4; ++t) {
      out.push_back(word(3, t * program.variables[3].stride_bytes));
      out.push_back(word(3, t * program.variables[3].stride_bytes + 8));
    }
    count += test.relaxed(out, word(0, 0), word(1, 0));
  }
  return count;
}

unsigned seen(const TimedDirectoryConfig& config, const Litmus& test, unsigned runs) {
  return seen_on<ProgramDirectory>(config, test, runs);
}
unsigned seen(const TimedSplitBusConfig& config, const Litmus& test, unsigned runs) {
  return seen_on<ProgramSplitBus>(config, test, runs);
}

constexpr split_bus::Family families[] = {split_bus::Family::msi, split_bus::Family::mesi,
                                          split_bus::Family::moesi};

bool allowed(const std::string& test, const std::string& consistency) {
  const auto in = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return test == name; });
  };
  if (consistency == "sc") return false;
  if (in({"SB", "R"})) return true;
  if (consistency == "tso") return false;
  if (in({"MP", "MP+rewrite", "S", "2+2W"})) return true;
  if (consistency == "pso") return false;
  return in({"SB+swaps", "SB+cas", "MP+w-w", "MP+w-w+branch", "LB", "IRIW", "WRC"});
}

// Allowed, but not what this hardware does: stores leave after all older loads, so LB stays unseen.
bool never_done(const std::string& test) { return test == "LB"; }

}  // namespace

TEST_CASE("each consistency shows the outcomes that it allows, and no other") {
  const std::string consistency = GENERATE("sc", "tso", "pso", "weak");
  for (const Litmus& test : tests()) {
    const unsigned count = seen(machine_of(consistency), test, 300);
    CAPTURE(consistency, test.name, count);
    if (!allowed(test.name, consistency) || never_done(test.name)) {
      CHECK(count == 0);
    } else if (test.name != "IRIW" && test.name != "WRC" && test.name != "SB+swaps" &&
               test.name != "SB+cas" && test.name != "MP+rewrite") {
      CHECK(count > 0);
    }
  }
}

TEST_CASE("in-order cores show no outcome that their consistency forbids") {
  const std::string consistency = GENERATE("sc", "tso", "pso", "weak");
  for (const Litmus& test : tests()) {
    CAPTURE(consistency, test.name);
    const unsigned count = seen(machine_of(consistency, true), test, 100);
    if (!allowed(test.name, consistency)) CHECK(count == 0);
  }
}

TEST_CASE("on a split bus each consistency shows the outcomes that it allows, and no other") {
  const std::string consistency = GENERATE("sc", "tso", "pso", "weak");
  for (const Litmus& test : tests()) {
    unsigned count = 0;
    for (const split_bus::Family family : families) {
      for (const bool nonstalling : {false, true}) {
        TimedSplitBusConfig config = split_bus_of(consistency, family, nonstalling);
        count += seen(config, test, 60);
        config.bus.snoop_cycles = 2;  // a store that misses is passed while it waits for the address bus
        config.bus.address_cycles = 20;
        count += seen(config, test, 60);
        if (allowed(test.name, consistency)) continue;
        count += seen(split_bus_of(consistency, family, nonstalling, true), test, 20);
      }
    }
    CAPTURE(consistency, test.name, count);
    if (!allowed(test.name, consistency) || never_done(test.name)) {
      CHECK(count == 0);
    } else if (test.name == "SB" || test.name == "2+2W") {
      CHECK(count > 0);
    }
  }
}

TEST_CASE("on a split bus a load keeps nothing of a line that was taken before it came") {
  // the younger load joins its core's own store, whose line a later request has already taken; any_once lets
  // it keep what an older load may not see any more
  unsigned kept = 0;
  for (const char* fault : {"none", "any_once", "no_squash"}) {
    CAPTURE(fault);
    unsigned count = 0;
    for (const split_bus::Family family : families) {
      TimedSplitBusConfig config = split_bus_of("tso", family, true);
      config.core.fault = fault;
      count += seen(config, test_named("MP"), 300);
    }
    if (std::string(fault) == "none") CHECK(count == 0);
    kept += count;
  }
  CHECK(kept > 0);
}

TEST_CASE("each fault of the hardware is seen by a test that the hardware passes without it") {
  const auto found = [](const char* fault, const char* test, const std::string& consistency) {
    TimedDirectoryConfig config = machine_of(consistency);
    REQUIRE(seen(config, test_named(test), 300) == 0);
    config.core.fault = fault;
    return seen(config, test_named(test), 300) > 0;
  };
  CHECK(found("no_squash", "MP", "tso"));
  CHECK(found("no_squash", "MP", "sc"));
  CHECK(found("no_squash", "SB", "sc"));
  CHECK(found("no_squash", "CoRR+late", "weak"));
  CHECK(found("fence_passes", "SB+fences", "tso"));
  CHECK(found("fence_passes", "MP+w-w", "pso"));
  CHECK(found("forward_oldest", "own store twice", "tso"));
  CHECK(found("atomic_passes", "SB+cas", "tso"));
  CHECK(found("coalesce_another", "MP+rewrite", "tso"));
}

namespace {

template <class Machine, class Config>
void check_lock(const Config& config, const char* name) {
  const Program program = read_program(configs_folder() + "/programs/" + name + ".s",
                                       {.threads = 4, .parameters = {"rounds=10", "hold=3", "count=1"}});
  Machine machine(config);
  machine.load(program);
  machine.reset(1);
  REQUIRE(machine.run(10'000'000));
  for (const Variable& v : program.variables) {
    if (v.name == "counter") CHECK(machine.word(v.address, v.size_bytes) == 40);
  }
}

// Ten increments by load-linked and store-conditional on each of 32 cores.
template <class Machine, class Config>
void check_counter(Config config) {
  config.cores = 32;
  const Program program = parse_program(
      "var n line\nmov r1, 10\nagain: ll r2, n\nadd r2, r2, 1\nsc r3, n, r2\nbeq r3, 0, again\nsub r1, r1, "
      "1\nbne "
      "r1, 0, again\n",
      "counter", {.threads = 32});
  Machine machine(config);
  machine.load(program);
  machine.reset(1);
  REQUIRE(machine.run(5'000'000));
  CHECK(machine.word(program.variables[0].address, 8) == 320);
}

template <class Machine, class Config>
void compare_engines(const Config& config, const Litmus& test, Random& random, std::uint64_t seed) {
  const Program program = parse_program(text_of(test, random), test.name, {.threads = 4});
  Config slow = config;
  slow.run_ahead = RunAhead::none;
  Machine fast(config), stepwise(slow);
  for (Machine* machine : {&fast, &stepwise}) {
    machine->load(program);
    machine->reset(seed);
  }
  Cycles stop = 0;
  for (bool over = false; !over;) {
    stop += 1 + random.below(200);
    over = fast.run(stop);
    REQUIRE(stepwise.run(stop) == over);
    REQUIRE(fast.digest() == stepwise.digest());
  }
  CHECK(fast.cycles() == stepwise.cycles());
}

}  // namespace

TEST_CASE("locks exclude each other on cores that reorder loads") {
  for (const char* name : {"test-and-set", "test-and-test-and-set", "cas-lock", "ll-sc-lock", "ticket-lock",
                           "ticket-lock-one-line", "array-lock", "mcs-lock"}) {
    for (const char* consistency : {"sc", "tso"}) {
      CAPTURE(name, consistency);
      check_lock<ProgramDirectory>(machine_of(consistency), name);
      for (const bool nonstalling : {false, true})
        check_lock<ProgramSplitBus>(split_bus_of(consistency, split_bus::Family::mesi, nonstalling), name);
    }
  }
}

TEST_CASE("load-linked and store-conditional get on with many cores") {
  check_counter<ProgramDirectory>(machine_of("tso"));
  for (const split_bus::Family family : families) {
    for (const bool nonstalling : {false, true})
      check_counter<ProgramSplitBus>(split_bus_of("tso", family, nonstalling));
  }
}

TEST_CASE("programs on out-of-order cores: the same state in both engines at any stop") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const char* modes[] = {"sc", "tso", "pso", "weak"};
    TimedDirectoryConfig directory = machine_of(modes[random.below(4)], random.chance(0.3));
    directory.core.window.prediction = random.chance(0.5) ? "gshare" : "perfect";
    directory.core.store_buffer = static_cast<std::uint32_t>(random.below(9));
    TimedSplitBusConfig bus = split_bus_of(directory.core.consistency, families[random.below(3)],
                                           random.chance(0.5), random.chance(0.3));
    bus.core = directory.core;
    const Litmus& test = tests()[random.below(tests().size())];
    CAPTURE(seed, test.name);
    compare_engines<ProgramDirectory>(directory, test, random, seed);
    compare_engines<ProgramSplitBus>(bus, test, random, seed);
  }
}

TEST_CASE("counters by load-linked: the same state in both engines at any stop of a split bus") {
  const Litmus counter{"counter",
                       {"again: ll r1,x;add r1,r1,1;sc r2,x,r1;beq r2,0,again",
                        "again1: ll r1,x;add r1,r1,1;st "
                        "z,r1;sc r2,x,r1;beq r2,0,again1",
                        "swap r1,x,5;ld r2,y"},
                       nullptr};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    CAPTURE(seed);
    compare_engines<ProgramSplitBus>(split_bus_of("tso", families[seed % 3], seed % 2 == 0), counter, random,
                                     seed);
  }
}

// What is freer must not be slower.
TEST_CASE("stores behind a fence between stores ask for their lines ahead") {
  std::string text = "var lines[8] line\n";
  for (int n = 0; n < 8; ++n) text += fmt::format("{}st lines[{}],1\n", n == 4 ? "fence w,w\n" : "", n);
  text += "halt\n";
  const Program program = parse_program(text, "stores", {.threads = 1});
  const auto cycles = [&](const char* consistency) {
    TimedDirectoryConfig config = machine_of(consistency);
    config.cores = 1;
    ProgramDirectory machine(config);
    machine.load(program);
    machine.reset(1);
    CHECK(machine.run(never));
    return machine.cycles();
  };
  CHECK(cycles("pso") <= cycles("tso"));
  CHECK(cycles("weak") <= cycles("tso"));
}
