// A process of N threads, 20 calls deep, that counts what it gets done:
//   work N
// The first thread computes all the time, the others compute for 100 us and then
// sleep for 2 ms. For each line on stdin it prints a line: the units of work done
// and the nanoseconds of CPU time used so far, and for how many nanoseconds, by the
// first thread's clock, one of its units took since the line before: of two hundred all
// but one no longer than that, and the longest.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong units;
static volatile unsigned long sink;
static atomic_ulong took[4096]; // so many units by microseconds, longer ones last
static atomic_long longest;

static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static void count(long ns) {
  atomic_fetch_add(&took[ns / 1000 < 4095 ? ns / 1000 : 4095], 1);
  if (ns > atomic_load(&longest)) atomic_store(&longest, ns);
}
static long usual(void) { // and forgets
  unsigned long all = 0, sum = 0, at = 0, n[4096];
  for (int i = 0; i < 4096; i++) all += n[i] = atomic_exchange(&took[i], 0);
  while (at < 4095 && (sum += n[at]) < all - all / 200) at++;
  return (at + 1) * 1000;
}

static __attribute__((noinline)) void compute(void) {
  for (int i = 0; i < 20000; i++) sink += i;
  atomic_fetch_add(&units, 1);
}
static __attribute__((noinline)) void serve(int sleeps) {
  for (long at = now();;) {
    for (int i = 0; i < 4; i++) {
      compute();
      if (sleeps) continue;
      long t = now();
      count(t - at);
      at = t;
    }
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
    printf("%lu %ld %ld %ld\n", atomic_load(&units), cpu.tv_sec * 1000000000L + cpu.tv_nsec, usual(), atomic_exchange(&longest, 0));
    fflush(stdout);
  }
  return 0;
}
