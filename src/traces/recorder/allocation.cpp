// Allocation by the program's own objects, which are renamed to these before linking: blocks and their call
// stacks, from which heap addresses get names.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "traces/recorder/thread_log.hpp"

// Of a block that is reallocated only the address is looked at.
#pragma GCC diagnostic ignored "-Wuse-after-free"

namespace mesim::recorder {
namespace {

enum class By : std::uint64_t { malloc, new_ };

void* allocated(void* block, std::size_t bytes, std::uint64_t pc, By by = By::malloc) {
  if (block == nullptr) return block;
  ThreadLog& log = log_of_thread();
  log.put(RawKind::allocate, static_cast<std::uint64_t>(by), reinterpret_cast<std::uint64_t>(block), pc,
          bytes);
  std::uint32_t depth = log.depth < ThreadLog::kept_depth ? log.depth : ThreadLog::kept_depth;
  for (std::size_t kept = 0; kept < most_frames && depth > 0; ++kept)
    log.put(RawKind::frame, 0, log.callers[--depth] - 1, 0);
  return block;
}

// Before the block is really free, since another thread may get it at once.
void released(const void* block, std::uint64_t pc) {
  if (block != nullptr) log_of_thread().put(RawKind::release, 0, reinterpret_cast<std::uint64_t>(block), pc);
}

void copied(std::uint64_t to, std::uint64_t from, std::size_t bytes, std::uint64_t pc) {
  ThreadLog& log = log_of_thread();
  log.put(RawKind::load_range, 0, from, pc, bytes);
  log.put(RawKind::store_range, 0, to, pc, bytes);
}

void* reallocated(void* block, std::size_t bytes, std::uint64_t pc) {
  const auto from = reinterpret_cast<std::uint64_t>(block);
  const std::size_t old_bytes = malloc_usable_size(block);
  released(block, pc);
  void* const moved = realloc(reinterpret_cast<void*>(from), bytes);
  const auto to = reinterpret_cast<std::uint64_t>(moved);
  if (to != 0 && from != 0 && to != from) copied(to, from, old_bytes < bytes ? old_bytes : bytes, pc);
  return allocated(moved, bytes, pc);
}

char* duplicated(const char* text, std::size_t length, std::uint64_t pc) {
  auto* const block = static_cast<char*>(malloc(length + 1));
  if (block == nullptr) return block;
  memcpy(block, text, length);
  block[length] = 0;
  allocated(block, length + 1, pc);
  copied(reinterpret_cast<std::uint64_t>(block), reinterpret_cast<std::uint64_t>(text), length + 1, pc);
  return block;
}

using Align = std::align_val_t;
using NoThrow = const std::nothrow_t&;

}  // namespace
}  // namespace mesim::recorder

using namespace mesim::recorder;
#define PC MESIM_CALLER_PC

extern "C" {

void* __mesim_malloc(size_t bytes) { return allocated(malloc(bytes), bytes, PC); }
void* __mesim_calloc(size_t count, size_t bytes) {
  return allocated(calloc(count, bytes), count * bytes, PC);
}
void* __mesim_realloc(void* block, size_t bytes) { return reallocated(block, bytes, PC); }
void* __mesim_aligned_alloc(size_t align, size_t bytes) {
  return allocated(aligned_alloc(align, bytes), bytes, PC);
}
void* __mesim_memalign(size_t align, size_t bytes) { return allocated(memalign(align, bytes), bytes, PC); }
int __mesim_posix_memalign(void** block, size_t align, size_t bytes) {
  const int status = posix_memalign(block, align, bytes);
  if (status == 0) allocated(*block, bytes, PC);
  return status;
}
char* __mesim_strdup(const char* text) { return duplicated(text, strlen(text), PC); }
char* __mesim_strndup(const char* text, size_t most) { return duplicated(text, strnlen(text, most), PC); }
void __mesim_free(void* block) {
  released(block, PC);
  free(block);
}

// operator new, new[], delete and delete[] under the names that the compiler gives them.
#define MESIM_NEW(LETTERS, OPERATOR)                                                                      \
  void* __mesim__Z##LETTERS##m(size_t bytes) { return allocated(OPERATOR(bytes), bytes, PC, By::new_); }  \
  void* __mesim__Z##LETTERS##mRKSt9nothrow_t(size_t bytes, NoThrow nothrow) {                             \
    return allocated(OPERATOR(bytes, nothrow), bytes, PC, By::new_);                                      \
  }                                                                                                       \
  void* __mesim__Z##LETTERS##mSt11align_val_t(size_t bytes, Align align) {                                \
    return allocated(OPERATOR(bytes, align), bytes, PC, By::new_);                                        \
  }                                                                                                       \
  void* __mesim__Z##LETTERS##mSt11align_val_tRKSt9nothrow_t(size_t bytes, Align align, NoThrow nothrow) { \
    return allocated(OPERATOR(bytes, align, nothrow), bytes, PC, By::new_);                               \
  }
#define MESIM_DELETE(LETTERS, OPERATOR)                                                  \
  void __mesim__Z##LETTERS##Pv(void* block) {                                            \
    released(block, PC);                                                                 \
    OPERATOR(block);                                                                     \
  }                                                                                      \
  void __mesim__Z##LETTERS##Pvm(void* block, size_t bytes) {                             \
    released(block, PC);                                                                 \
    OPERATOR(block, bytes);                                                              \
  }                                                                                      \
  void __mesim__Z##LETTERS##PvSt11align_val_t(void* block, Align align) {                \
    released(block, PC);                                                                 \
    OPERATOR(block, align);                                                              \
  }                                                                                      \
  void __mesim__Z##LETTERS##PvmSt11align_val_t(void* block, size_t bytes, Align align) { \
    released(block, PC);                                                                 \
    OPERATOR(block, bytes, align);                                                       \
  }

MESIM_NEW(nw, ::operator new)
MESIM_NEW(na, ::operator new[])
MESIM_DELETE(dl, ::operator delete)
MESIM_DELETE(da, ::operator delete[])

}  // extern "C"
