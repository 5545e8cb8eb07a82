// A machine of parts that pass numbers on to each other in a way that depends on everything they have seen,
// in order: any change of order, time or content shows in the digest. For tests of the engine.
#pragma once
#include <memory>
#include <vector>

#include "sim/digest.hpp"
#include "sim/engine.hpp"
#include "sim/link.hpp"
#include "sim/random.hpp"

namespace mesim::test {

struct Word {
  std::uint64_t value = 0;
  void digest(Digest& digest) const { digest.add(value); }
};

struct Relay : Part {
  Relay(unsigned ports, std::uint32_t work) : inbox(*this, ports), work_(work) {}

  void step(Cycles now) override {
    bool arrived = false;
    inbox.take(now, [&](unsigned port, const Word& word) {
      arrived = true;
      seen_.add(port);
      seen_.add(word.value);
      seen_.add(now);
      ++taken;
    });
    if (!arrived && now != timer_) return;  // a stale wake-up
    seen_.add(now);
    const std::uint64_t roll = seen_.value();
    if (sent_ < work_ && !out.empty()) {
      ++sent_;
      out[roll % out.size()].send(now, {roll});
      if (roll % 5 == 0) out[roll / 7 % out.size()].send(now, {roll + 1});
    }
    if (roll % 3 == 0) wake(timer_ = now + 1 + roll % 700);
    if (roll % 11 == 0) wake(now + 1 + roll % 13);
  }
  void reset(std::uint64_t seed) override {
    seen_ = {};
    seen_.add(seed);
    sent_ = 0;
    taken = 0;
    wake(timer_ = 0);
  }
  void digest(Digest& digest) const override {
    digest.add(seen_.value());
    digest.add(sent_);
    digest.add(timer_);
  }

  Inbox<Word> inbox;
  std::vector<Link<Word>> out;
  std::uint64_t taken = 0;

 private:
  Digest seen_;
  std::uint32_t work_;
  std::uint32_t sent_ = 0;
  Cycles timer_ = 0;
};

struct Machine {
  Engine engine;
  std::vector<std::unique_ptr<Relay>> relays;

  // `backwards`: the parts are registered with the engine in reverse.
  Machine(std::uint64_t seed, std::size_t parts, std::size_t domains, bool backwards,
          std::uint32_t work = 200) {
    Random random(seed);
    for (std::size_t d = 0; d < domains; ++d) {
      engine.add_domain(d == 0 ? ClockPeriod::picoseconds(500)
                               : ClockPeriod::megahertz(700 + random.below(3000), 3));
    }
    std::vector<std::size_t> domain(parts);
    for (auto& d : domain) d = random.below(domains);
    for (std::size_t i = 0; i < parts; ++i) {
      relays.push_back(std::make_unique<Relay>(static_cast<unsigned>(parts), work));
    }
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t at = backwards ? parts - 1 - i : i;
      engine.add(*relays[at], domain[at]);
    }
    for (std::size_t from = 0; from < parts; ++from) {
      for (std::size_t to = 0; to < parts; ++to) {
        if (!random.chance(0.4)) continue;
        relays[from]->out.emplace_back().connect(*relays[from], relays[to]->inbox,
                                                 static_cast<unsigned>(from),
                                                 1 + random.below(random.chance(0.1) ? 600 : 12));
      }
    }
  }
  // The state in an order that does not depend on registration.
  std::uint64_t state() const {
    Digest digest;
    for (const auto& relay : relays) {
      relay->digest(digest);
      relay->inbox.digest(digest);
    }
    return digest.value();
  }
};

}  // namespace mesim::test
