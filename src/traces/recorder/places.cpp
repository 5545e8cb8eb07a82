#include "traces/recorder/places.hpp"

#include <sched.h>
#include <sys/mman.h>

#include "traces/recorder/thread_log.hpp"

namespace mesim::recorder {
namespace {

constexpr std::uint64_t table_base = 0x0f00'0000'0000;
constexpr std::uint64_t slots = 1 << 22;
constexpr std::uint64_t longest_probe = 4096;

Place* const table = reinterpret_cast<Place*>(table_base);

}  // namespace

void map_places() {
  void* const at = mmap(table, slots * sizeof(Place), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (at == MAP_FAILED) give_up("cannot map the table of atomics");
}

Place& place_of(std::uint64_t address) {
  std::uint64_t at = address * 0x9e37'79b9'7f4a'7c15 >> 42;
  for (std::uint64_t probe = 0; probe < longest_probe; ++probe, at = (at + 1) % slots) {
    Place& place = table[at];
    std::uint64_t found = place.address.load(std::memory_order_acquire);
    if (found == address) return place;
    if (found == 0 && (place.address.compare_exchange_strong(found, address) || found == address))
      return place;
  }
  give_up("more than about four million different addresses of atomics");
}

PlaceLock::PlaceLock(Place& place) : place_(place) {
  for (int tries = 0; place.taken.exchange(1, std::memory_order_acquire) != 0; ++tries)
    if (tries >= 64) sched_yield();
}

}  // namespace mesim::recorder
