#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "system/timed_directory.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/result.hpp"
#include "sim/systemc_host.hpp"
#include "system/tlm_target.hpp"
#include "tests/sim/systemc_context.hpp"
#include "tests/sim/systemc_parts.hpp"
#include "tests/system/random_workload.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

std::unique_ptr<Trace> program(std::vector<Record> records, std::uint32_t threads = 1) {
  TraceInfo info;
  info.path = "test";
  info.threads = threads;
  return memory_trace(std::move(info), std::move(records));
}

Record access(RecordKind kind, std::uint64_t address, std::uint16_t thread = 0) {
  Record r;
  r.kind = kind;
  r.address = address;
  r.size = 4;
  r.thread = thread;
  return r;
}

TimedDirectoryConfig plain(std::uint32_t cores) {
  TimedDirectoryConfig config;
  config.cores = cores;
  config.homes = 1;
  config.core = CoreConfig::blocking();
  config.network = {.latency_cycles = 8, .link_bytes = 72};
  static_cast<FixedLatencyConfig&>(config.memory) = {.latency_ns = 50, .bandwidth_gbps = 128};  // 100 cycles
  config.caches.l1_latency_cycles = 1;
  config.run_ahead = RunAhead::none;
  return config;
}

// Random machines: every axis along which timing and states differ.
struct Case {
  TimedDirectoryConfig config;
  std::unique_ptr<Trace> trace;
};

Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case c;
  TimedDirectoryConfig& config = c.config;
  config.cores = static_cast<std::uint32_t>(random.chance(0.1)   ? 1
                                            : random.chance(0.1) ? 33 + random.below(32)
                                                                 : 2 + random.below(12));
  config.homes = static_cast<std::uint32_t>(1 + random.below(4));
  config.core = {.width = static_cast<std::uint32_t>(1 + random.below(4)),
                 .outstanding_loads = static_cast<std::uint32_t>(1 + random.below(16)),
                 .use_distance = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.below(30)),
                 .store_buffer = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.below(17))};
  const char* policies[] = {"lru", "tree-plru", "random"};
  config.caches.l1d = {.size_bytes = 1024u << random.below(4),
                       .ways = 1u << random.below(4),
                       .line_bytes = 64,
                       .replacement = policies[random.below(3)]};
  config.caches.l1_latency_cycles = static_cast<std::uint32_t>(1 + random.below(3));
  config.caches.mshrs = static_cast<std::uint32_t>(1 + random.below(16));
  config.caches.eviction_buffers = static_cast<std::uint32_t>(1 + random.below(4));
  if (random.chance(0.2)) {  // seldom, because without an L2 such a core does not speculate
    config.caches.prefetcher = {random.chance(0.5) ? "next_line" : "stride",
                                static_cast<std::uint32_t>(1 + random.below(3)),
                                static_cast<std::uint32_t>(1 + random.below(3)), 64};
  }
  if (random.chance(0.3)) {
    config.caches.l2 = CacheConfig{
        .size_bytes = 16384, .ways = 8, .line_bytes = 64, .replacement = policies[random.below(3)]};
    const char* writes[] = {"back", "through", "through_no_allocate"};
    config.caches.l1_writes = writes[random.below(3)];
    if (random.chance(0.3)) config.caches.l1i = config.caches.l1d;
  }
  config.home.llc = CacheConfig{.size_bytes = 8192u << random.below(4),
                                .ways = 8,
                                .line_bytes = 64,
                                .replacement = policies[random.below(3)]};
  config.home.inclusion = random.chance(0.5)   ? "inclusive"
                          : random.chance(0.5) ? "exclusive"
                                               : "non_inclusive";
  config.home.latency_cycles = static_cast<std::uint32_t>(1 + random.below(20));
  for (ArrayTimingConfig* array :
       {&config.caches.l1_array, &config.caches.l2_array, &config.home.llc_array}) {
    if (random.chance(0.2)) array->tag_latency_cycles = static_cast<std::uint32_t>(1 + random.below(8));
    if (array->tag_latency_cycles != 0 && random.chance(0.5)) array->lookup = "sequential";
    if (random.chance(0.97)) continue;  // seldom, because such cores do not speculate
    array->banks = 1u << random.below(3);
    array->ports = static_cast<std::uint32_t>(1 + random.below(2));
    array->bank_cycles = static_cast<std::uint32_t>(1 + random.below(3));
  }
  config.network = {.latency_cycles = static_cast<std::uint32_t>(2 + random.below(12)),
                    .link_bytes = random.chance(0.5) ? 72u : 16u};
  if (random.chance(0.5)) {
    const char* topologies[] = {"ring", "mesh", "torus"};
    config.network.topology = topologies[random.below(3)];
    config.network.columns = static_cast<std::uint32_t>(random.below(5));
    config.network.router_latency_cycles = static_cast<std::uint32_t>(random.below(4));
    config.network.link_latency_cycles = static_cast<std::uint32_t>(1 + random.below(3));
    config.network.virtual_channels = static_cast<std::uint32_t>(1 + random.below(2));
    config.network.buffer_flits = static_cast<std::uint32_t>(5 + random.below(4));
  }
  for (Random own(seed, 1); own.chance(0.25);)
    config.network.memory_routers.push_back(own.below(config.cores));
  static_cast<FixedLatencyConfig&>(config.memory) = {.latency_ns = 30,
                                                     .bandwidth_gbps = random.chance(0.5) ? 8.0 : 64.0};
  config.protocol.family = random.chance(0.3) ? directory::Family::msi : directory::Family::mesi;
  config.protocol.nonstalling = random.chance(0.5);
  if (random.chance(0.4)) {
    const DirectoryKind kinds[] = {DirectoryKind::limited_broadcast, DirectoryKind::limited_no_broadcast,
                                   DirectoryKind::coarse, DirectoryKind::sparse};
    config.protocol.directory.kind = kinds[random.below(4)];
    if (config.protocol.directory.kind == DirectoryKind::sparse)
      config.home.sparse = CacheConfig{.size_bytes = 4096u << random.below(4), .ways = 4};
  }
  WorkloadShape shape;
  shape.cores = config.cores;
  shape.references = 5000 / (config.cores + 3) + 100;
  const double streams[] = {0, 0.02, 0.2};
  const double shares[] = {0, 0.02, 0.1, 0.2, 0.9};
  shape.stream = streams[random.below(3)];
  shape.shared = shares[random.below(5)];
  shape.shared_lines = random.chance(0.5) ? 4 : 40;
  shape.hot_lines = random.chance(0.5) ? 8 : 60;
  shape.max_gap = random.chance(0.3) ? 0 : 8;
  shape.specials = random.chance(0.3) ? 0.05 : 0;
  c.trace = random_workload(shape, seed);
  return c;
}

std::string result_of(const TimedDirectory& machine) {
  RunResult result;
  result.time = SimulatedTime{machine.cycles(), machine.simulated_ns()};
  machine.write(result.stats);
  machine.account(result.accounts);
  return result_text(result_document(result));
}

}  // namespace

TEST_CASE("a lone miss takes the sum of its ways") {
  TimedDirectory machine(plain(2));
  const auto trace = program({access(RecordKind::load, 0x1000)});
  machine.load(*trace);
  machine.reset(1);
  CHECK(machine.run(never));
  // lookup 1, there 8, home 20, to memory 1, memory 100, back 1, the fill's turn 1, home again 20, back 8
  CHECK(machine.cycles() == 1 + 8 + 20 + 1 + 100 + 1 + 1 + 20 + 8);
  const TimeAccount account = machine.tile(0).core().account(machine.cycles());
  CHECK(account.unattributed() == 0);
  CHECK(account.of(Owner::busy) == 1);  // the cycle of the lookup issued the load
  CHECK(account.of(AccessKind::load, Segment::request_link) == 8);
  CHECK(account.of(AccessKind::load, Segment::reply_link) == 8);
}

namespace {

struct Compared {
  bool sharing;   // some cache lost a line to another core
  bool rollback;  // some core was called back
};

// Runs a random machine in all engines; compares the full state at random stops and the result's bytes.
Compared compare_engines(std::uint64_t seed) {
  CAPTURE(seed);
  Case c = random_case(seed);
  std::vector<std::unique_ptr<TimedDirectory>> machines;
  for (const RunAhead how : {RunAhead::none, RunAhead::events, RunAhead::window, RunAhead::speculation}) {
    TimedDirectoryConfig config = c.config;
    config.run_ahead = how;
    config.reversed = how == RunAhead::none && seed % 2 == 0;
    auto& machine = *machines.emplace_back(std::make_unique<TimedDirectory>(config));
    machine.load(*c.trace);
    machine.reset(seed);
  }
  TimedDirectory& stepwise = *machines.front();
  Random random(seed);
  Cycles stop = 0;
  for (bool done = false; !done;) {
    stop += 1 + random.below(random.chance(0.2) ? 20 : 3000);
    done = stepwise.run(stop);
    const std::uint64_t wanted = stepwise.digest();
    for (auto& fast : machines) {
      CAPTURE(fast->config().run_ahead, stop);
      REQUIRE((fast == machines.front() || fast->run(stop) == done));
      REQUIRE(fast->digest() == wanted);
      bool balanced = true;
      for (unsigned core = 0; core < c.config.cores && !done; ++core) {
        const TimeAccount account = fast->tile(core).core().account(stop);
        balanced = balanced && account.total() == stop && account.unattributed() == 0;
      }
      REQUIRE(balanced);
    }
  }
  const std::string wanted = result_of(stepwise);  // of balanced accounts, or there is none
  for (auto& fast : machines) REQUIRE(result_of(*fast) == wanted);
  std::uint64_t lost = 0;
  for (unsigned core = 0; core < c.config.cores; ++core)
    lost += stepwise.tile(core).cache().counters().invalidations;
  return {lost != 0, machines.back()->rollbacks() != 0};
}

// `rolled_back`: the least share of machines in which some core must have been called back.
void compare_engines(std::uint64_t first, std::uint64_t last, double rolled_back) {
  std::uint64_t sharing = 0, rollbacks = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Compared compared = compare_engines(seed);
    sharing += compared.sharing;
    rollbacks += compared.rollback;
  }
  CHECK(2 * sharing > last - first + 1);
  CHECK(static_cast<double>(rollbacks) >= rolled_back * static_cast<double>(last - first + 1));
}

// Whether speculation that leaves out a part of going back is told from the oracle.
bool told(std::uint64_t seed, Undo part) {
  Case c = random_case(seed);
  TimedDirectoryConfig config = c.config;
  config.run_ahead = RunAhead::none;
  TimedDirectory stepwise(config);
  config.run_ahead = RunAhead::speculation;
  TimedDirectory fast(config);
  for (unsigned core = 0; core < config.cores; ++core) fast.tile(core).leave_out(part);
  for (TimedDirectory* machine : {&stepwise, &fast}) {
    machine->load(*c.trace);
    machine->reset(seed);
  }
  Random random(seed);
  Cycles stop = 0;
  for (bool done = false; !done;) {
    stop += 1 + random.below(1000);
    done = stepwise.run(stop);
    if (fast.run(stop) != done || fast.digest() != stepwise.digest()) return true;
  }
  try {
    return result_of(fast) != result_of(stepwise);
  } catch (const std::exception&) {  // accounts that do not balance
    return true;
  }
}

}  // namespace

TEST_CASE("going back without any one of its parts is told") {
  for (const Undo part :
       {Undo::without_states, Undo::without_replacement, Undo::without_counters, Undo::without_buffer}) {
    CAPTURE(part);
    std::uint64_t seed = 1;
    while (seed <= 100 && !told(seed, part)) ++seed;
    CHECK(seed <= 100);
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK_FALSE(told(seed, Undo::all));
}

TEST_CASE("fast and stepwise agree in full state at random stops and in the result's bytes") {
  compare_engines(1, 60, 0.2);  // so few scatter about the third that the long run shows
}

TEST_CASE("fast and stepwise agree over 2000 random machines", "[slow]") {
  compare_engines(61, 2060, 1.0 / 3);
}

TEST_CASE("fast and stepwise agree over 10000 random machines", "[.long]") {
  compare_engines(2061, 12060, 1.0 / 3);
}

TEST_CASE("as a guest of SystemC, stepped by nanoseconds beside a foreign process, a machine ends the same") {
  struct Ticker : sc_core::sc_module {
    explicit Ticker(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
      SC_HAS_PROCESS(Ticker);
      SC_THREAD(run);
    }
    void run() {
      for (;;) wait(700, sc_core::SC_PS);
    }
  };
  for (const std::uint64_t seed : {3u, 8u, 21u}) {
    Case c = random_case(seed);
    TimedDirectory plain(c.config);
    plain.load(*c.trace);
    plain.reset(seed);
    plain.run(never);
    for (const bool inlined : {false, true}) {
      FreshSystemC systemc;
      TimedDirectory guest(c.config);
      guest.load(*c.trace);
      guest.reset(seed);
      SystemCHost host("host", guest.engine());
      Ticker ticker("ticker");
      for (Tick end = 1'000; guest.engine().next() != Engine::forever; end += inlined ? 700'000 : 1'000) {
        if (inlined) {
          host.run_until(end);
        } else {
          sc_core::sc_start(1, sc_core::SC_NS);
        }
      }
      CHECK(guest.digest() == plain.digest());
      CHECK(result_of(guest) == result_of(plain));
    }
  }
}

TEST_CASE(
    "a foreign initiator among the cores is coherent, and the same in pieces, in one piece and inline") {
  struct Device : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Device> socket{"socket"};
    std::vector<Tick> times;
    explicit Device(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
      SC_HAS_PROCESS(Device);
      SC_THREAD(run);
    }
    void run() {
      Random random(7);
      for (int i = 0; i < 300; ++i) {
        std::uint32_t data = 0;
        tlm::tlm_generic_payload payload;
        payload.set_command(random.chance(0.5) ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
        payload.set_address(random.below(40) * 64);  // lines that the cores share
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, delay);
        times.push_back(SystemCHost::now());
        wait(sc_core::sc_time::from_value(random.below(4'000)));
      }
    }
  };
  std::vector<std::uint64_t> states;
  std::vector<std::vector<Tick>> times;
  for (const int way : {0, 1, 2}) {
    FreshSystemC systemc;
    TimedDirectoryConfig config = plain(6);
    config.core = {};
    config.agents = 1;
    config.run_ahead = RunAhead::speculation;
    TimedDirectory machine(config);
    const auto trace =
        random_workload({.cores = 6, .references = 3000, .shared = 0.4, .shared_lines = 40}, 5);
    machine.load(*trace);
    SystemCHost host("host", machine.engine());
    SparseMemory bytes;
    const auto place = machine.agent_cache(0);
    TlmTarget<TimedDirectory::Cache> port("port", host, bytes, 64u, place.caches, place.protocol, place.node,
                                          place.homes);
    machine.add_agent(0, port);
    machine.reset(1);
    Device device("device");
    device.socket.bind(port.socket);
    constexpr Tick end = 150'000'000;
    if (way == 0) sc_core::sc_start(sc_core::sc_time::from_value(end));
    if (way == 1) {
      while (SystemCHost::now() < end) sc_core::sc_start(1, sc_core::SC_NS);
    }
    if (way == 2) host.run_until(end);
    CHECK(machine.finished());
    CHECK(machine.rollbacks() > 0);
    CHECK(port.cache().counters().invalidations > 20);
    states.push_back(machine.digest());
    times.push_back(device.times);
  }
  CHECK(times[0].size() == 300);
  for (const int way : {1, 2}) {
    CHECK(states[static_cast<std::size_t>(way)] == states[0]);
    CHECK(times[static_cast<std::size_t>(way)] == times[0]);
  }
}

TEST_CASE("a reset machine runs again as a new one") {
  Case c = random_case(5);
  TimedDirectory machine(c.config);
  machine.load(*c.trace);
  machine.reset(5);
  machine.run(never);
  const std::uint64_t first = machine.digest();
  for (int i = 0; i < 20; ++i) {
    machine.reset(5);
    if (i % 3 == 0) {
      machine.run(100 + 37 * static_cast<Cycles>(i));
      machine.reset(5);
    }
    machine.run(never);
    REQUIRE(machine.digest() == first);
  }
}

// gem5 issue 3185: a run taken up from a checkpoint of Ruby fails. Here a run may be left and gone on with at
// any cycle, and because it is the same to the bit each time, another machine that goes to a cycle is a copy
// taken there.
TEST_CASE("a run left and taken up at a hundred random cycles has the statistics of one that never was") {
  for (std::uint64_t seed = 30; seed < 34; ++seed) {
    CAPTURE(seed);
    Case c = random_case(seed);
    TimedDirectory whole(c.config), left(c.config), copy(c.config);
    for (TimedDirectory* machine : {&whole, &left, &copy}) {
      machine->load(*c.trace);
      machine->reset(seed);
    }
    whole.run(never);
    Random random(seed);
    std::vector<Cycles> stops(100);
    for (Cycles& stop : stops) stop = 1 + random.below(whole.cycles());
    std::sort(stops.begin(), stops.end());
    for (std::size_t i = 0; i < stops.size(); ++i) {
      left.run(stops[i]);
      if (i % 25 != 7) continue;
      copy.reset(seed);
      copy.run(stops[i]);
      REQUIRE(copy.digest() == left.digest());
      copy.run(never);
      REQUIRE(result_of(copy) == result_of(whole));
    }
    left.run(never);
    CHECK(left.digest() == whole.digest());
    CHECK(result_of(left) == result_of(whole));
  }
}

TEST_CASE("a line that one core stores and another reads: every byte of the network by hand") {
  TimedDirectory machine(plain(2));
  Record wait = access(RecordKind::wait, 0x40, 1);
  wait.size = 1;
  const auto trace = program({access(RecordKind::store, 0x1000, 0), access(RecordKind::signal, 0x40, 0), wait,
                              access(RecordKind::load, 0x1000, 1)},
                             2);
  machine.load(*trace);
  machine.reset(1);
  CHECK(machine.run(never));
  Accounts accounts;
  machine.account(accounts);
  CHECK(imbalances(accounts).empty());
  const auto moved = [&](const std::string& link, const std::string& requester) {
    for (const auto& share : accounts.bytes.find(link)->by) {
      if (share.requester == requester) return std::pair(share.read, share.written);
    }
    return std::pair(std::uint64_t{0}, std::uint64_t{0});
  };
  using Bytes = std::pair<std::uint64_t, std::uint64_t>;
  const std::uint64_t header = 8, with_line = 8 + 64;
  // GetM and its line; later the forwarded GetS, and the line to the home
  CHECK(moved("network", "core0") == Bytes{with_line + header, header + with_line});
  CHECK(moved("network", "core1") == Bytes{with_line, header});  // GetS, and the line from core 0
  CHECK(moved("llc", "core0") == Bytes{64, 64});
  CHECK(moved("llc", "core1") == Bytes{0, 0});
  CHECK(moved("memory", "core0") == Bytes{64, 0});
  CHECK(moved("l1d0", "core0") == Bytes{0, 4});
  CHECK(moved("l1d1", "core1") == Bytes{4, 0});
}

TEST_CASE("threads that wait for each other for ever are named") {
  TimedDirectory machine(plain(2));
  Record wait = access(RecordKind::wait, 0x40, 1);
  wait.size = 2;
  const auto trace = program({access(RecordKind::signal, 0x40, 0), wait}, 2);
  machine.load(*trace);
  machine.reset(1);
  CHECK_THROWS_WITH(machine.run(never),
                    Catch::Contains("core 1 waits for signal 2 of object 0x40, which has 1"));
}

TEST_CASE("parts as SystemC modules, each with its own process, come to the same state and result") {
  constexpr Cycles end = 10'000'000;  // of no run; what a core's state says may depend on the cycle
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed);
    TimedDirectory on_wheel(c.config);
    on_wheel.load(*c.trace);
    on_wheel.reset(seed);
    REQUIRE(on_wheel.run(end));

    const FreshSystemC systemc;
    TimedDirectoryConfig config = c.config;
    config.run_ahead = seed % 2 == 0 ? RunAhead::none : RunAhead::events;
    TimedDirectory on_systemc(config);
    auto wheel = std::make_unique<SystemCParts>(config.clock);
    SystemCParts& parts = *wheel;
    on_systemc.engine().replace_wheel(0, std::move(wheel));
    on_systemc.load(*c.trace);
    on_systemc.reset(seed);
    parts.run(end);
    REQUIRE(on_systemc.finished());
    CHECK(parts.activations() > on_systemc.references() / c.config.core.width);
    REQUIRE(on_systemc.digest() == on_wheel.digest());
    REQUIRE(result_of(on_systemc) == result_of(on_wheel));
  }
}
