// The random tester on a split-transaction bus. Every word has one writer, which counts it up; every access
// has a position in the order of the bus, see SplitBusCache. A load must return the last store whose position
// is not behind its own: exact, however late the caches snoop.
#include <algorithm>

#include "coherence/random_test_parts.hpp"
#include "coherence/split_bus.hpp"
#include "coherence/split_bus_cache.hpp"
#include "coherence/split_bus_memory.hpp"

namespace mesim {
namespace {

using namespace random_testing;
using Net = SplitBusMessage<LineData>;

// A bus on which every agent sees the requests in one order but each in its own time, without bound, and data
// takes any time; one cache's data for memory stays in order.
class RandomBus final : public Part {
 public:
  RandomBus(unsigned caches, unsigned max_delay, bool ordered)
      : inbox_(*this, caches + 2),
        backlog_(*this, caches + 1),
        snoops_(caches + 1),
        data_(caches + 1),
        last_snoop_(caches + 1),
        last_data_(caches + 2),
        max_delay_(max_delay),
        ordered_(ordered) {}
  Inbox<Net>& inbox() { return inbox_; }
  Inbox<SnoopBacklog>& backlog() { return backlog_; }
  void connect_output(unsigned agent, Inbox<Net>& inbox) {
    snoops_[agent].connect(*this, inbox, 0, 1);
    data_[agent].connect(*this, inbox, 1, 1);
  }

  void step(Cycles now) override {
    backlog_.take(now, [](unsigned, const SnoopBacklog&) {});
    inbox_.take(now, [&](unsigned port, const Net& net) {
      const auto memory = static_cast<unsigned>(snoops_.size() - 1);
      if (net.is_request()) {
        for (unsigned agent = 0; agent <= memory; ++agent)
          hold(last_snoop_[agent] = std::max(delayed(now), last_snoop_[agent]), agent, net);
        return;
      }
      if (net.data.to != split_bus::memory_node) hold(delayed(now), net.data.to, net);
      if (net.data.to == split_bus::memory_node || net.copy_to_memory) {
        const Cycles at = std::max(delayed(now), ordered_ ? last_data_[port] : 0);
        last_data_[port] = at;
        hold(at, memory, net);
      }
    });
    held_.release(now, [&](const ForAgent& held) {
      (held.net.is_request() ? snoops_ : data_)[held.agent].send(now, held.net);
    });
  }
  void reset(std::uint64_t seed) override {
    random_ = Random(seed, 77);
    held_.clear();
    std::fill(last_snoop_.begin(), last_snoop_.end(), 0);
    std::fill(last_data_.begin(), last_data_.end(), 0);
  }
  void digest(Digest& digest) const override { digest.add(held_.size()); }

 private:
  struct ForAgent {
    unsigned agent;
    Net net;
  };
  Cycles delayed(Cycles now) { return now + 1 + random_.below(max_delay_); }
  void hold(Cycles at, unsigned agent, const Net& net) {
    held_.push(at, {agent, net});
    wake(at);
  }

  Inbox<Net> inbox_;
  Inbox<SnoopBacklog> backlog_;
  std::vector<Link<Net>> snoops_, data_;
  std::vector<Cycles> last_snoop_, last_data_;
  HeldMessages<ForAgent> held_;
  unsigned max_delay_;
  bool ordered_;
  Random random_{0};
};

class Truth : public Fault {
 public:
  Truth(unsigned, std::size_t words, std::size_t) : stores_(words) {}

  std::size_t words() const { return stores_.size(); }
  std::size_t stored_words() const { return stores_.size(); }
  std::uint16_t next_value(std::size_t word) const {
    return static_cast<std::uint16_t>(stores_[word].size() + 1);
  }
  std::uint16_t last_value(std::size_t word) const {
    return static_cast<std::uint16_t>(stores_[word].size());
  }
  // Positions in the order of the bus.
  std::uint64_t of_hit(const SplitBusCache<LineData>& cache) const { return cache.position(); }
  std::uint64_t of_completion(const SplitBusCache<LineData>& cache, std::size_t i, bool) const {
    return cache.completed_positions()[i];
  }
  void performed(unsigned core, const RandomAccess& access, std::uint64_t value, std::uint64_t position,
                 Cycles now) {
    std::vector<std::uint64_t>& stores = stores_[access.word];
    if (access.store) {
      stores.push_back(position);
      return;
    }
    const auto visible =
        static_cast<std::uint64_t>(std::upper_bound(stores.begin(), stores.end(), position) - stores.begin());
    if (value == (visible & 0xffff)) return;
    fail(fmt::format(
        "cycle {}: core {} at position {} of the bus loads {} from word {} of line {}, the "
        "last store up to there wrote {}",
        now, core, position, value, access.word % words_in_line, access.word / words_in_line, visible));
  }

 private:
  // By word: the position of each store, in order; store n wrote the value n + 1.
  std::vector<std::vector<std::uint64_t>> stores_;
};

class SplitBusTest : public RandomTestRun<SplitBusCache<LineData>, Truth> {
 public:
  SplitBusTest(const split_bus::ProtocolOptions& options, const RandomTestConfig& config, bool real_bus)
      : RandomTestRun(config, std::size_t{config.lines} * words_in_line,
                      std::size_t{config.lines} * words_in_line),
        protocol_(options),
        bus_config_{.snoop_queue = 1 + static_cast<std::uint32_t>(config.seed % 4)},
        random_bus_(config.cores, config.max_delay_cycles, protocol_.ordered_data()),
        bus_(bus_config_, config.cores, line_bytes),
        memory_(bus_config_, config.cores, line_bytes, CacheConfig{.size_bytes = 2 * line_bytes, .ways = 2},
                protocol_) {
    engine_.add(device_);
    engine_.add(memory_);
    memory_.connect_memory(device_);
    real_bus ? build(bus_, bus_.delivery_latency()) : build(random_bus_, 1);
  }

 private:
  template <class Bus>
  void build(Bus& bus, Cycles inbound_latency) {
    engine_.add(bus);
    for (unsigned i = 0; i < config_.cores; ++i) {
      auto& cache = add_core(protocol_, static_cast<split_bus::NodeId>(i));
      cache.connect(bus.inbox(), bus.backlog(), i, 1, inbound_latency);
      bus.connect_output(i, cache.inbox());
    }
    memory_.connect(bus.inbox(), bus.backlog(), config_.cores, config_.cores);
    bus.connect_output(config_.cores, memory_.inbox());
  }

  // When nothing is under way memory's state describes the caches, and whoever answers for a line has its
  // value.
  void check_rest() override {
    using namespace split_bus;
    if (!memory_.idle()) truth_.fail("at the end memory waits for something");
    check_times();
    for (unsigned i = 0; i < cores_.size(); ++i) {
      if (!cores_[i]->cache().idle()) truth_.fail(fmt::format("at the end cache {} is busy", i));
    }
    for (std::uint64_t line = 0; line < config_.lines; ++line) {
      const auto* known = memory_.line(line);
      if (known == nullptr) continue;
      unsigned owners = 0, holders = 0;
      bool clean = false;
      for (const auto& core : cores_) {
        const CacheState s = core->cache().state_of(line);
        owners += owns(s);
        holders += s != CacheState::I;
        clean = clean || s == CacheState::E;
      }
      if ((owners == 1) != (known->state == MemoryState::M) || owners > 1 ||
          (known->state == MemoryState::I && holders != 0)) {
        truth_.fail(fmt::format("at the end memory's {} of line {} does not describe the caches",
                                name(known->state), line));
      }
      if (owners == 0 || clean) check_value(line, known->value);
    }
    check_values();
  }

  RandomTestReport report() override {
    RandomTestReport out = RandomTestRun::report();
    out.early_data = memory_.counters().early_data;
    return out;
  }

  split_bus::Protocol protocol_;
  SplitBusConfig bus_config_;
  RandomMemory device_{1};
  RandomBus random_bus_;
  SplitBus<LineData> bus_;
  SplitBusMemory<LineData> memory_;
};

}  // namespace

RandomTestReport random_split_bus_test(const split_bus::ProtocolOptions& options,
                                       const RandomTestConfig& config, bool real_bus) {
  return SplitBusTest(options, config, real_bus).run();
}

}  // namespace mesim
