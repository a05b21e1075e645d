// A program that starts three workers and waits for them. They end when standard
// input does.
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_end(void) {
  char c;
  while (read(0, &c, 1) > 0)
    ;
}

__attribute__((noinline)) static void first(void) { wait_for_end(); __asm__ volatile(""); }
__attribute__((noinline)) static void second(void) { wait_for_end(); __asm__ volatile(""); }
__attribute__((noinline)) static void third(void) { wait_for_end(); __asm__ volatile(""); }

int main(void) {
  void (*work[])(void) = {first, second, third};
  for (int i = 0; i < 3; i++) {
    if (fork() == 0) {
      work[i]();
      _exit(0);
    }
  }
  while (wait(NULL) > 0)
    ;
  return 0;
}
