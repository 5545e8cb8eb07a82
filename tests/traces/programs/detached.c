#include <pthread.h>
#include <stdatomic.h>
atomic_int done;
int value;
static void* work(void* nothing) {
  value = 5;
  atomic_store(&done, 1);
  return nothing;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_detach(thread);
  while (!atomic_load(&done)) {
  }
  return value == 5 ? 0 : 1;
}
