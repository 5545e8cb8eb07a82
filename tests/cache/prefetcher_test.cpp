#include "cache/prefetcher.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/random.hpp"

using namespace mesim;

namespace {

constexpr unsigned line_bits = 6;

PrefetcherConfig config(std::string kind, std::uint32_t degree = 1, std::uint32_t distance = 1,
                        std::uint32_t entries = 256) {
  return {std::move(kind), degree, distance, entries};
}

std::vector<std::uint64_t> lines(AnyPrefetcher& p, const ObservedAccess& access) {
  std::vector<std::uint64_t> wanted;
  p.observe(access, wanted);
  return wanted;
}

// Chen and Baer's table the slow way: every access of an instruction since it got its entry is kept, and
// each question replays them all.
class SlowStride {
 public:
  explicit SlowStride(const PrefetcherConfig& c) : config_(c) {}

  std::vector<std::uint64_t> observe(const ObservedAccess& access) {
    if (access.pc == 0) return {};
    auto& [owner, history] = entries_[access.pc % config_.entries];
    if (owner != access.pc) history.clear();
    owner = access.pc;
    history.push_back(access.address);
    std::string state = "initial";
    std::int64_t stride = 0;
    for (std::size_t i = 1; i < history.size(); ++i) {
      const auto step = static_cast<std::int64_t>(history[i] - history[i - 1]);
      const bool correct = step == stride;
      static const std::map<std::string, std::pair<std::string, std::string>> arcs = {
          {"initial", {"steady", "transient"}},
          {"transient", {"steady", "no prediction"}},
          {"steady", {"steady", "initial"}},
          {"no prediction", {"transient", "no prediction"}}};
      const bool keeps = state == "steady" && !correct;
      state = correct ? arcs.at(state).first : arcs.at(state).second;
      if (!keeps) stride = step;
    }
    std::vector<std::uint64_t> wanted;
    if (state != "steady" || stride == 0) return wanted;
    if (stride > -64 && stride < 64) stride = stride < 0 ? -64 : 64;
    for (std::uint32_t k = 0; k < config_.degree; ++k) {
      const std::uint64_t to = access.address + static_cast<std::uint64_t>(stride) * (config_.distance + k);
      wanted.push_back(to / 64);
    }
    return wanted;
  }

 private:
  PrefetcherConfig config_;
  std::map<std::uint64_t, std::pair<std::uint32_t, std::vector<std::uint64_t>>> entries_;
};

}  // namespace

TEST_CASE("next_line wants the lines after a miss and after the first use of a prefetched line") {
  AnyPrefetcher p(config("next_line", 2, 3), line_bits);
  CHECK(lines(p, {.address = 10 * 64 + 5, .miss = true}) == std::vector<std::uint64_t>{13, 14});
  CHECK(lines(p, {.address = 13 * 64, .first_use = true}) == std::vector<std::uint64_t>{16, 17});
  CHECK(lines(p, {.address = 13 * 64}).empty());
}

TEST_CASE("next_line stops at the end of the address space") {
  AnyPrefetcher p(config("next_line", 4), line_bits);
  const std::uint64_t last = ~std::uint64_t{0} >> line_bits;
  CHECK(lines(p, {.address = ~std::uint64_t{0} - 64, .miss = true}) == std::vector<std::uint64_t>{last});
  CHECK(lines(p, {.address = ~std::uint64_t{0}, .miss = true}).empty());
}

TEST_CASE("stride asks from the third access of an instruction with one step on") {
  AnyPrefetcher p(config("stride"), line_bits);
  CHECK(lines(p, {.address = 1000, .pc = 7}).empty());
  CHECK(lines(p, {.address = 2000, .pc = 7}).empty());
  CHECK(lines(p, {.address = 3000, .pc = 7}) == std::vector<std::uint64_t>{4000 / 64});
  // a stray access does not cost the stride: one more look, and it asks again
  CHECK(lines(p, {.address = 9000, .pc = 7}).empty());
  CHECK(lines(p, {.address = 10000, .pc = 7}) == std::vector<std::uint64_t>{11000 / 64});
}

TEST_CASE("stride keeps instructions apart, and nobody's accesses ask for nothing") {
  AnyPrefetcher p(config("stride"), line_bits);
  for (int i = 0; i < 10; ++i) {
    const auto up = lines(p, {.address = 100'000u + 128u * i, .pc = 1});
    const auto down = lines(p, {.address = 900'000u - 256u * i, .pc = 2});
    CHECK(up == (i < 2 ? std::vector<std::uint64_t>{}
                       : std::vector<std::uint64_t>{(100'000u + 128u * (i + 1)) / 64}));
    CHECK(down == (i < 2 ? std::vector<std::uint64_t>{}
                         : std::vector<std::uint64_t>{(900'000u - 256u * (i + 1)) / 64}));
    CHECK(lines(p, {.address = 64u * i, .pc = 0}).empty());
  }
}

TEST_CASE("stride equals a slow replay of each instruction's history, on random accesses") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const PrefetcherConfig c = config("stride", 1 + static_cast<std::uint32_t>(random.below(4)),
                                      1 + static_cast<std::uint32_t>(random.below(5)), 1u << random.below(4));
    AnyPrefetcher fast(c, line_bits);
    SlowStride slow(c);
    std::map<std::uint32_t, std::uint64_t> at;
    for (int i = 0; i < 600; ++i) {
      const auto pc = static_cast<std::uint32_t>(random.below(6));
      if (!at.contains(pc)) at[pc] = 1 << 20;
      const std::int64_t steps[] = {8, -8, 64, 200, 0, -4096};
      at[pc] += static_cast<std::uint64_t>(random.chance(0.8) ? steps[pc] : steps[random.below(6)]);
      const ObservedAccess access{.address = at[pc], .pc = pc};
      REQUIRE(lines(fast, access) == slow.observe(access));
    }
  }
}
