// A thread's log as the trace shows it: ranges split at 64-byte borders, places left out whose accesses
// depend on timing alone, and spins folded.
//
// A spin's traffic depends on how long it lasted, which a trace does not carry. It becomes its last round: the
// look that saw what was waited for. Folded are direct repeats of one atomic that changed nothing, atomic loads
// of one address in a row, and direct repeats of a round of accesses that ends in an atomic which failed.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "traces/recording/raw_log.hpp"

namespace mesim {

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool contains(std::uint64_t address) const { return begin <= address && address < end; }
};

class FoldedLog {
 public:
  // `ignored`: addresses whose accesses are left out, beside those that the log itself names.
  FoldedLog(const std::string& path, std::vector<AddressRange> ignored);

  // The next item, never a range; false at the end.
  bool next(RawItem& item);
  void rewind();

  static constexpr std::size_t longest_round = 16;  // records of one round of a spin, at most

 private:
  bool pull(RawItem& item);
  bool is_ignored(const RawItem& item);
  bool split_range(RawItem& item);
  void push(const RawItem& item);
  void fold();

  RawLog log_;
  std::vector<AddressRange> always_ignored_;
  std::vector<AddressRange> ignored_;
  RawItem range_;  // what is left of a range; no bytes: none
  std::deque<RawItem> recent_;
  bool ended_ = false;
};

}  // namespace mesim
