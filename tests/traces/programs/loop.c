/* 100 loads and 100 stores of `numbers`, 100 loads of `b` (which is also how C++ mangles the type bool). */
int numbers[100], b[100];
int main(void) {
  for (int i = 0; i < 100; i++) numbers[i] += b[i];
  return 0;
}
