// How long a miss takes, by adding up the hops by hand, and where its time is said to have gone.
#include <catch2/catch.hpp>
#include <memory>

#include "coherence/directory_cache.hpp"
#include "coherence/directory_home.hpp"
#include "memory/fixed_latency.hpp"
#include "network/crossbar.hpp"
#include "sim/engine.hpp"

using namespace mesim;
using namespace mesim::directory;

namespace {

using Net = DirectoryMessage<LineData>;

// Issues one access when told and remembers when and how it ended.
struct Core : Part {
  Core(const PrivateCachesConfig& config, const Protocol& protocol, NodeId self, HomeMap homes)
      : cache(*this, config, protocol, self, homes) {}

  void step(Cycles now) override {
    for (const CoreCompletion& c : cache.receive(now)) {
      ended = now;
      done = c;
    }
    if (now != at) return;
    at = never;
    hit = cache.try_hit(request, now);
    if (!hit.done) reply = cache.miss(request, now);
  }
  void reset(std::uint64_t seed) override { cache.reset(seed); }
  void digest(Digest& digest) const override { cache.digest(digest); }

  DirectoryCache<LineData> cache;
  CoreRequest request;
  Cycles at = never, ended = 0;
  CoreHit hit;
  MissReply reply = MissReply::refused;
  CoreCompletion done;
};

// Four cores, one home, a crossbar of 8 cycles that delivers 32 bytes a cycle, a memory of 100 cycles.
struct Machine {
  explicit Machine(PrivateCachesConfig caches = {}, HomeConfig home = {}, Family family = Family::mesi)
      : protocol({.family = family, .all_events = true}),
        crossbar(5, {.latency_cycles = 8, .link_bytes = 32}),
        memory(1, {.latency_ns = 50, .bandwidth_gbps = 25.6}),
        slice(home, 64, protocol, {4, 1}, 0) {
    engine.add_domain(ClockPeriod::picoseconds(500));
    engine.add(crossbar);
    engine.add(memory);
    engine.add(slice);
    for (NodeId i = 0; i < 4; ++i) {
      cores.push_back(std::make_unique<Core>(caches, protocol, i, HomeMap{4, 1}));
      engine.add(*cores.back());
      cores[i]->cache.connect(crossbar.inbox(), i, 1, crossbar.delivery_latency());
      crossbar.connect_output(i, cores[i]->cache.inbox(), 0);
    }
    slice.connect(crossbar.inbox(), 4, 1);
    crossbar.connect_output(4, slice.inbox(), 0);
    slice.connect_memory(memory, 0, 1);
    engine.reset(1);
  }
  // The access by itself on the machine at rest; how long it took. 0: a hit.
  Cycles access(unsigned core, AccessKind kind, std::uint64_t address, std::uint64_t value = 0) {
    Core& c = *cores[core];
    c.request = {.address = address, .value = value, .pc = 0, .token = 1, .size = 8, .kind = kind};
    c.at = now += 10;
    c.wake(c.at);
    engine.run_cycles(now += 2000);
    return c.hit.done ? 0 : c.ended - (now - 2000);
  }
  // Loads of two cores that begin in the same cycle; how long they took.
  std::pair<Cycles, Cycles> loads_together(std::uint64_t first, std::uint64_t second) {
    const Cycles begin = now += 10;
    for (const auto& [core, address] : {std::pair{0u, first}, std::pair{1u, second}}) {
      Core& c = *cores[core];
      c.request = {.address = address, .value = 0, .pc = 0, .token = 1, .size = 8, .kind = AccessKind::load};
      c.at = begin;
      c.wake(begin);
    }
    engine.run_cycles(now += 2000);
    return {cores[0]->ended - begin, cores[1]->ended - begin};
  }
  Cycles segment(unsigned core, Segment s) { return cores[core]->done.segments.of(s); }

  Protocol protocol;
  Engine engine;
  Crossbar<Net> crossbar;
  FixedLatencyMemory memory;
  DirectoryHome<LineData> slice;
  std::vector<std::unique_ptr<Core>> cores;
  Cycles now = 0;
};

// Hops of the machine above, in cycles.
constexpr Cycles lookup = 2, control = 8, data = 8 + 2, home = 20, memory_read = 1 + 100 + 1, fill = 1;

}  // namespace

TEST_CASE("a miss takes the sum of its hops, and says where they were") {
  Machine m;
  // from memory; the fill passes the home's pipeline before the answer does
  CHECK(m.access(0, AccessKind::load, 0x1000) == lookup + control + home + memory_read + fill + home + data);
  CHECK(m.segment(0, Segment::lookup) == lookup);
  CHECK(m.segment(0, Segment::request_link) == control);
  CHECK(m.segment(0, Segment::home) == 2 * home);
  CHECK(m.segment(0, Segment::home_queue) == fill);
  CHECK(m.segment(0, Segment::memory) + m.segment(0, Segment::memory_queue) == memory_read);
  CHECK(m.segment(0, Segment::reply_link) == data);
  // from the owner, which answers for its E
  CHECK(m.access(1, AccessKind::load, 0x1000) == lookup + control + home + control + lookup + data);
  CHECK(m.segment(1, Segment::owner) == lookup);
  // from the last level, which has it and knows sharers
  CHECK(m.access(2, AccessKind::load, 0x1008) == lookup + control + home + data);
  CHECK(m.access(2, AccessKind::load, 0x1010) == 0);
}

TEST_CASE("a write waits for the acknowledgements of all sharers") {
  Machine m;
  for (unsigned core = 0; core < 3; ++core) m.access(core, AccessKind::load, 0x1000);
  const Cycles took = m.access(0, AccessKind::store, 0x1000, 7);
  // two acks that arrive at one output one after the other
  const Cycles last_ack = lookup + control + home + control + lookup + control + 1;
  CHECK(took == last_ack);
  CHECK(m.segment(0, Segment::invalidation_wait) == last_ack - (lookup + control + home + data));
  CHECK(m.cores[1]->cache.state_of(0x1000 / 64) == CacheState::I);
  CHECK(m.cores[0]->cache.state_of(0x1000 / 64) == CacheState::M);
  CHECK(m.cores[0]->cache.counters().upgrades == 1);
  // and the value is the one stored
  m.access(3, AccessKind::load, 0x1000);
  CHECK(m.cores[3]->done.value == 7);
}

TEST_CASE("a sole reader writes silently under MESI, with a message under MSI") {
  Machine mesi, msi({}, {}, Family::msi);
  mesi.access(0, AccessKind::load, 0x40);
  msi.access(0, AccessKind::load, 0x40);
  CHECK(mesi.access(0, AccessKind::store, 0x40) == 0);
  CHECK(mesi.cores[0]->cache.counters().silent_upgrades == 1);
  CHECK(msi.access(0, AccessKind::store, 0x40) == lookup + control + home + data);
}

TEST_CASE("an atomic returns what was there and leaves what it brings") {
  Machine m;
  m.access(0, AccessKind::store, 0x80, 5);
  m.access(1, AccessKind::atomic, 0x80, 6);
  CHECK(m.cores[1]->done.value == 5);
  m.access(2, AccessKind::load, 0x80);
  CHECK(m.cores[2]->done.value == 6);
}

TEST_CASE(
    "a private L2 answers after both latencies and fills the L1; evicting it takes the L1's copy along") {
  PrivateCachesConfig caches;
  caches.l1d = {.size_bytes = 2 * 64, .ways = 1};
  caches.l2 = CacheConfig{.size_bytes = 4 * 64, .ways = 1};
  Machine m(caches);
  m.access(0, AccessKind::load, 0 * 64);
  m.access(0, AccessKind::load, 2 * 64);  // the same set of the L1, another of the L2
  m.access(0, AccessKind::load, 0 * 64);
  CHECK(m.cores[0]->hit.done);
  CHECK(m.cores[0]->hit.latency == caches.l1_latency_cycles + caches.l2_latency_cycles);
  m.access(0, AccessKind::load, 0 * 64);
  CHECK(m.cores[0]->hit.latency == caches.l1_latency_cycles);
  m.access(0, AccessKind::load, 4 * 64);  // takes line 0's place in the L2
  CHECK(m.access(0, AccessKind::load, 0 * 64) > 0);
  CHECK(m.cores[0]->cache.counters().evictions == 2);
}

TEST_CASE("an instruction fetch has its own L1, and one line stands in one place") {
  PrivateCachesConfig caches;
  caches.l1i = CacheConfig{};
  Machine m(caches);
  CHECK(m.access(0, AccessKind::fetch, 0x2000) > 0);
  CHECK(m.access(0, AccessKind::fetch, 0x2000) == 0);
  CHECK(m.access(0, AccessKind::load, 0x2000) == 0);
  CHECK(m.access(0, AccessKind::store, 0x2000) == 0);  // E: silent
  CHECK(m.access(1, AccessKind::load, 0x2000) > 0);
  CHECK(m.cores[0]->cache.state_of(0x2000 / 64) == CacheState::S);
}

TEST_CASE("an inclusive last level recalls what it evicts, another does not") {
  for (const bool inclusive : {true, false}) {
    HomeConfig home;
    home.llc = CacheConfig{.size_bytes = 2 * 64, .ways = 2};
    home.inclusion = inclusive ? "inclusive" : "non_inclusive";
    Machine m({}, home);
    m.access(0, AccessKind::store, 0 * 64, 11);
    m.access(0, AccessKind::load, 1 * 64);
    m.access(1, AccessKind::load, 2 * 64);  // the third line of a set of two
    CHECK(m.slice.counters().recalls == (inclusive ? 1 : 0));
    CHECK((m.cores[0]->cache.state_of(0) == CacheState::I) == inclusive);
    CHECK(m.slice.idle());
    m.access(2, AccessKind::load, 0);
    CHECK(m.cores[2]->done.value == 11);
  }
}

TEST_CASE("a written-back line goes into the last level or past it") {
  for (const std::string writebacks : {"allocate", "bypass"}) {
    PrivateCachesConfig caches;
    caches.l1d = {.size_bytes = 64, .ways = 1};
    HomeConfig home;
    home.inclusion = "non_inclusive";
    home.writebacks = writebacks;
    Machine m(caches, home);
    m.access(0, AccessKind::store, 0, 3);
    m.access(0, AccessKind::load, 64);
    CHECK(m.cores[0]->cache.counters().writebacks == 1);
    CHECK(m.slice.counters().llc_writes == (writebacks == "allocate" ? 1 : 0));
    CHECK(m.slice.counters().memory_writes == (writebacks == "bypass" ? 1 : 0));
    m.access(1, AccessKind::load, 0);
    CHECK(m.cores[1]->done.value == 3);
  }
}

TEST_CASE("misses of one line merge; without a free MSHR or way the core is refused") {
  PrivateCachesConfig caches;
  caches.mshrs = 1;
  Machine m(caches);
  const CoreRequest load{
      .address = 0x100, .value = 0, .pc = 0, .token = 1, .size = 8, .kind = AccessKind::load};
  CoreRequest other = load, store = load;
  other.address = 0x200;
  store.kind = AccessKind::store;
  DirectoryCache<LineData>& cache = m.cores[0]->cache;
  CHECK(cache.miss(load, 0) == MissReply::accepted);
  CHECK(cache.miss(load, 0) == MissReply::accepted);
  CHECK(cache.miss(store, 0) == MissReply::refused);  // asked for a copy to read only
  CHECK(cache.miss(other, 0) == MissReply::refused);  // no MSHR
  CHECK(cache.counters().merged == 1);
  m.engine.run_cycles(2000);
  CHECK(cache.idle());
  CHECK(cache.try_hit(load, 2000).done);
}

TEST_CASE("tags that are faster than the data let misses and forwards leave sooner, hits take both in turn") {
  constexpr Cycles tags = 1, home_tags = 5;
  for (const std::string how : {"parallel", "sequential"}) {
    const bool sequential = how == "sequential";
    PrivateCachesConfig caches;
    caches.l1_array = {.lookup = how, .tag_latency_cycles = tags};
    HomeConfig slice;
    slice.llc_array = {.lookup = how, .tag_latency_cycles = home_tags};
    Machine m(caches, slice);
    const Cycles hit = sequential ? tags + lookup : lookup;
    CHECK(m.access(0, AccessKind::load, 0x1000) ==
          tags + control + home_tags + memory_read + fill + home + data);
    CHECK(m.access(0, AccessKind::load, 0x1000) == 0);
    CHECK(m.cores[0]->hit.latency == hit);
    // the owner reads its data, the home only its directory
    CHECK(m.access(1, AccessKind::load, 0x1000) == tags + control + home_tags + control + hit + data);
    // the last level reads its data
    CHECK(m.access(2, AccessKind::load, 0x1000) ==
          tags + control + (sequential ? home_tags + home : home) + data);
    CHECK(m.segment(2, Segment::home) == (sequential ? home_tags + home : home));
  }
}

TEST_CASE("of hits in a cycle to one bank all but the first wait, each a cycle longer") {
  const auto latencies = [](ArrayTimingConfig array, std::vector<std::uint64_t> lines) {
    PrivateCachesConfig caches;
    caches.l1_array = array;
    Machine m(caches);
    for (const std::uint64_t line : lines) m.access(0, AccessKind::load, line * 64);
    const Cycles now = m.now += 100;
    std::vector<std::uint32_t> out;
    for (const std::uint64_t line : lines) {
      const CoreRequest load{.address = line * 64, .value = 0, .size = 8, .kind = AccessKind::load};
      const CoreHit hit = m.cores[0]->cache.try_hit(load, now);
      REQUIRE(hit.done);
      CHECK(hit.latency == lookup + hit.conflict);
      out.push_back(hit.latency);
    }
    return out;
  };
  using Latencies = std::vector<std::uint32_t>;
  CHECK(latencies({}, {0, 1, 2, 0}) == Latencies{2, 2, 2, 2});
  CHECK(latencies({.ports = 1}, {0, 1, 2, 0}) == Latencies{2, 3, 4, 5});
  CHECK(latencies({.ports = 2}, {0, 1, 2, 0}) == Latencies{2, 2, 3, 3});
  CHECK(latencies({.banks = 2, .ports = 1}, {0, 1, 2, 0}) == Latencies{2, 2, 3, 4});
  CHECK(latencies({.banks = 4, .ports = 1}, {0, 1, 2, 0}) == Latencies{2, 2, 2, 3});
  CHECK(latencies({.ports = 1, .bank_cycles = 3}, {0, 1, 2}) == Latencies{2, 5, 8});
}

TEST_CASE("two lines of a private L2 in one bank come one after the other") {
  for (const std::uint32_t banks : {1u, 2u}) {
    PrivateCachesConfig caches;
    caches.l1d = {.size_bytes = 2 * 64, .ways = 1};
    caches.l2 = CacheConfig{.size_bytes = 16 * 64, .ways = 1};
    caches.l2_array = {.banks = banks, .ports = 1};
    Machine m(caches);
    for (const std::uint64_t line : {0u, 1u, 2u, 3u}) m.access(0, AccessKind::load, line * 64);
    const Cycles now = m.now += 100;  // the L1 holds 2 and 3
    const CoreRequest first{.address = 0, .value = 0, .size = 8, .kind = AccessKind::load};
    CoreRequest second = first;
    second.address = 64;
    CHECK(m.cores[0]->cache.try_hit(first, now).latency == 12);
    CHECK(m.cores[0]->cache.try_hit(second, now).latency == (banks == 1 ? 13 : 12));
  }
}

TEST_CASE("lines of one bank of the last level come a bank's time apart, of two banks one after the other") {
  for (const std::uint32_t banks : {1u, 2u}) {
    HomeConfig slice;
    slice.llc_array = {.banks = banks, .ports = 1, .bank_cycles = 4};
    Machine m({}, slice, Family::msi);
    m.access(3, AccessKind::load, 0x1000);
    m.access(3, AccessKind::load, 0x1040);
    const auto [first, second] = m.loads_together(0x1000, 0x1040);
    CHECK(first == lookup + control + home + data);
    CHECK(second == first + (banks == 1 ? 4 : 1));  // requests come in one by one
    CHECK(m.segment(1, Segment::home_queue) == (banks == 1 ? 3 : 0));
  }
}
