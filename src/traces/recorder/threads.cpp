// Threads: creating one orders it after its creator, joining one orders the joiner after its end.
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>

#include "traces/recorder/real.hpp"

namespace mesim::recorder {
namespace {

// Which thread a pthread_t means. Handles are used again after a join, so the latest entry counts, and
// creating and entering is one step under the lock.
pthread_t handles[most_threads];
std::uint32_t known_handles = 0;
std::atomic_flag handles_taken = ATOMIC_FLAG_INIT;

struct HandlesLock {
  HandlesLock() {
    while (handles_taken.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~HandlesLock() { handles_taken.clear(std::memory_order_release); }
};

void* run_thread(void* argument) {
  auto& log = *static_cast<ThreadLog*>(argument);
  begin_thread(log);
  return log.routine(log.argument);
}

std::uint64_t stack_bytes(const pthread_attr_t* attributes) {
  std::size_t bytes = 0;
  if (attributes != nullptr) {
    pthread_attr_getstacksize(attributes, &bytes);
    return bytes;
  }
  pthread_attr_t defaults;
  if (pthread_getattr_default_np(&defaults) != 0) return 8 << 20;
  pthread_attr_getstacksize(&defaults, &bytes);
  pthread_attr_destroy(&defaults);
  return bytes;
}

// The index, or 0 when the handle is of no thread that was created here.
std::uint32_t thread_of(pthread_t handle) {
  const HandlesLock lock;
  for (std::uint32_t index = known_handles; index > 0; --index)
    if (handles[index] == handle) return index;
  return 0;
}

template <typename Join>
int join(pthread_t handle, std::uint64_t pc, Join real_join) {
  const std::uint32_t index = thread_of(handle);
  const int status = real_join();
  if (status == 0 && index != 0) log_of_thread().put(RawKind::thread_join, 0, index, pc);
  return status;
}

}  // namespace
}  // namespace mesim::recorder

using namespace mesim::recorder;

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) {
  ThreadLog& creator = log_of_thread();
  const HandlesLock lock;
  ThreadLog& created = new_log();
  created.routine = routine;
  created.argument = argument;
  created.stack_bytes = stack_bytes(attributes);
  creator.put(RawKind::thread_create, 0, created.index, MESIM_CALLER_PC);
  const int status = MESIM_REAL(pthread_create)(handle, attributes, run_thread, &created);
  if (status == 0) {
    handles[created.index] = *handle;
    if (created.index > known_handles) known_handles = created.index;
  }
  return status;
}

int pthread_join(pthread_t handle, void** result) {
  return join(handle, MESIM_CALLER_PC, [&] { return MESIM_REAL(pthread_join)(handle, result); });
}
int pthread_tryjoin_np(pthread_t handle, void** result) {
  return join(handle, MESIM_CALLER_PC, [&] { return MESIM_REAL(pthread_tryjoin_np)(handle, result); });
}
int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  return join(handle, MESIM_CALLER_PC,
              [&] { return MESIM_REAL(pthread_timedjoin_np)(handle, result, until); });
}

}  // extern "C"
