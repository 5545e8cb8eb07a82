#include "traces/recording/folded_log.hpp"

#include <algorithm>

namespace mesim {

using recorder::RawKind;

namespace {

constexpr std::uint64_t piece_bytes = 64;

bool is_look(const RawItem& item) {
  return item.kind == RawKind::atomic_load || item.kind == RawKind::atomic_attempt;
}

bool is_ordered(const RawItem& item) {
  return is_look(item) || item.kind == RawKind::atomic_store || item.kind == RawKind::atomic_rmw;
}

bool is_range(const RawItem& item) {
  return item.kind == RawKind::load_range || item.kind == RawKind::store_range;
}

bool is_access(const RawItem& item) {
  return item.kind == RawKind::load || item.kind == RawKind::store || is_range(item) || is_ordered(item);
}

// May be repeated by a round of a spin: changes nothing that another thread could see, but for stores, which
// repeat at the same place in each round.
bool may_repeat(const RawItem& item) {
  return item.kind == RawKind::load || item.kind == RawKind::store || is_look(item);
}

// The same step of a later round, which may succeed where the earlier one failed.
bool same_step(const RawItem& later, const RawItem& earlier) {
  const bool same_kind =
      later.kind == earlier.kind || (earlier.kind == RawKind::atomic_attempt && later.kind == RawKind::atomic_rmw);
  return same_kind && later.size == earlier.size && later.address == earlier.address && later.pc == earlier.pc;
}

// A look that the next item makes superfluous: the same atomic again, or a load after a load.
bool repeats_look(const RawItem& item, const RawItem& last) {
  if (!is_ordered(item) || !is_look(last) || last.address != item.address) return false;
  return last.pc == item.pc || (last.kind == RawKind::atomic_load && item.kind == RawKind::atomic_load);
}

}  // namespace

FoldedLog::FoldedLog(const std::string& path, std::vector<AddressRange> ignored)
    : log_(path), always_ignored_(ignored), ignored_(std::move(ignored)) {}

void FoldedLog::rewind() {
  log_.rewind();
  ignored_ = always_ignored_;
  range_ = {};
  recent_.clear();
  ended_ = false;
}

bool FoldedLog::next(RawItem& item) {
  RawItem pulled;
  while (!ended_ && recent_.size() <= 2 * longest_round) {
    if (pull(pulled))
      push(pulled);
    else
      ended_ = true;
  }
  if (recent_.empty()) return false;
  item = recent_.front();
  recent_.pop_front();
  return true;
}

bool FoldedLog::pull(RawItem& item) {
  while (range_.detail == 0) {
    if (!log_.next(item)) return false;
    if (is_ignored(item)) continue;
    if (!is_range(item)) return true;
    range_ = item;
  }
  return split_range(item);
}

bool FoldedLog::is_ignored(const RawItem& item) {
  if (item.kind == RawKind::ignore) {
    ignored_.push_back({item.address, item.address + item.detail});
    return true;
  }
  return is_access(item) && std::any_of(ignored_.begin(), ignored_.end(), [&](const AddressRange& range) {
           return range.contains(item.address);
         });
}

bool FoldedLog::split_range(RawItem& item) {
  const std::uint64_t to_border = piece_bytes - range_.address % piece_bytes;
  const std::uint64_t bytes = std::min(range_.detail, to_border);
  item = range_;
  item.kind = range_.kind == RawKind::load_range ? RawKind::load : RawKind::store;
  item.size = static_cast<std::uint32_t>(bytes);
  item.detail = 0;
  range_.address += bytes;
  range_.detail -= bytes;
  return true;
}

void FoldedLog::push(const RawItem& item) {
  if (!recent_.empty() && repeats_look(item, recent_.back()))
    recent_.back() = item;
  else
    recent_.push_back(item);
  if (is_look(recent_.back()) || recent_.back().kind == RawKind::atomic_rmw) fold();
}

// The last `round` items repeat the `round` before: the earlier ones go, the later know the later versions.
void FoldedLog::fold() {
  const std::size_t count = recent_.size();
  for (std::size_t round = 2; round <= longest_round && 2 * round <= count; ++round) {
    const auto later = recent_.end() - static_cast<std::ptrdiff_t>(round);
    const auto earlier = later - static_cast<std::ptrdiff_t>(round);
    if (!may_repeat(*later)) return;
    if (!is_look(*(later - 1)) || !std::equal(later, recent_.end(), earlier, same_step)) continue;
    recent_.erase(earlier, later);
    return;
  }
}

}  // namespace mesim
