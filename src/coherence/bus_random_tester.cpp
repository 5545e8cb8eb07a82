// The atomic bus under random load. Cores take turns at random; what needs the bus waits in its queue, and
// who waits goes on only when it has had its transaction, so that requests for ownership are overtaken by
// those of others as on the bus in time.
#include <algorithm>
#include <deque>

#include "coherence/bus_values.hpp"
#include "coherence/random_tester.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

namespace mesim {
namespace {

constexpr std::uint32_t line_bytes = 64, word_bytes = 2, words_in_line = line_bytes / word_bytes;

FunctionalBusConfig machine_of(const CoherenceConfig& coherence, const RandomTestConfig& config,
                               BusValues& values, const BusProtocol* protocol) {
  FunctionalBusConfig machine;
  machine.cores = config.cores;
  machine.l1d = {.size_bytes = 2 * line_bytes, .ways = 2};
  if (config.inclusion != "none") machine.llc = CacheConfig{.size_bytes = 4 * line_bytes, .ways = 2};
  machine.inclusion = config.inclusion;
  machine.coherence = coherence;
  if (config.prefetch) machine.prefetcher.kind = "next_line";
  machine.seed = config.seed;
  machine.moves = &values;
  if (protocol != nullptr) machine.protocol = *protocol;
  return machine;
}

class BusTest {
 public:
  BusTest(const CoherenceConfig& coherence, const RandomTestConfig& config, const BusProtocol* protocol)
      : config_(config),
        values_(config.cores, config.lines, words_in_line),
        machine_(machine_of(coherence, config, values_, protocol)),
        leaves_(coherence.pending_upgrade == "leaver"),
        random_(config.seed, 80),
        issued_(config.cores),
        waits_(config.cores) {}

  RandomTestReport run() {
    try {
      while (!report_.fault && report_.operations < config_.cores * config_.operations) turn();
      for (std::uint64_t line = 0; line < config_.lines && !report_.fault; ++line)
        report_.fault = values_.fault_at_rest(machine_, line);
    } catch (const Error& error) {
      report_.fault = error.what();
    }
    return report();
  }

 private:
  struct Access {
    unsigned core = 0;
    bool store = false;
    std::uint64_t line = 0;
    std::uint32_t word = 0;
    std::uint64_t address() const { return line * line_bytes + word * word_bytes; }
  };

  void turn() {
    ++report_.cycles;
    const auto core = static_cast<unsigned>(random_.below(config_.cores));
    if (!waits_[core] && issued_[core] < config_.operations) issue(core);
    if (report_.fault || queue_.empty() || report_.cycles < bus_free_) return;
    const Access access = queue_.front();
    queue_.pop_front();
    waits_[access.core] = false;
    machine_.ownership_granted(access.core);
    perform(access);
    bus_free_ = report_.cycles + random_.below(config_.max_delay_cycles + 1);
  }
  void issue(unsigned core) {
    ++issued_[core];
    const Access access{core, random_.below(3) == 0, random_.below(config_.lines),
                        static_cast<std::uint32_t>(random_.below(words_in_line))};
    if (machine_.hits(core, access.store, access.address())) return perform(access);
    waits_[core] = true;
    queue_.push_back(access);
    if (access.store) machine_.ownership_queued(core, access.address());
  }
  void perform(const Access& access) {
    ++report_.operations;
    if (access.store) {
      machine_.store(access.core, access.address(), word_bytes);
      values_.stored(access.core, access.line, access.word);
    } else {
      machine_.load(access.core, access.address(), word_bytes);
      report_.fault = values_.loaded(access.core, access.line, access.word);
    }
    // the copy of a cache that leaves while it waits is old, and it does not read it any more
    if (report_.operations % looks == 0 && !report_.fault && !leaves_)
      report_.fault = values_.fault_at_rest(machine_, random_.below(config_.lines));
  }
  RandomTestReport report() {
    for (unsigned core = 0; core < config_.cores; ++core) {
      const CoreCounters& c = machine_.core(core);
      report_.invalidations += c.invalidations;
      report_.interventions += c.interventions;
      report_.evictions += c.evictions;
      report_.updates += c.updates;
      if (const PrefetchUnit* unit = machine_.prefetch(core)) report_.prefetches += unit->counters.issued;
    }
    report_.recalls = machine_.llc().back_invalidations;
    return report_;
  }

  static constexpr std::uint64_t looks = 16;  // of how many accesses one is followed by a look at a line

  RandomTestConfig config_;
  BusValues values_;
  FunctionalBus machine_;
  bool leaves_;
  Random random_;
  std::vector<std::uint64_t> issued_;  // by core
  std::vector<bool> waits_;            // by core, for the bus
  std::deque<Access> queue_;
  Cycles bus_free_ = 0;
  RandomTestReport report_;
};

}  // namespace

RandomTestReport random_bus_test(const CoherenceConfig& coherence, const RandomTestConfig& config,
                                 const BusProtocol* protocol) {
  return BusTest(coherence, config, protocol).run();
}

}  // namespace mesim
