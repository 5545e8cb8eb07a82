#include "coherence/random_tester.hpp"

#include <algorithm>
#include <memory>

#include "coherence/directory_cache.hpp"
#include "coherence/directory_home.hpp"
#include "coherence/dma_agent.hpp"
#include "coherence/random_test_parts.hpp"
#include "network/make_network.hpp"

namespace mesim {
namespace {

using namespace random_testing;
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
      held_.push(at, net);
      wake(at);
    });
    held_.release(now, [&](const Net& net) { out_[net.destination].send(now, net); });
  }
  void reset(std::uint64_t seed) override {
    random_ = Random(seed, 77);
    held_.clear();
    std::fill(last_.begin(), last_.end(), 0);
  }
  void digest(Digest& digest) const override { digest.add(held_.size()); }

 private:
  Inbox<Net> inbox_;
  std::vector<Link<Net>> out_;
  std::vector<Cycles> last_;
  HeldMessages<Net> held_;
  unsigned max_delay_;
  bool ordered_;
  Random random_{0};
};

// What all cores check against: the count of each word's last performed store. Behind the words that cores
// store stands the line that the DMA agent writes.
class Truth : public Fault {
 public:
  Truth(unsigned cores, std::size_t words, std::size_t stored)
      : values(words), stored_(stored), seen_(cores, std::vector<std::uint16_t>(words)) {}

  std::size_t words() const { return values.size(); }
  std::size_t stored_words() const { return stored_; }
  std::uint16_t next_value(std::size_t word) const { return static_cast<std::uint16_t>(values[word] + 1); }
  std::uint16_t last_value(std::size_t word) const { return values[word]; }
  // Whether a load used a line that was invalidated before it came.
  template <class Cache>
  std::uint64_t of_hit(const Cache&) const {
    return 0;
  }
  template <class Cache>
  std::uint64_t of_completion(const Cache&, std::size_t, bool once) const {
    return once;
  }
  void performed(unsigned core, const RandomAccess& access, std::uint64_t value, std::uint64_t once,
                 Cycles now) {
    std::uint16_t& truth = values[access.word];
    std::uint16_t& seen = seen_[core][access.word];
    if (access.store) {
      truth = seen = access.value;
      return;
    }
    // counts wrap; differences do not, as long as nobody is 32,768 stores behind
    const auto behind = static_cast<std::int16_t>(truth - value);
    const auto newer = static_cast<std::int16_t>(value - seen);
    // the DMA agent's count is of what it sent, perhaps not yet of what was performed
    const bool pending = access.word >= stored_ && behind == 1 && newer >= 0;
    if (value == truth || pending || (once != 0 && behind > 0 && newer >= 0)) {
      seen = static_cast<std::uint16_t>(value);
      return;
    }
    fail(fmt::format("cycle {}: core {} loads {} from word {} of line {}, the last store wrote {}", now, core,
                     value, access.word % words_in_line, access.word / words_in_line, truth));
  }

  std::vector<std::uint16_t> values;

 private:
  std::size_t stored_;
  std::vector<std::vector<std::uint16_t>> seen_;  // by core
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
      std::uint16_t& truth = truth_.values[transfer.line * words_in_line + w];
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
      const std::uint16_t newest = truth_.values[line * words_in_line + w];
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

class DirectoryTest : public RandomTestRun<DirectoryCache<LineData>, Truth> {
 public:
  DirectoryTest(directory::ProtocolOptions options, const RandomTestConfig& config)
      : RandomTestRun(config, (config.lines + std::size_t{config.dma}) * words_in_line,
                      std::size_t{config.lines} * words_in_line),
        protocol_([&] {
          options.all_events = true;
          return directory::Protocol(options);
        }()),
        random_network_(config.cores + config.homes + 1 + config.memories, config.max_delay_cycles,
                        protocol_.ordered_forwards()),
        memory_(config.memories != 0 ? config.memories : config.homes) {
    if (config.network) {
      NetworkConfig network = *config.network;
      for (unsigned i = 0; i < config.memories; ++i)
        network.memory_routers.push_back(i * config.cores / config.memories);
      network_ = make_network<Net>(network, {config.cores, 0, config.homes, 1, config.memories});
      engine_.add(*network_);
    } else {
      engine_.add(random_network_);
    }
    engine_.add(memory_);
    const HomeMap map{static_cast<std::uint16_t>(config.cores), static_cast<std::uint16_t>(config.homes)};
    for (unsigned i = 0; i < config.cores; ++i) {
      auto& cache = add_core(protocol_, static_cast<directory::NodeId>(i), map);
      cache.connect(network(), i, 1, 1);
      connect_output(i, cache.inbox());
    }
    for (unsigned i = 0; i < config.homes; ++i) add_home(i, map);
    for (unsigned i = 0; i < config.memories; ++i) add_memory(i, map);
    if (!config.dma) return;
    const unsigned node = config.cores + config.homes;
    dma_ = std::make_unique<RandomDma>(1, line_bytes, static_cast<directory::NodeId>(node), map, config_,
                                       truth_);
    engine_.add(*dma_);
    dma_->connect(network(), node, 1);
    connect_output(node, dma_->inbox());
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
  void add_home(unsigned i, HomeMap map) {
    HomeConfig home;
    home.llc = CacheConfig{.size_bytes = 2 * line_bytes, .ways = 2};
    home.inclusion = config_.inclusion;
    if (protocol_.options().directory.kind == DirectoryKind::sparse)
      home.sparse = CacheConfig{.size_bytes = 2 * line_bytes, .ways = 2};
    home.latency_cycles = 3;
    if (config_.ports) home.llc_array = one_port(3);
    homes_.push_back(make_home<LineData>(home, line_bytes, protocol_, map, i));
    engine_.add(*homes_.back());
    homes_.back()->connect(network(), config_.cores + i, 1);
    connect_output(config_.cores + i, homes_.back()->inbox());
    if (config_.memories == 0) {
      homes_.back()->connect_memory(memory_, i, 1);
    } else {
      homes_.back()->connect_memory({static_cast<std::uint16_t>(config_.cores + config_.homes + 1),
                                     static_cast<std::uint16_t>(config_.memories), map.homes});
    }
  }
  void add_memory(unsigned i, HomeMap map) {
    const unsigned node = config_.cores + config_.homes + 1 + i;
    memories_.push_back(
        std::make_unique<MemoryNode<LineData>>(static_cast<std::uint16_t>(node), map, line_bytes));
    engine_.add(*memories_.back());
    memories_.back()->connect(network(), node, 1);
    connect_output(node, memories_.back()->inbox());
    memories_.back()->connect_memory(memory_, i, 1);
  }

  void stop() override {
    if (dma_) dma_->source().stop();
  }

  // When nothing is under way the directory describes the caches, and whoever answers for a line has its
  // value.
  void check_rest() override {
    using namespace directory;
    check_times();
    if (dma_ && !dma_->idle()) truth_.fail("the DMA agent waits for an answer");
    for (std::uint64_t line = 0; line * words_in_line < truth_.words(); ++line) {
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
      check_inclusion(line);
      if (!exact)
        truth_.fail(fmt::format("at the end the directory's {} of line {} does not describe the caches",
                                name(entry->state), line));
      if (entry->owner == no_node) check_value(line, entry->value);
    }
    check_values();
  }
  // What is in a private cache is not in an exclusive last level.
  void check_inclusion(std::uint64_t line) {
    if (config_.inclusion != "exclusive" || !homes_[line % config_.homes]->in_last_level(line)) return;
    for (unsigned i = 0; i < cores_.size(); ++i) {
      if (cores_[i]->cache().state_of(line) != directory::CacheState::I)
        truth_.fail(fmt::format("at the end line {} is in core {} and in an exclusive last level", line, i));
    }
  }

  RandomTestReport report() override {
    RandomTestReport out = RandomTestRun::report();
    for (const auto& core : cores_) {
      if (const PrefetchUnit* prefetch = core->cache().prefetch())
        out.prefetches += prefetch->counters.issued;
    }
    for (const auto& home : homes_) {
      out.recalls += home->counters().recalls;
      out.dma_reads += home->counters().of(directory::HomeEvent::DmaRead);
      out.dma_writes += home->counters().of(directory::HomeEvent::DmaWrite);
    }
    return out;
  }

  directory::Protocol protocol_;
  RandomNetwork random_network_;
  std::unique_ptr<Network<Net>> network_;
  RandomMemory memory_;
  std::vector<std::unique_ptr<HomePart<LineData>>> homes_;
  std::vector<std::unique_ptr<MemoryNode<LineData>>> memories_;
  std::unique_ptr<RandomDma> dma_;
};

}  // namespace

RandomTestReport random_test(const directory::ProtocolOptions& options, const RandomTestConfig& config) {
  return DirectoryTest(options, config).run();
}

}  // namespace mesim
