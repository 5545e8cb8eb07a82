// What each instruction will access next, if it goes on in steps of one length: the reference prediction
// table of Chen and Baer, "Effective hardware-based data prefetching for high-performance processors", IEEE
// Transactions on Computers 44(5), 1995. An entry is a state machine of how well its stride did; it asks in
// the steady state only, so that accesses without a pattern ask for nothing.
#pragma once
#include <cstdlib>
#include <vector>

#include "cache/prefetcher_config.hpp"
#include "sim/digest.hpp"

namespace mesim {

class StridePrefetcher {
 public:
  static constexpr std::string_view name = "stride";

  StridePrefetcher(const PrefetcherConfig& config, unsigned line_bits)
      : line_bits_(line_bits), degree_(config.degree), distance_(config.distance), table_(config.entries) {}

  void observe(const ObservedAccess& access, std::vector<std::uint64_t>& wanted) {
    if (access.pc == 0) return;  // nobody to predict for
    Entry& entry = table_[access.pc % table_.size()];
    if (entry.pc != access.pc) {
      entry = {access.pc, State::initial, access.address, 0};
      return;
    }
    learn(entry, access.address);
    if (entry.state == State::steady && entry.stride != 0) ask(entry, wanted);
  }
  void digest(Digest& digest) const {
    for (const Entry& e : table_) {
      digest.add(e.pc);
      digest.add(e.previous);
      digest.add(static_cast<std::uint64_t>(e.stride));
      digest.add(e.state);
    }
  }

 private:
  enum class State : std::uint8_t { initial, transient, steady, no_prediction };
  struct Entry {
    std::uint32_t pc = 0;
    State state = State::initial;
    std::uint64_t previous = 0;
    std::int64_t stride = 0;
  };

  static void learn(Entry& e, std::uint64_t address) {
    const auto step = static_cast<std::int64_t>(address - e.previous);
    const bool correct = step == e.stride;
    e.previous = address;
    switch (e.state) {
      case State::initial:
        e.state = correct ? State::steady : State::transient;
        break;
      case State::transient:
        e.state = correct ? State::steady : State::no_prediction;
        break;
      case State::steady:  // one stray access does not cost the stride
        e.state = correct ? State::steady : State::initial;
        return;
      case State::no_prediction:
        e.state = correct ? State::transient : State::no_prediction;
        break;
    }
    e.stride = step;
  }

  // A step shorter than a line counts as a line, else most of what is asked for would be the line at hand.
  void ask(const Entry& e, std::vector<std::uint64_t>& wanted) const {
    const std::int64_t line_bytes = std::int64_t{1} << line_bits_;
    const std::int64_t step =
        std::abs(e.stride) >= line_bytes ? e.stride : (e.stride < 0 ? -line_bytes : line_bytes);
    for (std::uint32_t i = 0; i < degree_; ++i) {
      const std::int64_t ahead = step * static_cast<std::int64_t>(distance_ + i);
      wanted.push_back((e.previous + static_cast<std::uint64_t>(ahead)) >> line_bits_);
    }
  }

  unsigned line_bits_;
  std::uint32_t degree_;
  std::uint32_t distance_;
  std::vector<Entry> table_;
};

}  // namespace mesim
