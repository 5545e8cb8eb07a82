// The random tester on a split-transaction bus. Every word has one writer, which counts it up; every access
// has a position in the order of the bus, see SplitBusCache. A load must return the last store whose position
// is not behind its own: exact, however late the caches snoop.
#include <algorithm>
#include <memory>
#include <queue>

#include "coherence/random_tester.hpp"
#include "coherence/split_bus.hpp"
#include "coherence/split_bus_cache.hpp"
#include "coherence/split_bus_memory.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace mesim {
namespace {

using Net = SplitBusMessage<LineData>;
constexpr std::uint32_t line_bytes = 64, word_bytes = 2, words_in_line = line_bytes / word_bytes;

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
    for (; !held_.empty() && held_.top().at <= now; held_.pop()) {
      const Held& h = held_.top();
      (h.net.is_request() ? snoops_ : data_)[h.agent].send(now, h.net);
    }
  }
  void reset(std::uint64_t seed) override {
    random_ = Random(seed, 77);
    held_ = {};
    std::fill(last_snoop_.begin(), last_snoop_.end(), 0);
    std::fill(last_data_.begin(), last_data_.end(), 0);
    sequence_ = 0;
  }
  void digest(Digest& digest) const override { digest.add(held_.size()); }

 private:
  struct Held {
    Cycles at;
    std::uint64_t sequence;
    unsigned agent;
    Net net;
    bool operator<(const Held& other) const {  // the earliest on top
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };
  Cycles delayed(Cycles now) { return now + 1 + random_.below(max_delay_); }
  void hold(Cycles at, unsigned agent, const Net& net) {
    held_.push({at, sequence_++, agent, net});
    wake(at);
  }

  Inbox<Net> inbox_;
  Inbox<SnoopBacklog> backlog_;
  std::vector<Link<Net>> snoops_, data_;
  std::vector<Cycles> last_snoop_, last_data_;
  std::priority_queue<Held> held_;
  unsigned max_delay_;
  bool ordered_;
  std::uint64_t sequence_ = 0;
  Random random_{0};
};

struct Truth {
  // By word: the position of each store, in order; store n wrote the value n + 1.
  std::vector<std::vector<std::uint64_t>> stores;
  std::optional<std::string> fault;
  void fail(const std::string& text) {
    if (!fault) fault = text;
  }
};

class RandomCore final : public Part {
 public:
  RandomCore(const RandomTestConfig& config, const PrivateCachesConfig& caches,
             const split_bus::Protocol& protocol, unsigned self, Truth& truth)
      : config_(config),
        self_(self),
        truth_(truth),
        cache_(*this, caches, protocol, static_cast<split_bus::NodeId>(self)),
        storing_(truth.stores.size()) {}

  SplitBusCache<LineData>& cache() { return cache_; }
  bool finished() const { return issued_ == config_.operations && waiting_ == 0; }
  std::uint64_t done() const { return issued_ - waiting_; }
  // Misses whose time is accounted for to the cycle: all that did not join another.
  bool times_exact() const {
    const DirectoryCacheCounters& c = cache_.counters();
    return exact_times_ >= c.all_misses() + c.upgrades;
  }
  Cycles last_progress() const { return last_progress_; }

  void step(Cycles now) override {
    if (cache_.first_arrival() == now) {
      const auto completions = cache_.receive(now);
      const auto positions = cache_.completed_positions();
      for (std::size_t i = 0; i < completions.size(); ++i) {
        Access& access = pending_[completions[i].token];
        performed(access, completions[i].value, positions[i], now);
        check_time(access, completions[i].segments.total(), now);
        access.active = false;
        --waiting_;
      }
    }
    if (issued_ == config_.operations) return;
    if (now < next_issue_) return wake(next_issue_);
    issue(now);
    next_issue_ = now + 1 + random_.below(6);
    wake(next_issue_);
  }
  void reset(std::uint64_t seed) override {
    cache_.reset(seed);
    random_ = Random(seed, self_);
    wake(0);
  }
  void digest(Digest& digest) const override { cache_.digest(digest); }

 private:
  static constexpr unsigned outstanding = 6;
  struct Access {
    bool active = false;
    bool store = false;
    std::uint32_t word = 0;
    std::uint16_t value = 0;
    Cycles begin = 0;
  };

  void issue(Cycles now) {
    const auto free =
        std::find_if(pending_.begin(), pending_.end(), [](const Access& a) { return !a.active; });
    if (free == pending_.end()) return;
    Access access{true, random_.below(3) == 0,
                  static_cast<std::uint32_t>(random_.below(truth_.stores.size())), 0, now};
    // the writer of a word is the core with its number; one store of a word at a time
    if (access.store) {
      const std::uint64_t mine = (truth_.stores.size() + config_.cores - 1 - self_) / config_.cores;
      access.store = mine != 0;
      if (mine != 0) access.word = static_cast<std::uint32_t>(self_ + config_.cores * random_.below(mine));
      access.store = access.store && !storing_[access.word];
    }
    access.value = static_cast<std::uint16_t>(truth_.stores[access.word].size() + 1);
    const CoreRequest request{.address = access.word * std::uint64_t{word_bytes},
                              .value = access.value,
                              .pc = 0,
                              .token = static_cast<std::uint16_t>(free - pending_.begin()),
                              .size = word_bytes,
                              .kind = access.store ? AccessKind::store : AccessKind::load};
    const CoreHit hit = cache_.try_hit(request, now);
    if (hit.done) {
      performed(access, hit.value, cache_.position(), now);
      ++issued_;
    } else if (cache_.miss(request, now) == MissReply::accepted) {
      *free = access;
      storing_[access.word] = storing_[access.word] || access.store;
      ++waiting_;
      ++issued_;
    }
  }

  // The segments of a miss are its whole time; who joined one under way gets the whole of that one.
  void check_time(const Access& access, Cycles accounted, Cycles now) {
    const Cycles took = now - access.begin;
    exact_times_ += accounted == took;
    if (accounted >= took) return;
    truth_.fail(fmt::format("cycle {}: core {} waited {} cycles, of which {} are accounted for", now, self_,
                            took, accounted));
  }

  void performed(const Access& access, std::uint64_t value, std::uint64_t position, Cycles now) {
    last_progress_ = now;
    std::vector<std::uint64_t>& stores = truth_.stores[access.word];
    if (access.store) {
      stores.push_back(position);
      storing_[access.word] = false;
      return;
    }
    const auto visible =
        static_cast<std::uint64_t>(std::upper_bound(stores.begin(), stores.end(), position) - stores.begin());
    if (value == (visible & 0xffff)) return;
    truth_.fail(fmt::format(
        "cycle {}: core {} at position {} of the bus loads {} from word {} of line {}, the "
        "last store up to there wrote {}",
        now, self_, position, value, access.word % words_in_line, access.word / words_in_line, visible));
  }

  const RandomTestConfig& config_;
  unsigned self_;
  Truth& truth_;
  SplitBusCache<LineData> cache_;
  Random random_{0};
  std::array<Access, outstanding> pending_{};
  std::vector<bool> storing_;
  std::uint64_t issued_ = 0;
  std::uint64_t exact_times_ = 0;
  unsigned waiting_ = 0;
  Cycles next_issue_ = 0;
  Cycles last_progress_ = 0;
};

// Answers reads after a random time.
class RandomMemory final : public MemoryDevice {
 public:
  Inbox<MemoryRequest>& requests() override { return requests_; }
  void connect_reply(unsigned, Inbox<MemoryReply>& inbox, unsigned inbox_port, Cycles latency) override {
    reply_.connect(*this, inbox, inbox_port, latency);
  }
  void step(Cycles now) override {
    requests_.take(now, [&](unsigned, const MemoryRequest& request) {
      if (request.write) return;
      last_ = std::max(last_, now + random_.below(100));
      reply_.send(now, {request.address, request.tag, 0, 0}, last_ - now);
    });
  }
  void reset(std::uint64_t seed) override { random_ = Random(seed, 78); }
  void digest(Digest&) const override {}

 private:
  Inbox<MemoryRequest> requests_{*this, 1};
  Link<MemoryReply> reply_;
  Cycles last_ = 0;
  Random random_{0};
};

class SplitBusTest {
 public:
  SplitBusTest(const split_bus::ProtocolOptions& options, const RandomTestConfig& config, bool real_bus)
      : config_(config),
        protocol_(options),
        bus_config_{.snoop_queue = 1 + static_cast<std::uint32_t>(config.seed % 4)},
        random_bus_(config.cores, config.max_delay_cycles, protocol_.ordered_data()),
        bus_(bus_config_, config.cores, line_bytes),
        memory_(bus_config_, config.cores, line_bytes, CacheConfig{.size_bytes = 2 * line_bytes, .ways = 2},
                protocol_) {
    truth_.stores.resize(std::size_t{config.lines} * words_in_line);
    engine_.add_domain(ClockPeriod::picoseconds(500));
    engine_.add(device_);
    engine_.add(memory_);
    memory_.connect_memory(device_);
    real_bus ? build(bus_, bus_.delivery_latency()) : build(random_bus_, 1);
  }

  RandomTestReport run() {
    try {
      engine_.reset(config_.seed);
      // nobody may stand still for as long as a hundred messages take one after the other
      const Cycles patience = 1000 + Cycles{100} * (config_.max_delay_cycles + 100) * config_.cores;
      while (!truth_.fault && engine_.next() != Engine::forever) {
        engine_.run_cycles(now_ += 1000);
        if (finished()) {
          engine_.run(Engine::forever);
          check_rest();
          break;
        }
        check_progress(patience);
      }
      if (!truth_.fault && !finished()) truth_.fail("nothing is under way, but cores wait");
    } catch (const Error& error) {
      truth_.fail(error.what());
    }
    return report();
  }

 private:
  template <class Bus>
  void build(Bus& bus, Cycles inbound_latency) {
    engine_.add(bus);
    for (unsigned i = 0; i < config_.cores; ++i) {
      // two ways: an eviction is never far
      PrivateCachesConfig caches;
      caches.l1d = {.size_bytes = 2 * line_bytes, .ways = 2};
      if (config_.private_l2) caches.l2 = CacheConfig{.size_bytes = 4 * line_bytes, .ways = 2};
      caches.mshrs = 3;
      caches.eviction_buffers = 2;
      RandomCore& core =
          *cores_.emplace_back(std::make_unique<RandomCore>(config_, caches, protocol_, i, truth_));
      engine_.add(core);
      core.cache().connect(bus.inbox(), bus.backlog(), i, 1, inbound_latency);
      bus.connect_output(i, core.cache().inbox());
    }
    memory_.connect(bus.inbox(), bus.backlog(), config_.cores, config_.cores);
    bus.connect_output(config_.cores, memory_.inbox());
  }

  bool finished() const {
    return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->finished(); });
  }
  void check_progress(Cycles patience) {
    for (unsigned i = 0; i < cores_.size(); ++i) {
      if (cores_[i]->finished() || now_ - cores_[i]->last_progress() < patience) continue;
      truth_.fail(fmt::format("cycle {}: core {} has done {} operations and none for {} cycles", now_, i,
                              cores_[i]->done(), now_ - cores_[i]->last_progress()));
    }
  }

  // When nothing is under way memory's state describes the caches, and whoever answers for a line has its
  // value.
  void check_rest() {
    using namespace split_bus;
    if (!memory_.idle()) truth_.fail("at the end memory waits for something");
    for (unsigned i = 0; i < cores_.size(); ++i) {
      if (!cores_[i]->times_exact())
        truth_.fail(fmt::format("core {}: misses have more time than they took", i));
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
    for (const auto& core : cores_) {
      core->cache().caches().for_each(
          [&](std::uint64_t line, std::uint8_t, const LineData& value) { check_value(line, value); });
    }
  }
  void check_value(std::uint64_t line, const LineData& value) {
    for (std::uint32_t w = 0; w < words_in_line; ++w) {
      const std::uint64_t last = truth_.stores[line * words_in_line + w].size() & 0xffff;
      if (value.read(w * word_bytes, word_bytes) == last) continue;
      truth_.fail(fmt::format("at the end a copy of line {} has an old word {}", line, w));
    }
  }

  RandomTestReport report() {
    RandomTestReport out;
    out.fault = truth_.fault;
    out.cycles = now_;
    for (const auto& core : cores_) {
      const DirectoryCacheCounters& c = core->cache().counters();
      out.operations += core->done();
      out.invalidations += c.invalidations;
      out.interventions += c.interventions;
      out.evictions += c.evictions;
      out.loads_once += c.loads_once;
      out.stalled_snoops += c.stalled_forwards;
    }
    out.early_data = memory_.counters().early_data;
    return out;
  }

  RandomTestConfig config_;
  split_bus::Protocol protocol_;
  SplitBusConfig bus_config_;
  Truth truth_;
  Engine engine_;
  RandomMemory device_;
  RandomBus random_bus_;
  SplitBus<LineData> bus_;
  SplitBusMemory<LineData> memory_;
  std::vector<std::unique_ptr<RandomCore>> cores_;
  Cycles now_ = 0;
};

}  // namespace

RandomTestReport random_split_bus_test(const split_bus::ProtocolOptions& options,
                                       const RandomTestConfig& config, bool real_bus) {
  return SplitBusTest(options, config, real_bus).run();
}

}  // namespace mesim
