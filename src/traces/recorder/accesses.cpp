// The calls that the compiler inserts before loads and stores, and at entry and exit of functions.
#include "traces/recorder/thread_log.hpp"

namespace mesim::recorder {
namespace {

inline void record(RawKind kind, std::uint64_t size, const void* address, std::uint64_t pc) {
  log_of_thread().put(kind, size, reinterpret_cast<std::uint64_t>(address), pc);
}

inline void record_range(RawKind kind, const void* address, std::uint64_t bytes, std::uint64_t pc) {
  if (bytes != 0) log_of_thread().put(kind, 0, reinterpret_cast<std::uint64_t>(address), pc, bytes);
}

}  // namespace
}  // namespace mesim::recorder

using namespace mesim::recorder;

#define MESIM_ACCESS(NAME, KIND, SIZE) \
  void NAME(const void* address) { record(RawKind::KIND, SIZE, address, MESIM_CALLER_PC); }
#define MESIM_ACCESSES(SIZE)                                     \
  MESIM_ACCESS(__tsan_read##SIZE, load, SIZE)                    \
  MESIM_ACCESS(__tsan_write##SIZE, store, SIZE)                  \
  MESIM_ACCESS(__tsan_volatile_read##SIZE, load, SIZE)           \
  MESIM_ACCESS(__tsan_volatile_write##SIZE, store, SIZE)         \
  MESIM_ACCESS(__tsan_unaligned_read##SIZE, load, SIZE)          \
  MESIM_ACCESS(__tsan_unaligned_write##SIZE, store, SIZE)        \
  MESIM_ACCESS(__tsan_unaligned_volatile_read##SIZE, load, SIZE) \
  MESIM_ACCESS(__tsan_unaligned_volatile_write##SIZE, store, SIZE)

extern "C" {

MESIM_ACCESSES(1)
MESIM_ACCESSES(2)
MESIM_ACCESSES(4)
MESIM_ACCESSES(8)
MESIM_ACCESSES(16)

void __tsan_read_range(const void* address, unsigned long bytes) {
  record_range(RawKind::load_range, address, bytes, MESIM_CALLER_PC);
}
void __tsan_write_range(const void* address, unsigned long bytes) {
  record_range(RawKind::store_range, address, bytes, MESIM_CALLER_PC);
}
void __tsan_vptr_read(void** pointer) { record(RawKind::load, sizeof *pointer, pointer, MESIM_CALLER_PC); }
void __tsan_vptr_update(void** pointer, void*) {
  record(RawKind::store, sizeof *pointer, pointer, MESIM_CALLER_PC);
}

void __tsan_func_entry(void* caller) {
  ThreadLog& log = log_of_thread();
  if (log.depth < ThreadLog::kept_depth) log.callers[log.depth] = reinterpret_cast<std::uint64_t>(caller);
  ++log.depth;
}
void __tsan_func_exit() {
  ThreadLog& log = log_of_thread();
  if (log.depth > 0) --log.depth;
}

}  // extern "C"
