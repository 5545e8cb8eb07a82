#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
int value;
static void* leave(void* nothing) {
  value = 1;
  exit(3);
  return nothing;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, leave, 0);
  for (;;) pause();
}
