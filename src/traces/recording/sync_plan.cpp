#include "traces/recording/sync_plan.hpp"

#include <algorithm>

namespace mesim {

using recorder::RawKind;

namespace {

bool modifies(const RawItem& item) {
  return item.kind == RawKind::atomic_store || item.kind == RawKind::atomic_rmw;
}

bool is_ordered(const RawItem& item) {
  return modifies(item) || item.kind == RawKind::atomic_load || item.kind == RawKind::atomic_attempt;
}

}  // namespace

SyncPlan::SyncPlan(std::size_t threads) : seen_(threads), created_(threads), joined_(threads) {}

std::uint64_t SyncPlan::object(Of kind, std::uint64_t key) {
  auto& known = objects_[static_cast<std::size_t>(kind)];
  const auto [at, is_new] = known.try_emplace(key, next_object_);
  if (is_new) ++next_object_;
  return at->second;
}

std::uint64_t SyncPlan::unseen_version(std::uint32_t thread, const RawItem& item) {
  auto& seen = seen_[thread][item.address];
  const std::uint64_t wanted = item.detail > seen ? item.detail : 0;
  seen = std::max(seen, item.detail + (modifies(item) ? 1 : 0));
  return wanted;
}

void SyncPlan::learn(std::uint32_t thread, const RawItem& item) {
  if (is_ordered(item)) {
    if (const auto version = unseen_version(thread, item)) waited_[item.address].push_back(version);
  } else if (item.kind == RawKind::thread_create && item.address < created_.size()) {
    created_[item.address] = true;
  } else if (item.kind == RawKind::thread_join && item.address < joined_.size()) {
    joined_[item.address] = true;
  }
}

void SyncPlan::finish() {
  for (auto& [address, versions] : waited_) {
    std::sort(versions.begin(), versions.end());
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  }
  for (auto& seen : seen_) seen.clear();
}

std::optional<SyncPlan::Wait> SyncPlan::wait_before(std::uint32_t thread, const RawItem& item) {
  if (is_ordered(item)) {
    const std::uint64_t version = unseen_version(thread, item);
    if (version == 0) return std::nullopt;
    // Modifications of one place follow one another, so the signals before this one have been given.
    const auto& versions = waited_.at(item.address);
    const auto at = std::lower_bound(versions.begin(), versions.end(), version);
    return Wait{object(Of::place, item.address), static_cast<std::uint32_t>(at - versions.begin() + 1)};
  }
  if (item.kind == RawKind::thread_start && created_[thread]) return Wait{object(Of::start, thread), 1};
  if (item.kind == RawKind::thread_join) return Wait{object(Of::end, item.address), 1};
  if (item.kind == RawKind::barrier_leave)
    return Wait{object(Of::barrier, item.address), static_cast<std::uint32_t>(item.detail)};
  return std::nullopt;
}

std::optional<std::uint64_t> SyncPlan::signal_after(const RawItem& item) {
  if (modifies(item)) {
    const auto versions = waited_.find(item.address);
    if (versions == waited_.end()) return std::nullopt;
    if (!std::binary_search(versions->second.begin(), versions->second.end(), item.detail + 1))
      return std::nullopt;
    return object(Of::place, item.address);
  }
  if (item.kind == RawKind::thread_create) return object(Of::start, item.address);
  if (item.kind == RawKind::barrier_arrive) return object(Of::barrier, item.address);
  return std::nullopt;
}

std::optional<std::uint64_t> SyncPlan::signal_at_end(std::uint32_t thread) {
  return joined_[thread] ? std::optional(object(Of::end, thread)) : std::nullopt;
}

}  // namespace mesim
