// Which waits and signals a trace needs, so that every replay that obeys them sees the values that the
// program saw. An operation on an ordered address (an atomic, a lock word) that found version n, that is n
// earlier modifications, waits for modification n, unless its thread has made or seen that one already.
// Only modifications that somebody waits for signal. Waits only point back in real time, so no replay that
// obeys them can deadlock.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "traces/recording/raw_log.hpp"

namespace mesim {

class SyncPlan {
 public:
  struct Wait {
    std::uint64_t object = 0;
    std::uint32_t count = 0;
  };

  explicit SyncPlan(std::size_t threads);

  // First every item of every thread, thread by thread, in program order ...
  void learn(std::uint32_t thread, const RawItem& item);
  // ... then this, and then the questions, again each thread's items in program order.
  void finish();

  // What must happen before the item, and the object that is signalled after it.
  std::optional<Wait> wait_before(std::uint32_t thread, const RawItem& item);
  std::optional<std::uint64_t> signal_after(const RawItem& item);
  // The object that is signalled when the thread has ended.
  std::optional<std::uint64_t> signal_at_end(std::uint32_t thread);

 private:
  enum class Of : std::uint8_t { place, start, end, barrier };
  std::uint64_t object(Of kind, std::uint64_t key);
  // The version to wait for, 0: none. Notes what the thread knows after the item.
  std::uint64_t unseen_version(std::uint32_t thread, const RawItem& item);

  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waited_;  // versions, by address
  std::vector<std::unordered_map<std::uint64_t, std::uint64_t>> seen_;    // by thread and address
  std::vector<bool> created_, joined_;
  std::unordered_map<std::uint64_t, std::uint64_t> objects_[4];
  std::uint64_t next_object_ = 1;
};

}  // namespace mesim
