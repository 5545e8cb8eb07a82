// The timed controllers under random load: every protocol, every form, many cores; and every built-in fault
// is found here too, by its consequences in a run.
#include "coherence/random_tester.hpp"

#include <catch2/catch.hpp>

using namespace mesim;
using namespace mesim::directory;

TEST_CASE("random loads and stores always see the last store, under every protocol and hierarchy") {
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true}) {
      for (const std::string inclusion : {"inclusive", "non_inclusive", "exclusive"}) {
        for (const bool l2 : {false, true}) {
          const RandomTestReport report =
              random_test({.family = family, .nonstalling = nonstalling},
                          {.operations = 2000, .private_l2 = l2, .inclusion = inclusion, .seed = 5});
          INFO(static_cast<int>(family) << nonstalling << inclusion << l2 << report.fault.value_or(""));
          CHECK_FALSE(report.fault);
          CHECK(report.operations == 8 * 2000);
          CHECK(report.invalidations > 500);
          CHECK(report.interventions > 500);
          CHECK(report.dma_reads > 20);
          CHECK(report.dma_writes > 20);
          CHECK((report.recalls > 0) == (inclusion == "inclusive"));
          CHECK((report.loads_once > 0) == nonstalling);
        }
      }
    }
  }
}

TEST_CASE("what the directory remembers of the sharers changes nothing that a core sees") {
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true}) {
      for (const DirectoryKind kind : {DirectoryKind::limited_broadcast, DirectoryKind::limited_no_broadcast,
                                       DirectoryKind::coarse, DirectoryKind::sparse}) {
        for (const std::string inclusion : {"inclusive", "non_inclusive", "exclusive"}) {
          const RandomTestReport report = random_test(
              {.family = family, .nonstalling = nonstalling, .directory = {.kind = kind, .group_caches = 3}},
              {.operations = 1500, .prefetch = nonstalling, .inclusion = inclusion, .seed = 11});
          INFO(static_cast<int>(family)
               << nonstalling << directory_kind_name(kind) << inclusion << report.fault.value_or(""));
          CHECK_FALSE(report.fault);
          CHECK(report.operations == 8 * 1500);
          CHECK(report.invalidations > 300);
          CHECK((report.recalls > 0) == (inclusion == "inclusive" || kind == DirectoryKind::sparse));
          CHECK((report.prefetches > 0) == nonstalling);
        }
      }
    }
  }
}

// gem5 issue 2164: with more than 18 cores a core of its random tester never started.
TEST_CASE("every core gets on with 19, 32 and 64 cores") {
  for (const unsigned cores : {19u, 32u, 64u}) {
    for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
      const RandomTestReport report = random_test({.family = family}, {.cores = cores, .operations = 100});
      INFO(cores << report.fault.value_or(""));
      CHECK_FALSE(report.fault);
      CHECK(report.operations == cores * 100);
    }
  }
}

TEST_CASE("short and long delays, few and many lines") {
  for (const unsigned delay : {1u, 3u, 200u}) {
    for (const unsigned lines : {1u, 3u, 30u}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const RandomTestReport report =
            random_test({.family = Family::moesi, .nonstalling = true}, {.cores = 5,
                                                                         .homes = 3,
                                                                         .lines = lines,
                                                                         .operations = 500,
                                                                         .max_delay_cycles = delay,
                                                                         .seed = seed});
        INFO(delay << " " << lines << " " << report.fault.value_or(""));
        CHECK_FALSE(report.fault);
      }
    }
  }
}

// Buffers that hold one line's message and no more: what a cycle of waiting would show in.
TEST_CASE(
    "every protocol goes on over crossbar, ring, mesh and torus, whose buffers are as small as can be") {
  for (const std::string topology : {"crossbar", "ring", "mesh", "torus"}) {
    for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
      for (const std::string inclusion : {"inclusive", "non_inclusive", "exclusive"}) {
        for (const std::uint32_t link_bytes : {8u, 72u}) {
          NetworkConfig network;
          network.topology = topology;
          network.link_bytes = link_bytes;
          network.router_latency_cycles = 1;
          network.buffer_flits = network.flits(72);
          const RandomTestReport report = random_test(
              {.family = family, .nonstalling = inclusion == "inclusive"}, {.cores = 16,
                                                                            .homes = 8,
                                                                            .lines = 12,
                                                                            .operations = 300,
                                                                            .network = network,
                                                                            .inclusion = inclusion,
                                                                            .seed = 7});
          INFO(topology << static_cast<int>(family) << inclusion << link_bytes << report.fault.value_or(""));
          CHECK_FALSE(report.fault);
          CHECK(report.operations == 16 * 300);
        }
      }
    }
  }
}

TEST_CASE("the same seed gives the same run") {
  const RandomTestConfig config{.operations = 500, .seed = 3};
  CHECK(random_test({}, config).cycles == random_test({}, config).cycles);
  CHECK(random_test({}, config).evictions == random_test({}, config).evictions);
}

TEST_CASE("a mutated table fails the random tester") {
  const auto [mutation, family] = GENERATE(
      std::pair{Mutation::unordered_forwards, Family::msi},
      std::pair{Mutation::unordered_forwards, Family::mesi},
      std::pair{Mutation::keep_sm_ad_on_inv, Family::msi},
      std::pair{Mutation::keep_sm_ad_on_inv, Family::mesi}, std::pair{Mutation::no_is_d_i, Family::msi},
      std::pair{Mutation::ack_count_zero, Family::mesi}, std::pair{Mutation::early_data, Family::mesi},
      std::pair{Mutation::early_data, Family::moesi}, std::pair{Mutation::stale_putm_written, Family::mesi},
      std::pair{Mutation::stale_putm_written, Family::msi},
      std::pair{Mutation::ack_count_on_responses, Family::moesi});
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 20 && !found; ++seed) {
    found = random_test({.family = family, .mutation = mutation}, {.operations = 3000, .seed = seed})
                .fault.has_value();
  }
  INFO(mutation_name(mutation));
  CHECK(found);
}

namespace {

struct Combination {
  std::string network;
  Family family = Family::mesi;
  DirectoryKind kind = DirectoryKind::full;
  std::string inclusion = "inclusive";
};

std::vector<Combination> every_combination() {
  std::vector<Combination> all;
  for (const std::string network : {"random", "crossbar", "ring", "mesh", "torus"}) {
    for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
      for (const DirectoryKind kind :
           {DirectoryKind::full, DirectoryKind::limited_broadcast, DirectoryKind::limited_no_broadcast,
            DirectoryKind::coarse, DirectoryKind::sparse}) {
        for (const std::string inclusion : {"inclusive", "non_inclusive", "exclusive"})
          all.push_back({network, family, kind, inclusion});
      }
    }
  }
  return all;
}

// Forms alternate, so that each of them meets each of the others.
void run_combination(const Combination& c, std::size_t number, RandomTestConfig config) {
  if (c.network != "random") {
    NetworkConfig network;
    network.topology = c.network;
    network.buffer_flits = network.flits(72);
    config.network = network;
  }
  config.inclusion = c.inclusion;
  config.private_l2 = number % 3 == 0;
  config.prefetch = number % 4 == 1;
  config.ports = number % 5 == 2;
  config.memories = number % 3;
  config.seed = 100 + number;
  const RandomTestReport report =
      random_test({.family = c.family,
                   .nonstalling = number % 2 == 0,
                   .directory = {.kind = c.kind, .pointers = 3, .group_caches = 4}},
                  config);
  INFO(c.network << " " << static_cast<int>(c.family) << " " << directory_kind_name(c.kind) << " "
                 << c.inclusion << " " << report.fault.value_or(""));
  CHECK_FALSE(report.fault);
  CHECK(report.operations == config.cores * config.operations);
}

}  // namespace

TEST_CASE("every protocol, network, directory and inclusion together") {
  std::size_t number = 0;
  for (const Combination& c : every_combination())
    run_combination(c, number++, {.cores = 9, .homes = 3, .lines = 7, .operations = 150});
}

// By network, so that the pieces can run beside each other.
void run_million(const std::string& network) {
  std::size_t number = 0;
  for (const Combination& c : every_combination()) {
    ++number;
    if (c.network == network)
      run_combination(c, number, {.cores = 64, .homes = 16, .lines = 40, .operations = 15'625});
  }
}

TEST_CASE("64 cores do a million random operations under every combination: random delays", "[.long]") {
  run_million("random");
}
TEST_CASE("64 cores do a million random operations under every combination: crossbar", "[.long]") {
  run_million("crossbar");
}
TEST_CASE("64 cores do a million random operations under every combination: ring", "[.long]") {
  run_million("ring");
}
TEST_CASE("64 cores do a million random operations under every combination: mesh", "[.long]") {
  run_million("mesh");
}
TEST_CASE("64 cores do a million random operations under every combination: torus", "[.long]") {
  run_million("torus");
}

TEST_CASE("a million random operations a protocol", "[.long]") {
  for (const Family family : {Family::msi, Family::mesi, Family::moesi}) {
    for (const bool nonstalling : {false, true}) {
      const RandomTestReport report = random_test({.family = family, .nonstalling = nonstalling},
                                                  {.cores = 16, .operations = 62500, .seed = 9});
      INFO(report.fault.value_or(""));
      CHECK_FALSE(report.fault);
    }
  }
}
