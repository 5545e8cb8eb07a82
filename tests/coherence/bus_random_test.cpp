// The atomic bus under random load: every value is checked against the last store in the order of the bus,
// for every protocol, every knob and every last level; and rows made wrong on purpose are found by the
// values.
#include <catch2/catch.hpp>
#include <vector>

#include "coherence/bus_tables.hpp"
#include "coherence/random_tester.hpp"
#include "tests/coherence/wrong_bus_rows.hpp"

using namespace mesim;

namespace {

struct Machine {
  CoherenceConfig coherence;
  std::string inclusion;
  bool prefetch = false;
};

// A cache that leaves while it waits must fetch anew; and an owner must not leave: nobody else has its
// stores.
bool coherent(const CoherenceConfig& c) {
  return c.pending_upgrade == "holder" ||
         (c.upgrade == "BusRdX" && c.protocol.find('O') == std::string::npos);
}

std::vector<Machine> every_machine(const std::string& protocol) {
  std::vector<Machine> all;
  for (const std::string inclusion : {"none", "inclusive", "non_inclusive", "exclusive"}) {
    for (const char* upgrade : {"BusUpgr", "BusRdX"}) {
      for (const char* supply : {"memory", "owner", "any"}) {
        for (const char* forwarder : {"latest", "first"}) {
          for (const char* pending : {"holder", "leaver"}) {
            Machine m;
            m.coherence.protocol = protocol;
            m.coherence.upgrade = upgrade;
            m.coherence.supply = supply;
            m.coherence.forwarder = forwarder;
            m.coherence.pending_upgrade = pending;
            m.inclusion = inclusion;
            m.prefetch = all.size() % 2 == 1;
            if (coherent(m.coherence)) all.push_back(m);
          }
        }
      }
    }
  }
  return all;
}

void run(const Machine& m, RandomTestConfig config) {
  config.inclusion = m.inclusion;
  config.prefetch = m.prefetch;
  const RandomTestReport report = random_bus_test(m.coherence, config);
  INFO(m.coherence.protocol << " upgrade " << m.coherence.upgrade << " supply " << m.coherence.supply << " "
                            << m.coherence.forwarder << " " << m.coherence.pending_upgrade << " "
                            << m.inclusion << ": " << report.fault.value_or(""));
  CHECK_FALSE(report.fault);
  CHECK(report.operations == config.cores * config.operations);
  CHECK(report.evictions + report.recalls > 50);
  CHECK((report.prefetches > 0) == m.prefetch);
  CHECK((report.recalls > 0) == (m.inclusion == "inclusive"));
  CHECK((report.updates > 0) == (m.coherence.protocol == "Dragon"));
  CHECK((report.invalidations > 0) == (m.coherence.protocol != "Dragon"));
}

}  // namespace

TEST_CASE("on an atomic bus random loads see the last store, under every protocol, knob and last level") {
  for (const std::string& protocol : bus_protocol_names()) {
    std::uint64_t seed = 20;
    for (const Machine& m : every_machine(protocol))
      run(m, {.cores = 7, .lines = 7, .operations = 300, .seed = ++seed});
  }
}

TEST_CASE("every core on an atomic bus gets on with 2 to 64 cores, few and many lines, any delay") {
  for (const std::string& protocol : bus_protocol_names()) {
    for (const unsigned cores : {2u, 19u, 64u}) {
      for (const unsigned lines : {1u, 3u, 40u}) {
        for (const unsigned delay : {0u, 200u}) {
          CoherenceConfig coherence;
          coherence.protocol = protocol;
          const RandomTestReport report = random_bus_test(coherence, {.cores = cores,
                                                                      .lines = lines,
                                                                      .operations = 100,
                                                                      .max_delay_cycles = delay,
                                                                      .inclusion = "exclusive",
                                                                      .seed = cores + lines + delay});
          INFO(protocol << " " << cores << " " << lines << " " << delay << report.fault.value_or(""));
          CHECK_FALSE(report.fault);
          CHECK(report.operations == cores * 100);
        }
      }
    }
  }
}

// The rule of the snooping-bus project: a cache in O whose own request waits lets others read old memory. Its
// traces hold no values, so its published counts follow the rule; ours do with this knob, and here is what it
// costs.
TEST_CASE("an owner on an atomic bus that leaves while it waits loses stores, and the values tell") {
  for (const std::string protocol : {"MOSI", "MOESI", "MOESIF"}) {
    CoherenceConfig coherence;
    coherence.protocol = protocol;
    coherence.upgrade = "BusRdX";
    coherence.pending_upgrade = "leaver";
    CHECK(random_bus_test(coherence, {.inclusion = "none"}).fault);
    coherence.pending_upgrade = "holder";
    CHECK_FALSE(random_bus_test(coherence, {.inclusion = "none"}).fault);
  }
}

// A copy that stays, a dirty copy that does not answer or does not go back, an update that is not taken.
TEST_CASE("rows made wrong on purpose fail the random tester of the atomic bus") {
  const auto keeps_it = [](BusRow& row) {
    if (!is_dirty(row.state)) return false;
    if (row.event == BusEvent::BusRd) {
      row.actions = {BusAction::raise_shared};
    } else if (row.event == BusEvent::Evict) {
      row.actions = {};
    } else {
      return false;
    }
    return true;
  };
  test::for_each_wrong_row(keeps_it, [](const std::string& name, const std::vector<BusRow>& rows) {
    const BusProtocol wrong(name, rows);
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 5 && !found; ++seed)
      found = random_bus_test({}, {.operations = 3000, .inclusion = "none", .seed = seed}, &wrong)
                  .fault.has_value();
    CHECK(found);
  });
}

// Every protocol with every last level; of the knobs each time others.
TEST_CASE("64 cores do a million random operations on every atomic bus", "[.long]") {
  std::size_t number = 0;
  for (const std::string& protocol : bus_protocol_names()) {
    for (const Machine& m : every_machine(protocol)) {
      if (++number % 7 == 0) run(m, {.cores = 64, .lines = 40, .operations = 15'625, .seed = 40 + number});
    }
  }
}
