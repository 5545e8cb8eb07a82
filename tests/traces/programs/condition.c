/* A queue of one place between a producer and three consumers. */
#include "threads.h"
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int full, taken;
static void* work(void* number) {
  for (int i = 0; i < (number == 0 ? 30 : 10); i++) {
    const int wanted = number == 0 ? 0 : 1;
    pthread_mutex_lock(&lock);
    while (full != wanted) pthread_cond_wait(&changed, &lock);
    full = !wanted;
    taken += wanted;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  run_threads(4, work);
  return taken == 30 ? 0 : 1;
}
