/* Three threads, ten phases; each reads what its neighbour wrote in the phase before. */
#include "threads.h"
pthread_barrier_t phase_end;
int cells[10][3];
static void* work(void* number) {
  const long me = (long)number;
  for (int phase = 0; phase < 10; phase++) {
    cells[phase][me] = phase == 0 ? 1 : cells[phase - 1][(me + 1) % 3] + 1;
    pthread_barrier_wait(&phase_end);
  }
  return 0;
}
int main(void) {
  pthread_barrier_init(&phase_end, 0, 3);
  run_threads(3, work);
  return cells[9][0] == 10 ? 0 : 1;
}
