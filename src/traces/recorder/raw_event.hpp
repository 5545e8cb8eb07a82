// What the recorder writes while the program runs: one file of 16-byte slots per thread, `00000.raw` for the
// first. Shared by the runtime inside the recorded program and by the post-processing; depends on nothing.
#pragma once
#include <cstddef>
#include <cstdint>

namespace mesim::recorder {

enum class RawKind : std::uint8_t {
  none,  // zero-filled rest of the file: the end, also after a crash
  load,  // address, size
  store,
  load_range,  // detail: bytes
  store_range,
  atomic_load,  // size; detail: version of the address, i.e. how often it had been modified
  atomic_store,
  atomic_rmw,
  atomic_attempt,  // a read-modify-write that left the value: failed compare-exchange, lock that is taken
  fence,
  thread_create,   // address: index of the new thread
  thread_start,    // address: pthread_self; detail, detail2: lowest and end address of the stack
  thread_join,     // address: index of the thread that ended
  barrier_arrive,  // detail: how many arrived before, counted over all phases
  barrier_leave,   // detail: arrivals that ended the phase
  allocate,        // size: 1 for operator new; detail: bytes; `frame` slots follow, innermost caller first
  frame,           // address: return address
  release,         // address of the freed block
  region_begin,
  region_end,
  heap_start,  // address: where the heap that grows by `brk` starts
  ignore,      // address: a place whose accesses depend on timing only (errno); detail: bytes
  forked,      // the program called fork
};

struct RawEvent {
  std::uint64_t address;
  std::uint64_t word;  // kind in the top 8 bits, size in the next 8, pc in the low 48
};
static_assert(sizeof(RawEvent) == 16);

inline constexpr std::uint64_t pc_mask = (std::uint64_t{1} << 48) - 1;

constexpr std::uint64_t pack(RawKind kind, std::uint64_t size, std::uint64_t pc) {
  return static_cast<std::uint64_t>(kind) << 56 | size << 48 | (pc & pc_mask);
}

// These kinds take a second slot: detail in its address, detail2 in its word.
constexpr bool has_detail(RawKind kind) {
  switch (kind) {
    case RawKind::load_range:
    case RawKind::store_range:
    case RawKind::atomic_load:
    case RawKind::atomic_store:
    case RawKind::atomic_rmw:
    case RawKind::atomic_attempt:
    case RawKind::thread_start:
    case RawKind::barrier_arrive:
    case RawKind::barrier_leave:
    case RawKind::allocate:
    case RawKind::ignore:
      return true;
    default:
      return false;
  }
}

// Environment variable with the folder for the raw files; absent: the program runs unrecorded.
inline constexpr const char* folder_variable = "MESIM_RECORD_FOLDER";
inline constexpr std::size_t most_threads = 65535;
inline constexpr std::size_t most_frames = 12;  // of an allocation's call stack

}  // namespace mesim::recorder
