// Heap blocks by the function that asked for them.
#include <cstdlib>
#include <vector>
std::vector<int> make_numbers() { return std::vector<int>(1000, 3); }
int* make_large() { return static_cast<int*>(std::malloc(1 << 20)); }
int main() {
  auto numbers = make_numbers();
  int* large = make_large();
  for (int i = 0; i < 1000; ++i) large[i * 16] = numbers[static_cast<unsigned>(i)];
  const int last = large[999 * 16];
  std::free(large);
  return last == 3 ? 0 : 1;
}
