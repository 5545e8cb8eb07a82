#include "cores/time_account.hpp"

#include <algorithm>

namespace mesim {

namespace {

constexpr std::array<std::string_view, plain_owners> plain_names = {
    "busy",      "hit_latency", "bank_conflict", "store_drain", "refused", "synchronisation",
    "execution", "front_end",   "finished"};
constexpr std::array<std::string_view, miss_owners> miss_names = {"fetch_miss", "load_miss", "store_miss",
                                                                  "atomic_miss"};

}  // namespace

void TimeAccount::charge_miss(AccessKind kind, const Segments& segments, Cycles begin, Cycles from,
                              Cycles to) {
  auto& owned = misses_[static_cast<std::size_t>(kind)];
  if (from < begin) charge(Owner::refused, begin - from);
  const Cycles all = segments.total();
  const Cycles passed = from > begin ? from - begin : 0;
  if (passed <= segments.cycles[0] && begin + all <= to) {  // as a rule the core waited through all of it
    for (std::size_t s = 0; s < segment_count; ++s) owned[s] += segments.cycles[s];
    owned[0] -= passed;
    unattributed_ += to - (begin + all);
    return;
  }
  Cycles at = begin;
  for (std::size_t s = 0; s < segment_count; ++s) {
    if (segments.cycles[s] == 0) continue;
    const Cycles end = at + segments.cycles[s];
    const Cycles first = std::max(at, from);
    const Cycles last = std::min(end, to);
    if (first < last) owned[s] += last - first;
    at = end;
  }
  if (at < to) unattributed_ += to - std::max(at, from);
}

Cycles TimeAccount::total() const {
  Cycles sum = unattributed_ + unfinished_;
  for (const Cycles cycles : plain_) sum += cycles;
  for (const auto& owned : misses_) {
    for (const Cycles cycles : owned) sum += cycles;
  }
  return sum;
}

void TimeAccount::write(TimeLedger& ledger, const std::string& unit) const {
  ledger.unit(unit, total());
  const auto owner = [&](const std::string& name, Cycles cycles) {
    if (cycles != 0) ledger.owner(unit, name, cycles);
  };
  for (std::size_t o = 0; o < plain_owners; ++o) owner(std::string(plain_names[o]), plain_[o]);
  for (std::size_t m = 0; m < miss_owners; ++m) {
    for (std::size_t s = 0; s < segment_count; ++s) {
      owner(std::string(miss_names[m]) + "/" + std::string(segment_names[s]), misses_[m][s]);
    }
  }
  owner("unattributed", unattributed_);
  owner("unfinished", unfinished_);
}

void TimeAccount::digest(Digest& digest) const {
  for (const Cycles cycles : plain_) digest.add(cycles);
  for (const auto& owned : misses_) {
    for (const Cycles cycles : owned) digest.add(cycles);
  }
  digest.add(unattributed_);
}

}  // namespace mesim
