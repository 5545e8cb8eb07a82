#include "sim/wheel.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "sim/digest.hpp"
#include "sim/part.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

// Notes when it was stepped, and asks for what it is told to.
struct Sleeper : Part {
  std::vector<Cycles> stepped;
  std::vector<std::vector<Cycles>> plan;  // after the n-th step, wake after these many cycles
  void step(Cycles now) override {
    const std::size_t n = stepped.size();
    stepped.push_back(now);
    if (n < plan.size()) {
      for (const Cycles after : plan[n]) wake(now + after);
    }
  }
  void reset(std::uint64_t) override {
    stepped.clear();
    wake(0);
  }
  void digest(Digest& digest) const override { digest.add_all(std::span(stepped)); }
};

}  // namespace

TEST_CASE("a part is stepped once in each cycle it asked for, however often and however far") {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    Wheel wheel(ClockPeriod::picoseconds(1000));
    std::vector<Sleeper> parts(1 + random.below(130));
    for (auto& part : parts) wheel.add(part);
    for (auto& part : parts) {
      for (int n = 0; n < 20; ++n) {
        auto& wakes = part.plan.emplace_back();
        for (std::uint64_t k = random.below(4); k > 0; --k) {
          wakes.push_back(1 + random.below(random.chance(0.5) ? 4 : 3 * Wheel::window));
        }
        if (random.chance(0.3)) wakes.push_back(Wheel::window - 1 + random.below(3));
      }
    }
    wheel.clear();
    wheel.reset_parts(0);
    Cycles stop = 0;
    while (wheel.next() != never) wheel.run(stop += 1 + random.below(500));

    for (const auto& part : parts) {
      std::set<Cycles> asked{0};
      std::vector<Cycles> wanted;
      while (!asked.empty()) {
        const Cycles now = *asked.begin();
        asked.erase(asked.begin());
        if (wanted.size() < part.plan.size()) {
          for (const Cycles after : part.plan[wanted.size()]) asked.insert(now + after);
        }
        wanted.push_back(now);
      }
      REQUIRE(part.stepped == wanted);
    }
  }
}

TEST_CASE("a run ends before its stop, and goes on from there") {
  Wheel wheel(ClockPeriod::picoseconds(1000));
  Sleeper part;
  part.plan = {{10}, {10}, {10}};
  wheel.add(part);
  wheel.clear();
  wheel.reset_parts(0);
  wheel.run(20);
  CHECK(part.stepped == std::vector<Cycles>{0, 10});
  CHECK(wheel.now() == 20);
  CHECK(wheel.next() == 20);
  wheel.run(21);
  CHECK(part.stepped == std::vector<Cycles>{0, 10, 20});
  wheel.run(never);
  CHECK(part.stepped == std::vector<Cycles>{0, 10, 20, 30});
}
