// A process of N threads, 20 calls deep, that counts what it gets done:
//   work N
// The first thread computes all the time, the others compute for 100 us and then
// sleep for 2 ms. For each line on stdin it prints a line: the units of work done
// and the nanoseconds of CPU time used so far.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong units;
static volatile unsigned long sink;

static __attribute__((noinline)) void compute(void) {
  for (int i = 0; i < 20000; i++) sink += i;
  atomic_fetch_add(&units, 1);
}
static __attribute__((noinline)) void serve(int sleeps) {
  for (;;) {
    for (int i = 0; i < 4; i++) compute();
    if (sleeps) usleep(2000);
  }
}
static __attribute__((noinline)) void down(int n, int sleeps) {
  volatile char frame[100];
  frame[0] = (char)n;
  if (n > 0) down(n - 1, sleeps); else serve(sleeps);
  frame[1] = frame[0];
}
static void *run(void *sleeps) { down(20, sleeps != 0); return 0; }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  pthread_t t;
  for (int i = 0; i < n; i++) if (pthread_create(&t, 0, run, i ? &units : 0)) return 1;
  char line[16];
  puts("ready"); fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    printf("%lu %ld\n", atomic_load(&units), cpu.tv_sec * 1000000000L + cpu.tv_nsec);
    fflush(stdout);
  }
  return 0;
}
