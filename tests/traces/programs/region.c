#include <mesim/region.h>
int before[3], within[5], after[7];
int main(void) {
  for (int i = 0; i < 3; i++) before[i]++;
  mesim_region_begin();
  for (int i = 0; i < 5; i++) within[i]++;
  mesim_region_end();
  for (int i = 0; i < 7; i++) after[i]++;
  return 0;
}
