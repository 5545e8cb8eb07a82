#include "accel/banked_buffer.hpp"

#include <algorithm>
#include <numeric>

namespace mesim::accel {

std::uint32_t BankedBuffer::extra_cycles(const VectorAccess& access, std::uint64_t begin) const {
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < access.count; ++i) {
    const std::uint64_t at = begin + i * access.stride_bytes;
    const std::uint64_t last = (at + element_bytes_ - 1) / word_bytes_;
    for (std::uint64_t word = at / word_bytes_; word <= last; ++word) {
      if (words.empty() || words.back() != word) words.push_back(word);
    }
  }
  std::vector<std::uint64_t> of_bank(banks_, 0);
  std::uint64_t most = 1;
  for (const std::uint64_t word : words) most = std::max(most, ++of_bank[word % banks_]);
  return static_cast<std::uint32_t>((most + ports_ - 1) / ports_ - 1);
}

const std::vector<std::uint32_t>& BankedBuffer::period_of(const VectorAccess& access) const {
  const auto known = known_.find(access);
  if (known != known_.end()) return known->second;
  const std::uint64_t round = banks_ * word_bytes_;
  const std::uint64_t length = round / std::gcd(round, access.step_bytes);
  std::vector<std::uint32_t> extra;
  for (std::uint64_t step = 0; step < length; ++step) {
    extra.push_back(extra_cycles(access, step * access.step_bytes % round));
  }
  return known_.emplace(access, std::move(extra)).first->second;
}

Cycles BankedBuffer::conflicts(const VectorAccess& access, std::uint64_t steps) const {
  return conflicts(access, {0, 0, 0}, steps);
}

Cycles BankedBuffer::conflicts(const VectorAccess& first, const VectorAccess& second,
                               std::uint64_t steps) const {
  if (banks_ == 0) return 0;
  const auto& a = period_of(first);
  const auto& b = period_of(second);
  const auto sum_to = [&](std::uint64_t end) {
    Cycles sum = 0;
    for (std::uint64_t step = 0; step < end; ++step) sum += std::max(a[step % a.size()], b[step % b.size()]);
    return sum;
  };
  const std::uint64_t round = std::lcm(a.size(), b.size());
  return steps <= round ? sum_to(steps) : steps / round * sum_to(round) + sum_to(steps % round);
}

}  // namespace mesim::accel
