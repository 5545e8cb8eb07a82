// The log of one thread: a window of its raw file, mapped shared. What was written survives a crash of the
// program without any flush, since the kernel owns the pages.
#pragma once
#include <pthread.h>

#include "traces/recorder/raw_event.hpp"

namespace mesim::recorder {

struct ThreadLog {
  RawEvent* cursor;  // next slot
  RawEvent* end;     // of the mapped window
  std::uint64_t file_bytes;
  std::uint32_t index;
  int file;
  bool discard;  // unrecorded: no folder given, or a forked child
  bool inside;   // the recorder is at work; a signal handler's atomics are then performed, not recorded

  // What a new thread runs, put here by its creator.
  void* (*routine)(void*);
  void* argument;
  std::uint64_t stack_bytes;

  // Call stack of instrumented functions, for allocation sites. Deeper calls are counted, not kept.
  std::uint32_t depth;
  static constexpr std::uint32_t kept_depth = 512;
  std::uint64_t callers[kept_depth];

  // The next free slot. The cursor moves first, so that a signal handler that records takes the next one.
  RawEvent& slot() {
    RawEvent* const at = cursor;
    if (__builtin_expect(at == end, 0)) return next_window();
    cursor = at + 1;
    return *at;
  }
  void put(RawKind kind, std::uint64_t size, std::uint64_t address, std::uint64_t pc) {
    RawEvent& at = slot();
    at.address = address;
    at.word = pack(kind, size, pc);
  }
  void put(RawKind kind, std::uint64_t size, std::uint64_t address, std::uint64_t pc, std::uint64_t detail,
           std::uint64_t detail2 = 0) {
    put(kind, size, address, pc);
    RawEvent& more = slot();
    more.address = detail;
    more.word = detail2;
  }

  // Puts an operation on an ordered address. A spin is its last look, however long it took: an atomic that
  // changed nothing gives way to the same one if that follows directly, a load to any load.
  void put_ordered(RawKind kind, std::uint64_t size, std::uint64_t address, std::uint64_t pc,
                   std::uint64_t version) {
    if (repeats_look(kind, address, pc)) {
      last_look->word = pack(kind, size, pc);
      last_look[1].address = version;
      if (++spins % 64 == 0) give_way();
    } else {
      put(kind, size, address, pc, version);
      last_look = cursor - 2 >= window() ? cursor - 2 : nullptr;
    }
    if (kind != RawKind::atomic_load && kind != RawKind::atomic_attempt) last_look = nullptr;
  }

 private:
  bool repeats_look(RawKind kind, std::uint64_t address, std::uint64_t pc) const {
    if (last_look == nullptr || cursor != last_look + 2 || last_look->address != address) return false;
    const bool was_load = static_cast<RawKind>(last_look->word >> 56) == RawKind::atomic_load;
    return (was_load && kind == RawKind::atomic_load) || (last_look->word & pc_mask) == (pc & pc_mask);
  }

  static constexpr std::uint64_t window_offset = 64 << 10;
  RawEvent* window() {
    return reinterpret_cast<RawEvent*>(reinterpret_cast<std::uint64_t>(this) + window_offset);
  }
  RawEvent& next_window();
  static void give_way();  // the processor, to the thread that is waited for

  RawEvent* last_look;  // the slots before the cursor, if they are a look
  std::uint64_t spins;
};

extern thread_local ThreadLog* current;

// The log of the calling thread; a thread that was not created through pthread_create is attached here.
ThreadLog& attach();
inline ThreadLog& log_of_thread() {
  ThreadLog* const log = current;
  return __builtin_expect(log != nullptr, 1) ? *log : attach();
}

// A log for one more thread, in the order of the calls; its index is set.
ThreadLog& new_log();
// Makes `log` the log of the calling thread and writes its first events.
void begin_thread(ThreadLog& log);
// In a forked child: from here on nothing is recorded.
void stop_recording();

// Ends the program with a message: the recorder itself cannot go on (no space, too many threads).
[[noreturn]] void give_up(const char* message);
void print_message(const char* message);

// Address inside the call instruction of the caller, so that it maps to the right line.
#define MESIM_CALLER_PC (reinterpret_cast<std::uint64_t>(__builtin_return_address(0)) - 1)

}  // namespace mesim::recorder
