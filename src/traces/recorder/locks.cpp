// Mutexes, reader-writer locks, spin locks, semaphores and once-flags. Each operation is the
// read-modify-write of its lock word: taking is recorded when it is done, giving back before it is, so that
// the versions of the word follow the real order.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "traces/recorder/ordered.hpp"
#include "traces/recorder/real.hpp"

namespace mesim::recorder {
namespace {

constexpr std::uint64_t lock_word_bytes = 4;

bool is_taken(int status) { return status == 0 || status == EOWNERDEAD; }

int took(const volatile void* lock, int status, std::uint64_t pc) {
  const int saved_errno = errno;
  if (is_taken(status))
    record_update(lock, lock_word_bytes, pc);
  else
    record_attempt(lock, lock_word_bytes, pc);
  errno = saved_errno;
  return status;
}

// The routine of pthread_once takes no argument; the flag and routine of this thread wait here for it.
struct Once {
  pthread_once_t* flag;
  void (*routine)();
  std::uint64_t pc;
};
thread_local Once once;

void run_once() {
  const Once mine = once;
  mine.routine();
  record_update(mine.flag, sizeof *mine.flag, mine.pc);
}

}  // namespace
}  // namespace mesim::recorder

using namespace mesim::recorder;

#define MESIM_TAKE(NAME, TYPE) \
  int NAME(TYPE* lock) { return took(lock, MESIM_REAL(NAME)(lock), MESIM_CALLER_PC); }
#define MESIM_TAKE_UNTIL(NAME, TYPE)                                   \
  int NAME(TYPE* lock, const timespec* until) {                        \
    return took(lock, MESIM_REAL(NAME)(lock, until), MESIM_CALLER_PC); \
  }
#define MESIM_TAKE_BY_CLOCK(NAME, TYPE)                                       \
  int NAME(TYPE* lock, clockid_t clock, const timespec* until) {              \
    return took(lock, MESIM_REAL(NAME)(lock, clock, until), MESIM_CALLER_PC); \
  }
#define MESIM_GIVE(NAME, TYPE)                             \
  int NAME(TYPE* lock) {                                   \
    record_update(lock, lock_word_bytes, MESIM_CALLER_PC); \
    return MESIM_REAL(NAME)(lock);                         \
  }

extern "C" {

MESIM_TAKE(pthread_mutex_lock, pthread_mutex_t)
MESIM_TAKE(pthread_mutex_trylock, pthread_mutex_t)
MESIM_TAKE_UNTIL(pthread_mutex_timedlock, pthread_mutex_t)
MESIM_TAKE_BY_CLOCK(pthread_mutex_clocklock, pthread_mutex_t)
MESIM_GIVE(pthread_mutex_unlock, pthread_mutex_t)

MESIM_TAKE(pthread_rwlock_rdlock, pthread_rwlock_t)
MESIM_TAKE(pthread_rwlock_tryrdlock, pthread_rwlock_t)
MESIM_TAKE_UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t)
MESIM_TAKE_BY_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t)
MESIM_TAKE(pthread_rwlock_wrlock, pthread_rwlock_t)
MESIM_TAKE(pthread_rwlock_trywrlock, pthread_rwlock_t)
MESIM_TAKE_UNTIL(pthread_rwlock_timedwrlock, pthread_rwlock_t)
MESIM_TAKE_BY_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t)
MESIM_GIVE(pthread_rwlock_unlock, pthread_rwlock_t)

MESIM_TAKE(pthread_spin_lock, pthread_spinlock_t volatile)
MESIM_TAKE(pthread_spin_trylock, pthread_spinlock_t volatile)
MESIM_GIVE(pthread_spin_unlock, pthread_spinlock_t volatile)

MESIM_TAKE(sem_wait, sem_t)
MESIM_TAKE(sem_trywait, sem_t)
MESIM_TAKE_UNTIL(sem_timedwait, sem_t)
MESIM_TAKE_BY_CLOCK(sem_clockwait, sem_t)
MESIM_GIVE(sem_post, sem_t)

int pthread_once(pthread_once_t* flag, void (*routine)()) {
  const std::uint64_t pc = MESIM_CALLER_PC;
  once = {flag, routine, pc};
  const int status = MESIM_REAL(pthread_once)(flag, run_once);
  record_look(flag, sizeof *flag, pc);
  return status;
}

// Static variables of functions; the compiler's own look at the guard byte is an atomic load.
extern int __cxa_guard_acquire(long* guard);
extern void __cxa_guard_release(long* guard);
extern void __cxa_guard_abort(long* guard);

int __mesim___cxa_guard_acquire(long* guard) {
  const int mine = __cxa_guard_acquire(guard);
  if (mine != 0)
    record_update(guard, 1, MESIM_CALLER_PC);
  else
    record_look(guard, 1, MESIM_CALLER_PC);
  return mine;
}
void __mesim___cxa_guard_release(long* guard) {
  record_update(guard, 1, MESIM_CALLER_PC);
  __cxa_guard_release(guard);
}
void __mesim___cxa_guard_abort(long* guard) {
  record_update(guard, 1, MESIM_CALLER_PC);
  __cxa_guard_abort(guard);
}

}  // extern "C"
