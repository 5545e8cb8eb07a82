// Records operations whose order matters: each under the lock of its address, with the version it saw.
#pragma once
#include "traces/recorder/places.hpp"
#include "traces/recorder/thread_log.hpp"

namespace mesim::recorder {

// While it lives, atomics of a signal handler that interrupts this thread are performed but not recorded
// (the handler might otherwise wait for a lock that this thread holds).
class Inside {
 public:
  explicit Inside(ThreadLog& log) : log_(log) { log_.inside = true; }
  ~Inside() { log_.inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ThreadLog& log_;
};

// Runs `operation`, which returns the kind of what it did, and records it.
template <typename Operation>
void record_ordered(const volatile void* address, std::uint64_t size, std::uint64_t pc, Operation operation) {
  ThreadLog& log = log_of_thread();
  if (log.inside) {
    operation();
    return;
  }
  const Inside inside(log);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  Place& place = place_of(at);
  const PlaceLock lock(place);
  const RawKind kind = operation();
  log.put_ordered(kind, size, at, pc, place.version);
  if (kind == RawKind::atomic_store || kind == RawKind::atomic_rmw) ++place.version;
}

// A lock word, semaphore or the like that a library call has changed (or is about to), as the
// read-modify-write that it performs.
inline void record_update(const volatile void* address, std::uint64_t size, std::uint64_t pc) {
  record_ordered(address, size, pc, [] { return RawKind::atomic_rmw; });
}
inline void record_attempt(const volatile void* address, std::uint64_t size, std::uint64_t pc) {
  record_ordered(address, size, pc, [] { return RawKind::atomic_attempt; });
}
inline void record_look(const volatile void* address, std::uint64_t size, std::uint64_t pc) {
  record_ordered(address, size, pc, [] { return RawKind::atomic_load; });
}

}  // namespace mesim::recorder
