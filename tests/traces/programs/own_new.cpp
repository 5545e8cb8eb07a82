// A program with an operator new of its own.
#include <cstdlib>
#include <new>
int news;
void* operator new(std::size_t bytes) {
  ++news;
  return std::malloc(bytes);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
int main() {
  int* volatile number = new int(4);
  delete number;
  return news == 1 ? 0 : 1;
}
