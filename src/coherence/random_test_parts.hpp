// What the random testers of both kinds of interconnect share: cores that load and store at random, messages
// and a memory that take a random time, and the run up to the checks at its end. Every word has one writer,
// which counts it up; what a load may return is for the tester's `Truth` to say:
//   std::size_t words();  std::size_t stored_words();   all, and those that cores store
//   std::uint16_t next_value(word);
//   std::uint64_t of_hit(cache);  std::uint64_t of_completion(cache, i, once);   what `performed` must know
//   void performed(core, access, value, of, now);
//   std::uint16_t last_value(word);                     at the end
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "coherence/directory_cache.hpp"
#include "coherence/random_tester.hpp"
#include "sim/engine.hpp"
#include "sim/memory_port.hpp"
#include "sim/random.hpp"

namespace mesim::random_testing {

inline constexpr std::uint32_t line_bytes = 64, word_bytes = 2, words_in_line = line_bytes / word_bytes;

// What went wrong first.
struct Fault {
  std::optional<std::string> text;
  void fail(const std::string& what) {
    if (!text) text = what;
  }
};

// Messages that wait for their time; of one time in the order in which they came.
template <class Message>
class HeldMessages {
 public:
  void push(Cycles at, Message message) { held_.push({at, sequence_++, std::move(message)}); }
  // Calls send(message) for each that is due.
  template <class Send>
  void release(Cycles now, Send send) {
    for (; !held_.empty() && held_.top().at <= now; held_.pop()) send(held_.top().message);
  }
  void clear() {
    held_ = {};
    sequence_ = 0;
  }
  std::size_t size() const { return held_.size(); }

 private:
  struct Held {
    Cycles at;
    std::uint64_t sequence;
    Message message;
    bool operator<(const Held& other) const {  // the earliest on top
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };
  std::priority_queue<Held> held_;
  std::uint64_t sequence_ = 0;
};

struct RandomAccess {
  bool active = false;
  bool store = false;
  std::uint32_t word = 0;
  std::uint16_t value = 0;
  Cycles begin = 0;
};

// An array with tags, then data, through one port.
inline ArrayTimingConfig one_port(std::uint32_t bank_cycles) {
  return {.lookup = "sequential", .tag_latency_cycles = 1, .ports = 1, .bank_cycles = bank_cycles};
}

template <class Cache, class Truth>
class RandomCore final : public Part {
 public:
  // `cache_arguments` follow the owning part and the config in the cache's constructor.
  template <class... CacheArguments>
  RandomCore(const RandomTestConfig& config, unsigned self, Truth& truth, CacheArguments&&... cache_arguments)
      : config_(config),
        self_(self),
        truth_(truth),
        cache_(*this, caches_of(config), std::forward<CacheArguments>(cache_arguments)...),
        storing_(truth.words()) {}

  Cache& cache() { return cache_; }
  bool finished() const { return issued_ == config_.operations && waiting_ == 0; }
  std::uint64_t done() const { return issued_ - waiting_; }
  // Misses whose time is accounted for to the cycle: all that did not join another.
  bool times_exact() const {
    const DirectoryCacheCounters& c = cache_.counters();
    return exact_times_ >= c.all_misses() + c.upgrades;
  }
  Cycles last_progress() const { return last_progress_; }

  void step(Cycles now) override {
    if (cache_.first_arrival() <= now) receive(now);
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

  // Two ways: an eviction is never far.
  static PrivateCachesConfig caches_of(const RandomTestConfig& config) {
    PrivateCachesConfig caches;
    caches.l1d = {.size_bytes = 2 * line_bytes, .ways = 2};
    if (config.private_l2) caches.l2 = CacheConfig{.size_bytes = 4 * line_bytes, .ways = 2};
    caches.mshrs = 3;
    caches.eviction_buffers = 2;
    caches.victims_carry_lines = config.inclusion == "exclusive";
    if (config.ports) caches.l1_array = caches.l2_array = one_port(1);
    if (config.prefetch) caches.prefetcher.kind = "next_line";
    return caches;
  }

  void receive(Cycles now) {
    const std::uint64_t before = cache_.counters().loads_once;
    const auto completions = cache_.receive(now);
    const bool once = cache_.counters().loads_once != before;
    for (std::size_t i = 0; i < completions.size(); ++i) {
      const CoreCompletion& done = completions[i];
      RandomAccess& access = pending_[done.token];
      performed(access, done.value, truth_.of_completion(cache_, i, once), now);
      check_time(access, done.segments.total(), now);
      access.active = false;
      --waiting_;
    }
  }

  void issue(Cycles now) {
    const auto free =
        std::find_if(pending_.begin(), pending_.end(), [](const RandomAccess& a) { return !a.active; });
    if (free == pending_.end()) return;
    RandomAccess access{true, random_.below(3) == 0,
                        static_cast<std::uint32_t>(random_.below(truth_.words())), 0, now};
    // the writer of a word is the core with its number; one store of a word at a time
    if (access.store) {
      const std::uint64_t mine = (truth_.stored_words() + config_.cores - 1 - self_) / config_.cores;
      access.store = mine != 0;
      if (mine != 0) access.word = static_cast<std::uint32_t>(self_ + config_.cores * random_.below(mine));
      access.store = access.store && !storing_[access.word];
    }
    access.value = truth_.next_value(access.word);
    const CoreRequest request{.address = access.word * std::uint64_t{word_bytes},
                              .value = access.value,
                              .pc = 0,
                              .token = static_cast<std::uint16_t>(free - pending_.begin()),
                              .size = word_bytes,
                              .kind = access.store ? AccessKind::store : AccessKind::load};
    const CoreHit hit = cache_.try_hit(request, now);
    if (hit.done) {
      performed(access, hit.value, truth_.of_hit(cache_), now);
      ++issued_;
    } else if (cache_.miss(request, now) == MissReply::accepted) {
      *free = access;
      storing_[access.word] = storing_[access.word] || access.store;
      ++waiting_;
      ++issued_;
    }
  }

  // The segments of a miss are its whole time; who joined one under way gets the whole of that one.
  void check_time(const RandomAccess& access, Cycles accounted, Cycles now) {
    const Cycles took = now - access.begin;
    exact_times_ += accounted == took;
    if (accounted >= took) return;
    truth_.fail(fmt::format("cycle {}: core {} waited {} cycles, of which {} are accounted for", now, self_,
                            took, accounted));
  }
  void performed(const RandomAccess& access, std::uint64_t value, std::uint64_t of, Cycles now) {
    last_progress_ = now;
    truth_.performed(self_, access, value, of, now);
    if (access.store) storing_[access.word] = false;
  }

  const RandomTestConfig& config_;
  unsigned self_;
  Truth& truth_;
  Cache cache_;
  Random random_{0};
  std::array<RandomAccess, outstanding> pending_{};
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

// The derived test builds the machine and looks at it at the end.
template <class Cache, class Truth>
class RandomTestRun {
 public:
  using Core = RandomCore<Cache, Truth>;

  // Of `words` words, of which cores store the first `stored`.
  RandomTestRun(const RandomTestConfig& config, std::size_t words, std::size_t stored)
      : config_(config), truth_(config.cores, words, stored) {
    engine_.add_domain(ClockPeriod::picoseconds(500));
  }
  RandomTestRun(const RandomTestRun&) = delete;
  RandomTestRun& operator=(const RandomTestRun&) = delete;
  virtual ~RandomTestRun() = default;

  RandomTestReport run() {
    try {
      engine_.reset(config_.seed);
      // nobody may stand still for as long as a hundred messages take one after the other
      const Cycles patience = 1000 + Cycles{100} * (config_.max_delay_cycles + 100) * config_.cores;
      while (!truth_.text && engine_.next() != Engine::forever) {
        engine_.run_cycles(now_ += 1000);
        if (finished()) {
          stop();
          engine_.run(Engine::forever);
          check_rest();
          break;
        }
        check_progress(patience);
      }
      if (!truth_.text && !finished()) truth_.fail("nothing is under way, but cores wait");
    } catch (const Error& error) {
      truth_.fail(error.what());
    }
    return report();
  }

 protected:
  template <class... CacheArguments>
  Cache& add_core(CacheArguments&&... cache_arguments) {
    const auto self = static_cast<unsigned>(cores_.size());
    Core& core = *cores_.emplace_back(
        std::make_unique<Core>(config_, self, truth_, std::forward<CacheArguments>(cache_arguments)...));
    engine_.add(core);
    return core.cache();
  }
  // Once all cores have done everything.
  virtual void stop() {}
  virtual void check_rest() = 0;

  void check_times() {
    for (unsigned i = 0; i < cores_.size(); ++i) {
      if (!cores_[i]->times_exact())
        truth_.fail(fmt::format("core {}: misses have more time than they took", i));
    }
  }
  void check_values() {
    for (const auto& core : cores_) {
      core->cache().caches().for_each(
          [&](std::uint64_t line, std::uint8_t, const LineData& value) { check_value(line, value); });
    }
  }
  void check_value(std::uint64_t line, const LineData& value) {
    if (line * words_in_line >= truth_.words()) return;  // prefetched, and nobody's
    for (std::uint32_t w = 0; w < words_in_line; ++w) {
      if (value.read(w * word_bytes, word_bytes) == truth_.last_value(line * words_in_line + w)) continue;
      truth_.fail(fmt::format("at the end a copy of line {} has an old word {}", line, w));
    }
  }
  virtual RandomTestReport report() {
    RandomTestReport out;
    out.fault = truth_.text;
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
    return out;
  }

  RandomTestConfig config_;
  Truth truth_;
  Engine engine_;
  std::vector<std::unique_ptr<Core>> cores_;

 private:
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

  Cycles now_ = 0;
};

}  // namespace mesim::random_testing
