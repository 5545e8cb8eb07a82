// Threads that share memory in the ways that matter to a coherent cache:
//
//   packed    one counter for each thread, side by side: the threads' counters share a line (false sharing)
//   padded    the same counters, each in a line of its own
//   grid      a red-black Gauss-Seidel solver of the Laplace equation; each thread has a band of rows and shares
//             only the rows at the borders; a barrier ends each half sweep
//   residual  a sum under a mutex, once for each thread and sweep
//
//   mesim trace record examples/sharing.cpp
//   mesim trace record examples/sharing.cpp --cxxflags -DPAD      packed counters get a line each, too
//   mesim trace record examples/sharing.cpp --cxxflags -DTHREADS=15
//   g++ -O1 -pthread examples/sharing.cpp && ./a.out              without recording
//
// The work of each thread is fixed: two recordings show the same accesses.
#include <pthread.h>

#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#if __has_include(<mesim/region.h>)
#include <mesim/region.h>
#else
static void mesim_region_begin() {}
static void mesim_region_end() {}
#endif

#ifndef THREADS
#define THREADS 4
#endif
constexpr int threads = THREADS;
constexpr int increments = 2000;
constexpr int rows = 66, columns = 66;  // with the fixed border
constexpr int sweeps = 6;
constexpr int line_bytes = 64;

// volatile: every increment loads and stores; without it the compiler keeps a counter in a register.
struct alignas(line_bytes) PaddedCounter {
  volatile long value;
};
#ifdef PAD
using PackedCounter = PaddedCounter;
#else
struct PackedCounter {
  volatile long value;
};
#endif

alignas(line_bytes) PackedCounter packed[threads];
PaddedCounter padded[threads];

alignas(line_bytes) double grid[rows][columns];
alignas(line_bytes) std::mutex residual_lock;
double residual;
pthread_barrier_t half_sweep;

void count(int me) {
  for (int i = 0; i < increments; ++i) {
    packed[me].value = packed[me].value + i;
    padded[me].value = padded[me].value + i;
  }
}

// One colour of the checkerboard in this thread's band; the sum of the changes.
double relax(int me, int colour) {
  const int band = (rows - 2) / threads;
  double changes = 0;
  for (int row = 1 + me * band; row < 1 + (me + 1) * band; ++row)
    for (int column = 1 + (row + colour) % 2; column < columns - 1; column += 2) {
      const double mean =
          (grid[row - 1][column] + grid[row + 1][column] + grid[row][column - 1] + grid[row][column + 1]) / 4;
      changes += std::fabs(mean - grid[row][column]);
      grid[row][column] = mean;
    }
  return changes;
}

void solve(int me) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double changes = 0;
    for (int colour = 0; colour < 2; ++colour) {
      changes += relax(me, colour);
      pthread_barrier_wait(&half_sweep);
    }
    const std::lock_guard<std::mutex> guard(residual_lock);
    residual += changes;
  }
}

int main() {
  for (int column = 0; column < columns; ++column) grid[0][column] = 100;
  pthread_barrier_init(&half_sweep, nullptr, threads);
  mesim_region_begin();
  std::vector<std::thread> team;
  for (int me = 0; me < threads; ++me)
    team.emplace_back([me] {
      count(me);
      solve(me);
    });
  for (auto& thread : team) thread.join();
  mesim_region_end();
  std::printf("residual %.6f, counters %ld %ld\n", residual, packed[0].value, padded[threads - 1].value);
}
