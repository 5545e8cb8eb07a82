// std::barrier, std::latch, std::counting_semaphore, std::atomic::wait, std::call_once, a static local.
#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>
std::barrier phase_end(4);
std::latch started(4);
std::counting_semaphore<4> places(2);
std::atomic<int> turn{0};
std::once_flag once;
int cells[4], calls;
int first() {
  static int value = 40 + ++calls;
  return value;
}
int main() {
  std::vector<std::thread> threads;
  for (int me = 0; me < 4; ++me)
    threads.emplace_back([me] {
      started.arrive_and_wait();
      std::call_once(once, [] { ++calls; });
      for (int phase = 0; phase < 5; ++phase) {
        for (int i = 0; i < 100 * me; ++i) cells[me]++;
        phase_end.arrive_and_wait();
      }
      places.acquire();
      cells[me] += first();
      places.release();
      for (int seen; (seen = turn.load()) != me;) turn.wait(seen);
      turn.store(me + 1);
      turn.notify_all();
    });
  for (auto& thread : threads) thread.join();
  return calls == 2 && turn == 4 ? 0 : 1;
}
