// Every width, every operation, compare-exchange loops, and a spin on a flag.
#include <atomic>
#include "threads.h"
struct alignas(16) Pair {
  long low, high;
};
std::atomic<unsigned char> byte{0};
std::atomic<short> half{0};
std::atomic<int> word{0};
std::atomic<long> quad{0};
alignas(16) __int128 pair_words = 0;
std::atomic<int> ready{0}, greatest{0};
std::atomic_flag flag = ATOMIC_FLAG_INIT;
int guarded;
static void* work(void* number) {
  const int me = static_cast<int>(reinterpret_cast<long>(number));
  ready++;
  while (ready.load() < 4) {
  }
  for (int i = 0; i < 10; i++) {
    byte.fetch_add(1);
    half.fetch_sub(1);
    word.fetch_xor(1 << me);
    quad.fetch_or(1L << (me + 32));
    quad.fetch_and(~(1L << me));
    for (__int128 old = __atomic_load_n(&pair_words, __ATOMIC_SEQ_CST);
         !__atomic_compare_exchange_n(&pair_words, &old, old + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);) {
    }
    for (int seen = greatest.load(); seen < i * 4 + me && !greatest.compare_exchange_weak(seen, i * 4 + me);) {
    }
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
    guarded++;
    flag.clear(std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  return nullptr;
}
int main() {
  run_threads(4, work);
  return byte == 40 && half == -40 && word == 0 && pair_words == 40 && greatest == 39 && guarded == 40 ? 0 : 1;
}
