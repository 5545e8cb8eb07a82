// Condition variables and barriers.
#include <errno.h>
#include <pthread.h>

#include "traces/recorder/ordered.hpp"
#include "traces/recorder/real.hpp"

namespace mesim::recorder {
namespace {

constexpr std::uint64_t word_bytes = 4;

// Waiting gives the mutex back and takes it again; woken, the thread has seen the signals up to here.
template <typename Wait>
int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t pc, Wait wait) {
  record_update(mutex, word_bytes, pc);
  const int status = wait();
  const int saved_errno = errno;
  record_look(condition, word_bytes, pc);
  record_update(mutex, word_bytes, pc);
  errno = saved_errno;
  return status;
}

// A barrier's place is apart from that of an atomic that may once have lain at its address.
Place& place_of_barrier(const pthread_barrier_t* barrier) {
  return place_of(reinterpret_cast<std::uint64_t>(barrier) | std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace mesim::recorder

using namespace mesim::recorder;

extern "C" {

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_for(condition, mutex, MESIM_CALLER_PC,
                  [&] { return MESIM_REAL(pthread_cond_wait)(condition, mutex); });
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  return wait_for(condition, mutex, MESIM_CALLER_PC,
                  [&] { return MESIM_REAL(pthread_cond_timedwait)(condition, mutex, until); });
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  return wait_for(condition, mutex, MESIM_CALLER_PC,
                  [&] { return MESIM_REAL(pthread_cond_clockwait)(condition, mutex, clock, until); });
}
int pthread_cond_signal(pthread_cond_t* condition) {
  record_update(condition, word_bytes, MESIM_CALLER_PC);
  return MESIM_REAL(pthread_cond_signal)(condition);
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
  record_update(condition, word_bytes, MESIM_CALLER_PC);
  return MESIM_REAL(pthread_cond_broadcast)(condition);
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) {
  Place& place = place_of_barrier(barrier);
  {
    const PlaceLock lock(place);
    place.parties = count;
    place.version = place.arrivals;  // phases count from here
  }
  return MESIM_REAL(pthread_barrier_init)(barrier, attributes, count);
}

int pthread_barrier_wait(pthread_barrier_t* barrier) {
  const std::uint64_t pc = MESIM_CALLER_PC;
  const auto address = reinterpret_cast<std::uint64_t>(barrier);
  ThreadLog& log = log_of_thread();
  Place& place = place_of_barrier(barrier);
  std::uint64_t phase_end = 0;
  {
    const Inside inside(log);
    const PlaceLock lock(place);
    const std::uint64_t parties = place.parties == 0 ? 1 : place.parties;
    phase_end = place.arrivals - (place.arrivals - place.version) % parties + parties;
    log.put(RawKind::barrier_arrive, word_bytes, address, pc, place.arrivals++);
  }
  const int status = MESIM_REAL(pthread_barrier_wait)(barrier);
  log.put(RawKind::barrier_leave, word_bytes, address, pc, phase_end);
  return status;
}

}  // extern "C"
