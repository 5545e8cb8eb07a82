#include "threads.h"
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared_sum;
static void* add(void* number) {
  for (int i = 0; i < 50; i++) {
    pthread_mutex_lock(&lock);
    shared_sum += (int)(long)number;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  run_threads(4, add);
  return shared_sum == 300 ? 0 : 1;
}
