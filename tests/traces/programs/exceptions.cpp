// An exception thrown in one thread and caught in another, and pthread_exit through frames with destructors.
#include <pthread.h>
#include <exception>
#include <stdexcept>
#include <thread>
std::exception_ptr carried;
int destroyed;
struct Counted {
  ~Counted() { ++destroyed; }
};
static void* leave(void*) {
  Counted counted;
  pthread_exit(nullptr);
}
int main() {
  std::thread thrower([] {
    Counted counted;
    try {
      throw std::runtime_error("carried");
    } catch (...) {
      carried = std::current_exception();
    }
  });
  thrower.join();
  pthread_t leaver;
  pthread_create(&leaver, nullptr, leave, nullptr);
  pthread_join(leaver, nullptr);
  try {
    std::rethrow_exception(carried);
  } catch (const std::runtime_error&) {
    return destroyed == 2 ? 0 : 1;
  }
}
