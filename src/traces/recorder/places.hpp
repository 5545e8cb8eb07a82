// Every address that atomics or locks use has a place here: a lock under which the recorder performs and
// records one operation at a time, and the count of modifications so far (the version). The order of the
// log is thereby the order that the program saw.
#pragma once
#include <atomic>
#include <cstdint>

namespace mesim::recorder {

struct Place {
  std::atomic<std::uint64_t> address;  // 0: free
  std::atomic<std::uint32_t> taken;
  std::uint32_t parties;  // of a barrier
  std::uint64_t version;
  std::uint64_t arrivals;  // at a barrier, over all phases
};
static_assert(sizeof(Place) == 32);

// Called by the first thread, before there is a second.
void map_places();
// The place of an address, created at first use; ends the program when there are too many.
Place& place_of(std::uint64_t address);

class PlaceLock {
 public:
  explicit PlaceLock(Place& place);
  ~PlaceLock() { place_.taken.store(0, std::memory_order_release); }
  PlaceLock(const PlaceLock&) = delete;
  PlaceLock& operator=(const PlaceLock&) = delete;

 private:
  Place& place_;
};

}  // namespace mesim::recorder
