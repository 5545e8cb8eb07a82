#include <stdlib.h>
#include <string.h>
_Alignas(64) char from[256], to[256];
_Alignas(64) char text[64] = "twelve chars", copy[64];
int main(void) {
  memset(from, 7, 200);
  memcpy(to, from, 200);
  strcpy(copy, text);
  return (int)strlen(copy) == 12 && to[199] == 7 ? 0 : 1;
}
