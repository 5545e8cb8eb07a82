/* Starts `count` threads with their number and joins them. */
#include <pthread.h>
static void run_threads(long count, void* (*routine)(void*)) {
  pthread_t threads[16];
  for (long i = 0; i < count; i++) pthread_create(&threads[i], 0, routine, (void*)i);
  for (long i = 0; i < count; i++) pthread_join(threads[i], 0);
}
