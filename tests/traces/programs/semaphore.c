#include <semaphore.h>
#include "threads.h"
sem_t ping, pong;
int shared_count;
static void* work(void* number) {
  for (int i = 0; i < 25; i++) {
    sem_wait(number == 0 ? &ping : &pong);
    shared_count++;
    sem_post(number == 0 ? &pong : &ping);
  }
  return 0;
}
int main(void) {
  sem_init(&ping, 0, 1);
  sem_init(&pong, 0, 0);
  run_threads(2, work);
  return shared_count == 50 ? 0 : 1;
}
