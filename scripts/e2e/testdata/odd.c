// Programs that are hard to look at:
//   odd badsp    one thread spins with a stack pointer that points nowhere
//   odd exits N  starts and ends threads without pause, then exits after N ms
//   odd execs N  runs itself anew every N ms, for ever
//   odd churn    starts and ends threads without pause, for ever
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void ready(void) {
  puts("ready");
  fflush(stdout);
}

static void *bad_sp(void *arg) {
  ready();
  __asm__ volatile("mov $0x123456789000, %%rsp\n1: pause\n jmp 1b" ::: "memory");
  return arg;
}

static void *brief(void *arg) {
  struct timespec t = {0, 100000};
  nanosleep(&t, NULL);
  return arg;
}

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void churn(long until) {
  while (until < 0 || now_ms() < until) {
    pthread_t t[8];
    for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, brief, NULL);
    for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  long ms = argc > 2 ? atol(argv[2]) : 0;
  pthread_t t;
  if (strcmp(what, "badsp") == 0) {
    pthread_create(&t, NULL, bad_sp, NULL);
    pthread_join(t, NULL);
  } else if (strcmp(what, "exits") == 0) {
    ready();
    churn(now_ms() + ms);
  } else if (strcmp(what, "churn") == 0) {
    ready();
    churn(-1);
  } else if (strcmp(what, "execs") == 0) {
    if (argc == 3) ready();
    churn(now_ms() + ms);
    execl("/proc/self/exe", "odd", "execs", argv[2], "again", (char *)NULL);
  }
  return 1;
}
