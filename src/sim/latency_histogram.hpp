// How long requests took: exact below 1024 cycles, in steps of at most 1/512 above, so that a percentile is
// right to 0.2 % (after HdrHistogram, G. Tene).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/statistics.hpp"
#include "sim/units.hpp"

namespace mesim {

class LatencyHistogram {
 public:
  void add(Cycles cycles) {
    const std::size_t at = bucket_of(cycles);
    if (at >= counts_.size()) counts_.resize(at + 1);
    ++counts_[at];
    ++count_;
    sum_ += cycles;
    max_ = std::max(max_, cycles);
  }

  void add(const LatencyHistogram& other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  Cycles max() const { return max_; }

  // The smallest latency that `share` of all requests did not exceed.
  Cycles percentile(double share) const {
    const double wanted = share * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen != 0 && static_cast<double>(seen) >= wanted) return std::min(upper_of(i), max_);
    }
    return max_;
  }

  // Of all requests those from `from` up to `until` cycles, as whole buckets: those whose longest is in the
  // range.
  std::uint64_t between(Cycles from, Cycles until) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (upper_of(i) >= from && upper_of(i) < until) sum += counts_[i];
    }
    return sum;
  }

  // Group `name` with mean, p50, p95, p99 and max, each times `unit`; nothing without requests.
  void write(StatWriter& out, std::string_view name, double unit) const {
    if (count_ == 0) return;
    out.begin(name);
    out.value("mean", mean() * unit);
    out.value("p50", static_cast<double>(percentile(0.50)) * unit);
    out.value("p95", static_cast<double>(percentile(0.95)) * unit);
    out.value("p99", static_cast<double>(percentile(0.99)) * unit);
    out.value("max", static_cast<double>(max_) * unit);
    out.end();
  }

 private:
  static constexpr unsigned exact_bits = 10;
  static constexpr unsigned step_bits = exact_bits - 1;

  static std::size_t bucket_of(Cycles cycles) {
    if (cycles < (1U << exact_bits)) return cycles;
    const unsigned shift = static_cast<unsigned>(std::bit_width(cycles)) - exact_bits;
    return (std::size_t{shift} << step_bits) + (cycles >> shift);
  }
  static Cycles upper_of(std::size_t bucket) {
    if (bucket < (1U << exact_bits)) return bucket;
    const std::size_t shift = (bucket >> step_bits) - 1;
    const Cycles base = bucket - (shift << step_bits);
    return ((base + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  Cycles max_ = 0;
};

}  // namespace mesim
