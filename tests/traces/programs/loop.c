/* 100 loads and 100 stores of `numbers`, 100 loads of `source`. */
int numbers[100], source[100];
int main(void) {
  for (int i = 0; i < 100; i++) numbers[i] += source[i];
  return 0;
}
