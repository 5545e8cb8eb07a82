#include "threads.h"
thread_local long mine[4];
long total[2];
static void* work(void* number) {
  for (int i = 0; i < 100; i++) mine[i % 4] += i;
  total[reinterpret_cast<long>(number)] = mine[0];
  return nullptr;
}
int main() {
  run_threads(2, work);
  return total[0] == total[1] ? 0 : 1;
}
