#include "coherence/functional_sharing.hpp"

#include <algorithm>
#include <tuple>

namespace mesim {
namespace {
constexpr unsigned core_bits = 12;
constexpr std::uint64_t core_mask = (1u << core_bits) - 1;
}  // namespace

void SharingTracker::invalidated(std::uint64_t line, unsigned by, unsigned victim) {
  const auto [found, added] = index_.try_emplace(line, static_cast<std::uint32_t>(lines_.size()));
  if (added) {
    Line fresh;
    fresh.line = line;
    fresh.lost_to.resize(cores_.size());
    fresh.lost_at.resize(cores_.size());
    fresh.stored_at.resize(line_bytes_);
    fresh.touched.resize(cores_.size() * line_bytes_);
    lines_.push_back(std::move(fresh));
  }
  const std::uint64_t index = found->second;
  Line& l = lines_[index];
  l.lost_at[victim] = ++l.now;
  l.lost_to[victim] = by;
  if (!counting_) return;
  ++l.invalidations;
  ++losses_[(index << core_bits | by) << core_bits | victim].count;
}

void SharingTracker::begin(std::uint64_t line, unsigned core, std::uint32_t offset, bool has_copy) {
  access_ = {line, line * line_bytes_ + offset, core, has_copy ? Why::upgrade : Why::other};
}

void SharingTracker::waited(Cycles cycles) {
  if (!counting_) return;
  WaitedCycles& waited = cores_[access_.core].waited;
  switch (access_.why) {
    case Why::other:
      waited.others += cycles;
      return;
    case Why::upgrade:
      waited.upgrades += cycles;
      break;
    case Why::true_sharing:
      waited.true_sharing += cycles;
      break;
    case Why::false_sharing:
      waited.false_sharing += cycles;
      break;
  }
  const auto found = index_.find(access_.line);
  if (found == index_.end()) return;  // an upgrade of a line that nobody lost
  Line& l = lines_[found->second];
  l.cycles_lost += cycles;
  if (access_.why == Why::upgrade) return;
  places_[access_.address].cycles_lost += cycles;
  const std::uint64_t by = l.lost_to[access_.core];
  losses_[(std::uint64_t{found->second} << core_bits | by) << core_bits | access_.core].cycles += cycles;
}

std::vector<SharedPlace> SharingTracker::places() const {
  std::vector<SharedPlace> all;
  for (const auto& [address, place] : places_) {
    all.push_back(place);
    all.back().address = address;
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return all;
}

void SharingTracker::touch(Line& line, unsigned core, std::uint32_t offset, std::uint32_t size) {
  if (!counting_) return;
  const auto first =
      line.touched.begin() + static_cast<std::ptrdiff_t>(std::size_t{core} * line_bytes_ + offset);
  std::fill(first, first + size, true);
}

void SharingTracker::stored(std::uint64_t line, unsigned core, std::uint32_t offset, std::uint32_t size) {
  Line& l = at(line);
  ++l.now;
  std::fill_n(l.stored_at.begin() + offset, size, l.now);
  touch(l, core, offset, size);
}

void SharingTracker::missed(std::uint64_t line, unsigned core, std::uint32_t offset, std::uint32_t size) {
  Line& l = at(line);
  touch(l, core, offset, size);
  const std::uint64_t lost = l.lost_at[core];
  if (lost == 0) return;  // cold, or replaced since
  l.lost_at[core] = 0;
  const auto first = l.stored_at.begin() + offset;
  const bool newer = std::any_of(first, first + size, [lost](std::uint64_t at) { return at > lost; });
  access_.why = newer ? Why::true_sharing : Why::false_sharing;
  if (!counting_) return;
  SharedPlace& place = places_[line * line_bytes_ + offset];
  ++(newer ? place.true_sharing_misses : place.false_sharing_misses);
  ++(newer ? l.true_misses : l.false_misses);
  ++(newer ? cores_[core].true_misses : cores_[core].false_misses);
}

SharedLine SharingTracker::report(std::uint32_t index) const {
  const Line& l = lines_[index];
  SharedLine result;
  result.address = l.line * line_bytes_;
  result.invalidations = l.invalidations;
  result.true_sharing_misses = l.true_misses;
  result.false_sharing_misses = l.false_misses;
  result.cycles_lost = l.cycles_lost;
  for (std::uint32_t core = 0; core < cores_.size(); ++core) {
    SharedLine::Bytes bytes{core, {}};
    for (std::uint32_t b = 0; b < line_bytes_; ++b) {
      if (!l.touched[std::size_t{core} * line_bytes_ + b]) continue;
      if (!bytes.runs.empty() && bytes.runs.back().second + 1 == b) {
        bytes.runs.back().second = b;
      } else {
        bytes.runs.emplace_back(b, b);
      }
    }
    if (!bytes.runs.empty()) result.bytes.push_back(std::move(bytes));
  }
  return result;
}

std::vector<SharedLine> SharingTracker::worst(std::size_t limit) const {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].invalidations + lines_[i].true_misses + lines_[i].false_misses != 0) order.push_back(i);
  }
  const auto rank = [this](std::uint32_t i) {
    const Line& l = lines_[i];
    return std::tuple(~(l.true_misses + l.false_misses), ~l.invalidations, l.line);
  };
  limit = std::min(limit, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(limit), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });

  std::vector<SharedLine> result;
  tsl::robin_map<std::uint64_t, std::size_t, MixHash> chosen;
  for (std::size_t i = 0; i < limit; ++i) {
    chosen[order[i]] = i;
    result.push_back(report(order[i]));
  }
  for (const auto& [key, loss] : losses_) {
    const auto found = chosen.find(key >> (2 * core_bits));
    if (found == chosen.end()) continue;
    result[found->second].losses.push_back({static_cast<std::uint32_t>(key >> core_bits & core_mask),
                                            static_cast<std::uint32_t>(key & core_mask), loss.count,
                                            loss.cycles});
  }
  for (SharedLine& line : result) {
    std::sort(line.losses.begin(), line.losses.end(), [](const auto& a, const auto& b) {
      return std::tie(a.by, a.victim) < std::tie(b.by, b.victim);
    });
  }
  return result;
}

void write_sharing(StatWriter& out, const SharingTracker& sharing, unsigned core) {
  out.count("true_sharing_misses", sharing.true_sharing_misses(core));
  out.count("false_sharing_misses", sharing.false_sharing_misses(core));
  const WaitedCycles& waited = sharing.waited_cycles(core);
  if (waited.true_sharing + waited.false_sharing + waited.upgrades + waited.others == 0) return;
  out.count("true_sharing_cycles", waited.true_sharing);
  out.count("false_sharing_cycles", waited.false_sharing);
  out.count("upgrade_cycles", waited.upgrades);
  out.count("other_miss_cycles", waited.others);
}

}  // namespace mesim
