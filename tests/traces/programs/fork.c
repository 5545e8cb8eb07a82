#include <sys/wait.h>
#include <unistd.h>
int in_parent[10], in_child[10];
int main(void) {
  const pid_t child = fork();
  for (int i = 0; i < 10; i++) (child == 0 ? in_child : in_parent)[i]++;
  if (child == 0) _exit(0);
  int status = 1;
  waitpid(child, &status, 0);
  return status;
}
