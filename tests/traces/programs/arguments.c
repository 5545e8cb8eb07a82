#include <stdio.h>
#include <stdlib.h>
int number;
int main(int count, char** arguments) {
  number = atoi(arguments[1]);
  printf("to standard output: %d of %d\n", number, count - 1);
  return number;
}
