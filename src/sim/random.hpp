// Random streams: xoshiro256** (Blackman and Vigna, 2018) seeded through splitmix64. A stream is named by
// (seed, stream number), so that each part draws from its own and order of construction does not matter.
#pragma once
#include <bit>
#include <cstdint>

namespace mesim {

// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): one word of state, for sequences that others must be able to
// repeat.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    SplitMix64 seeds(seed ^ (stream * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL));
    for (auto& word : state_) word = seeds.next();
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), bound > 0 (multiply-shift; bias below 2^-32 for bounds below 2^32).
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  // True with probability p.
  bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1.0p-53 < p; }

  friend bool operator==(const Random&, const Random&) = default;

 private:
  std::uint64_t state_[4];
};

}  // namespace mesim
