#include "coherence/random_tester.hpp"

#include <algorithm>
#include <memory>
#include <queue>

#include "coherence/directory_cache.hpp"
#include "coherence/directory_home.hpp"
#include "coherence/dma_agent.hpp"
#include "network/make_network.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace mesim {
namespace {

using Net = DirectoryMessage<LineData>;

// Delays every message at random; only VN1 keeps its order between two nodes.
class RandomNetwork final : public Part {
 public:
  RandomNetwork(unsigned nodes, unsigned max_delay, bool ordered_forwards)
      : inbox_(*this, nodes),
        out_(nodes),
        last_(nodes * nodes),
        max_delay_(max_delay),
        ordered_(ordered_forwards) {}
  Inbox<Net>& inbox() { return inbox_; }
  void connect_output(unsigned node, Inbox<Net>& to) { out_[node].connect(*this, to, 0, 1); }

  void step(Cycles now) override {
    inbox_.take(now, [&](unsigned source, const Net& net) {
      Cycles at = now + 1 + random_.below(max_delay_);
      if (net.network == 1 && ordered_) {
        Cycles& last = last_[source * out_.size() + net.destination];
        at = last = std::max(at, last);
      }
      held_.push({at, sequence_++, net});
      wake(at);
    });
    for (; !held_.empty() && held_.top().at <= now; held_.pop()) {
      out_[held_.top().net.destination].send(now, held_.top().net);
    }
  }
  void reset(std::uint64_t seed) override {
    random_ = Random(seed, 77);
    held_ = {};
    std::fill(last_.begin(), last_.end(), 0);
    sequence_ = 0;
  }
  void digest(Digest& digest) const override { digest.add(held_.size()); }

 private:
  struct Held {
    Cycles at;
    std::uint64_t sequence;
    Net net;
    bool operator<(const Held& other) const {  // the earliest on top
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };
  Inbox<Net> inbox_;
  std::vector<Link<Net>> out_;
  std::vector<Cycles> last_;
  std::priority_queue<Held> held_;
  unsigned max_delay_;
  bool ordered_;
  std::uint64_t sequence_ = 0;
  Random random_{0};
};

constexpr std::uint32_t line_bytes = 64, word_bytes = 2, words_in_line = line_bytes / word_bytes;

// What all cores check against: the count of each word's last performed store.
struct Truth {
  std::vector<std::uint16_t> words;
  std::size_t stored_words = 0;  // by cores; behind them the line that the DMA agent writes
  std::optional<std::string> fault;
  void fail(const std::string& text) {
    if (!fault) fault = text;
  }
};

class RandomCore final : public Part {
 public:
  RandomCore(const RandomTestConfig& config, const PrivateCachesConfig& caches,
             const directory::Protocol& protocol, unsigned self, HomeMap homes, Truth& truth)
      : config_(config),
        self_(self),
        truth_(truth),
        cache_(*this, caches, protocol, static_cast<directory::NodeId>(self), homes),
        seen_(truth.words.size()),
        storing_(truth.words.size()) {}

  DirectoryCache<LineData>& cache() { return cache_; }
  bool finished() const { return issued_ == config_.operations && waiting_ == 0; }
  std::uint64_t done() const { return issued_ - waiting_; }
  // Misses whose time is accounted for to the cycle: all that did not join another.
  bool times_exact() const {
    const DirectoryCacheCounters& c = cache_.counters();
    return exact_times_ >= c.all_misses() + c.upgrades;
  }
  Cycles last_progress() const { return last_progress_; }

  void step(Cycles now) override {
    const std::uint64_t before = cache_.counters().loads_once;
    const auto completions = cache_.receive(now);
    const bool once = cache_.counters().loads_once != before;
    for (const CoreCompletion& done : completions) {
      Access& access = pending_[done.token];
      performed(access, done.value, once, now);
      check_time(access, done.segments.total(), now);
      access.active = false;
      --waiting_;
    }
    if (issued_ == config_.operations || now < next_issue_) return;
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
    Access access{true, random_.below(3) == 0, static_cast<std::uint32_t>(random_.below(truth_.words.size())),
                  0};
    // the writer of a word is the core with its number; one store of a word at a time
    if (access.store) {
      const std::uint64_t mine = (truth_.stored_words + config_.cores - 1 - self_) / config_.cores;
      access.store = mine != 0;
      if (mine != 0) access.word = static_cast<std::uint32_t>(self_ + config_.cores * random_.below(mine));
      access.store = access.store && !storing_[access.word];
    }
    access.begin = now;
    access.value = static_cast<std::uint16_t>(truth_.words[access.word] + 1);
    const CoreRequest request{.address = access.word * std::uint64_t{word_bytes},
                              .value = access.value,
                              .pc = 0,
                              .token = static_cast<std::uint16_t>(free - pending_.begin()),
                              .size = word_bytes,
                              .kind = access.store ? AccessKind::store : AccessKind::load};
    const CoreHit hit = cache_.try_hit(request, now);
    if (hit.done) {
      performed(access, hit.value, false, now);
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
    if (accounted < took) {
      truth_.fail(fmt::format("cycle {}: core {} waited {} cycles, of which {} are accounted for", now, self_,
                              took, accounted));
    }
  }
  void performed(const Access& access, std::uint64_t value, bool once, Cycles now) {
    last_progress_ = now;
    std::uint16_t& truth = truth_.words[access.word];
    std::uint16_t& seen = seen_[access.word];
    if (access.store) {
      truth = seen = access.value;
      storing_[access.word] = false;
      return;
    }
    // counts wrap; differences do not, as long as nobody is 32,768 stores behind
    const auto behind = static_cast<std::int16_t>(truth - value);
    const auto newer = static_cast<std::int16_t>(value - seen);
    // the DMA agent's count is of what it sent, perhaps not yet of what was performed
    const bool pending = access.word >= truth_.stored_words && behind == 1 && newer >= 0;
    if (value == truth || pending || (once && behind > 0 && newer >= 0)) {
      seen = static_cast<std::uint16_t>(value);
      return;
    }
    truth_.fail(fmt::format("cycle {}: core {} loads {} from word {} of line {}, the last store wrote {}",
                            now, self_, value, access.word % words_in_line, access.word / words_in_line,
                            truth));
  }

  const RandomTestConfig& config_;
  unsigned self_;
  Truth& truth_;
  DirectoryCache<LineData> cache_;
  Random random_{0};
  std::array<Access, outstanding> pending_{};
  std::vector<std::uint16_t> seen_;
  std::vector<bool> storing_;
  std::uint64_t issued_ = 0;
  std::uint64_t exact_times_ = 0;
  unsigned waiting_ = 0;
  Cycles next_issue_ = 0;
  Cycles last_progress_ = 0;
};

// What the DMA agent does: now a read of any line, now a write of one that cores only read, one at a time. A
// read may return any value that was current while it was under way; a write is performed between being sent
// and being acknowledged.
class RandomTransfers {
 public:
  using Transfer = DmaTransfer<LineData>;

  RandomTransfers(const RandomTestConfig& config, Truth& truth) : config_(config), truth_(truth) {}
  void stop() { stopped_ = true; }

  Cycles ready_at() const { return waiting_ || stopped_ ? never : ready_at_; }
  bool finished() const { return stopped_; }
  Transfer next(Cycles) {
    waiting_ = true;
    const std::uint64_t written = config_.lines;
    Transfer transfer;
    transfer.write = random_.below(2) == 0;
    transfer.line = transfer.write ? written : random_.below(config_.lines + 1);
    for (std::uint32_t w = 0; w < words_in_line; ++w) {
      std::uint16_t& truth = truth_.words[transfer.line * words_in_line + w];
      oldest_[w] = truth;
      // from here on cores may see it
      if (transfer.write) transfer.value.write(w * word_bytes, word_bytes, ++truth);
    }
    return transfer;
  }
  void done(const Transfer& transfer, const LineData& read, Cycles now) {
    waiting_ = false;
    ready_at_ = now + 1 + random_.below(50);
    if (!transfer.write) check_read(transfer.line, read, now);
  }
  void reset(std::uint64_t seed) { random_ = Random(seed, 79); }
  void digest(Digest&) const {}

 private:
  void check_read(std::uint64_t line, const LineData& read, Cycles now) {
    for (std::uint32_t w = 0; w < words_in_line; ++w) {
      const auto value = static_cast<std::uint16_t>(read.read(w * word_bytes, word_bytes));
      const std::uint16_t newest = truth_.words[line * words_in_line + w];
      if (static_cast<std::int16_t>(value - oldest_[w]) >= 0 &&
          static_cast<std::int16_t>(newest - value) >= 0)
        continue;
      truth_.fail(fmt::format("cycle {}: a DMA read of line {} returns {}, current were {} to {}", now, line,
                              value, oldest_[w], newest));
    }
  }

  const RandomTestConfig& config_;
  Truth& truth_;
  Random random_{0};
  std::array<std::uint16_t, words_in_line> oldest_{};
  Cycles ready_at_ = 0;
  bool waiting_ = false, stopped_ = false;
};
using RandomDma = DmaAgent<LineData, RandomTransfers>;

// Answers reads after a random time.
class RandomMemory final : public MemoryDevice {
 public:
  explicit RandomMemory(unsigned ports) : requests_(*this, ports), replies_(ports), last_(ports) {}
  Inbox<MemoryRequest>& requests() override { return requests_; }
  void connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port, Cycles latency) override {
    replies_[port].connect(*this, inbox, inbox_port, latency);
  }
  void step(Cycles now) override {
    requests_.take(now, [&](unsigned port, const MemoryRequest& request) {
      if (request.write) return;
      last_[port] = std::max(last_[port], now + random_.below(100));
      replies_[port].send(now, {request.address, request.tag, 0, 0}, last_[port] - now);
    });
  }
  void reset(std::uint64_t seed) override { random_ = Random(seed, 78); }
  void digest(Digest&) const override {}

 private:
  Inbox<MemoryRequest> requests_;
  std::vector<Link<MemoryReply>> replies_;
  std::vector<Cycles> last_;
  Random random_{0};
};

class RandomTest {
 public:
  RandomTest(directory::ProtocolOptions options, const RandomTestConfig& config)
      : config_(config),
        protocol_([&] {
          options.all_events = true;
          return directory::Protocol(options);
        }()),
        random_network_(config.cores + config.homes + 1, config.max_delay_cycles,
                        protocol_.ordered_forwards()),
        memory_(config.homes) {
    truth_.stored_words = std::size_t{config.lines} * words_in_line;
    truth_.words.assign(truth_.stored_words + (config.dma ? words_in_line : 0), 0);
    engine_.add_domain(ClockPeriod::picoseconds(500));
    if (config.network) {
      network_ = make_network<Net>(*config.network, {config.cores, 0, config.homes, 1});
      engine_.add(*network_);
    } else {
      engine_.add(random_network_);
    }
    engine_.add(memory_);
    const HomeMap map{static_cast<std::uint16_t>(config.cores), static_cast<std::uint16_t>(config.homes)};
    for (unsigned i = 0; i < config.cores; ++i) add_core(i, map);
    for (unsigned i = 0; i < config.homes; ++i) add_home(i, map);
    if (!config.dma) return;
    const unsigned node = config.cores + config.homes;
    dma_ = std::make_unique<RandomDma>(1, line_bytes, static_cast<directory::NodeId>(node), map, config_,
                                       truth_);
    engine_.add(*dma_);
    dma_->connect(network(), node, 1);
    connect_output(node, dma_->inbox());
  }

  RandomTestReport run() {
    try {
      engine_.reset(config_.seed);
      // nobody may stand still for as long as a hundred messages take one after the other
      const Cycles patience = 1000 + Cycles{100} * (config_.max_delay_cycles + 100) * config_.cores;
      while (!truth_.fault && engine_.next() != Engine::forever) {
        engine_.run_cycles(now_ += 1000);
        if (finished()) {
          if (dma_) dma_->source().stop();
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
  Inbox<Net>& network() { return network_ ? network_->inbox() : random_network_.inbox(); }
  void connect_output(unsigned node, Inbox<Net>& to) {
    if (network_) {
      network_->connect_output(node, to, 0);
    } else {
      random_network_.connect_output(node, to);
    }
  }
  void add_core(unsigned i, HomeMap map) {
    // two ways: an eviction is never far
    PrivateCachesConfig caches;
    caches.l1d = {.size_bytes = 2 * line_bytes, .ways = 2};
    if (config_.private_l2) caches.l2 = CacheConfig{.size_bytes = 4 * line_bytes, .ways = 2};
    caches.mshrs = 3;
    caches.eviction_buffers = 2;
    if (config_.prefetch) caches.prefetcher.kind = "next_line";
    cores_.push_back(std::make_unique<RandomCore>(config_, caches, protocol_, i, map, truth_));
    engine_.add(*cores_.back());
    cores_.back()->cache().connect(network(), i, 1, 1);
    connect_output(i, cores_.back()->cache().inbox());
  }
  void add_home(unsigned i, HomeMap map) {
    HomeConfig home;
    home.llc = CacheConfig{.size_bytes = 2 * line_bytes, .ways = 2};
    home.inclusive = config_.inclusive;
    if (protocol_.options().directory.kind == DirectoryKind::sparse)
      home.sparse = CacheConfig{.size_bytes = 2 * line_bytes, .ways = 2};
    home.latency_cycles = 3;
    homes_.push_back(make_home<LineData>(home, line_bytes, protocol_, map, i));
    engine_.add(*homes_.back());
    homes_.back()->connect(network(), config_.cores + i, 1);
    connect_output(config_.cores + i, homes_.back()->inbox());
    homes_.back()->connect_memory(memory_, i, 1);
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

  // When nothing is under way the directory describes the caches, and whoever answers for a line has its
  // value.
  void check_rest() {
    using namespace directory;
    for (unsigned i = 0; i < cores_.size(); ++i) {
      if (!cores_[i]->times_exact())
        truth_.fail(fmt::format("core {}: misses have more time than they took", i));
    }
    if (dma_ && !dma_->idle()) truth_.fail("the DMA agent waits for an answer");
    for (std::uint64_t line = 0; line * words_in_line < truth_.words.size(); ++line) {
      const auto entry = homes_[line % config_.homes]->line(line);
      if (!entry) continue;
      bool exact = stable(entry->state);
      for (unsigned i = 0; i < cores_.size(); ++i) {
        const CacheState s = cores_[i]->cache().state_of(line);
        const bool owns = s == CacheState::M || s == CacheState::E || s == CacheState::O;
        const bool told = std::count(entry->sharers.begin(), entry->sharers.end(), i) != 0;
        const bool shares = s == CacheState::S;
        const bool fits =
            protocol_.options().directory.over_approximates() ? told || !shares : told == shares;
        exact = exact && owns == (entry->owner == i) && fits && stable(s);
      }
      if (!exact)
        truth_.fail(fmt::format("at the end the directory's {} of line {} does not describe the caches",
                                name(entry->state), line));
      if (entry->owner == no_node) check_value(line, entry->value);
    }
    for (const auto& core : cores_) {
      core->cache().caches().for_each(
          [&](std::uint64_t line, std::uint8_t, const LineData& value) { check_value(line, value); });
    }
  }
  void check_value(std::uint64_t line, const LineData& value) {
    if (line * words_in_line >= truth_.words.size()) return;  // prefetched, and nobody's
    for (std::uint32_t w = 0; w < words_in_line; ++w) {
      if (value.read(w * word_bytes, word_bytes) == truth_.words[line * words_in_line + w]) continue;
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
      if (core->cache().prefetch() != nullptr) out.prefetches += core->cache().prefetch()->counters.issued;
    }
    for (const auto& home : homes_) {
      out.recalls += home->counters().recalls;
      out.dma_reads += home->counters().dma_reads;
      out.dma_writes += home->counters().dma_writes;
    }
    return out;
  }

  RandomTestConfig config_;
  directory::Protocol protocol_;
  Truth truth_;
  Engine engine_;
  RandomNetwork random_network_;
  std::unique_ptr<Network<Net>> network_;
  RandomMemory memory_;
  std::vector<std::unique_ptr<RandomCore>> cores_;
  std::vector<std::unique_ptr<HomePart<LineData>>> homes_;
  std::unique_ptr<RandomDma> dma_;
  Cycles now_ = 0;
};

}  // namespace

RandomTestReport random_test(const directory::ProtocolOptions& options, const RandomTestConfig& config) {
  return RandomTest(options, config).run();
}

}  // namespace mesim
