/* A reader-writer lock, a spin lock and a recursive mutex in turn. */
#define _GNU_SOURCE
#include "threads.h"
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_spinlock_t spin;
int value, spun, nested;
static void* work(void* number) {
  int seen = 0;
  for (int i = 0; i < 20; i++) {
    if (number == 0) {
      pthread_rwlock_wrlock(&rwlock);
      value++;
    } else {
      pthread_rwlock_rdlock(&rwlock);
      seen += value;
    }
    pthread_rwlock_unlock(&rwlock);
    if (pthread_spin_trylock(&spin) != 0) pthread_spin_lock(&spin);
    spun++;
    pthread_spin_unlock(&spin);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    nested++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
  }
  return (void*)(long)seen;
}
int main(void) {
  pthread_spin_init(&spin, 0);
  run_threads(4, work);
  return value == 20 && spun == 80 && nested == 80 ? 0 : 1;
}
