// A process that spends known shares of its CPU time in known functions:
//   shares split            70 %, 20 % and 10 % in seventy, twenty and ten, in short
//                           turns of which chance says whose it is
//   shares phases FILE      phase0, phase1, phase2 in turn, 200 ms each; before one
//                           begins its number, and when that is (CLOCK_MONOTONIC, ns),
//                           go to the file, two long each time
//   shares periodic         1 ms: the first half in early, the second in late
//   shares calls            CPU time in user code (user) and in system calls (kernel),
//                           which it adds up in the comm of the process: user's percent
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>
#include <sys/prctl.h>

static volatile unsigned long sink;

static long cpu(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }

// spin counts without looking at a clock or at memory, so that all of it is in the
// caller. The functions are the same code, each at the start of a line of the cache:
// how long a turn takes depends on where in one the loop lies.
#define SPIN(n) for (unsigned long i = 0; i < (n); i++) __asm__ volatile("" : "+r"(i))
#define FUNCTION(name) static __attribute__((noinline, noclone, aligned(64))) void name(unsigned long n) { SPIN(n); __asm__ volatile("" ::: "memory"); }
FUNCTION(seventy) FUNCTION(twenty) FUNCTION(ten)
FUNCTION(phase0) FUNCTION(phase1) FUNCTION(phase2)
FUNCTION(early) FUNCTION(late) FUNCTION(user)
static __attribute__((noinline)) void kernel(int zero, int n) {
  static char buffer[1 << 16];
  while (n-- > 0) sink += read(zero, buffer, sizeof buffer);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "split";
  long used = cpu();
  seventy(20000000);
  unsigned long ms = 20000000.0 * 1e6 / (double)(cpu() - used); // turns in a millisecond
  puts("ready"); fflush(stdout);
  if (!strcmp(mode, "split"))
    for (unsigned long long x = 88172645463325252ULL;;) {
      x ^= x << 13; x ^= x >> 7; x ^= x << 17; // xorshift64 (Marsaglia)
      switch ((x >> 32) % 10) {
      case 0: ten(ms / 20); break;
      case 1: case 2: twenty(ms / 20); break;
      default: seventy(ms / 20);
      }
    }
  if (!strcmp(mode, "phases")) {
    static void (*const phases[])(unsigned long) = {phase0, phase1, phase2};
    int log = argc > 2 ? open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    for (long n = 0;; n = (n + 1) % 3) {
      long begin[2] = {n, now()};
      if (write(log, begin, sizeof begin) != sizeof begin) return 2;
      while (now() - begin[1] < 200000000L) phases[n](ms / 10);
    }
  }
  if (!strcmp(mode, "periodic"))
    for (;;) {
      while (now() % 1000000 < 500000) early(ms / 100);
      while (now() % 1000000 >= 500000) late(ms / 100);
    }
  if (!strcmp(mode, "calls")) {
    int zero = open("/dev/zero", O_RDONLY);
    long spent[2] = {0};
    for (long turn = 1;; turn++) {
      long a = cpu(); user(ms / 3);
      long b = cpu(); kernel(zero, 60);
      spent[0] += b - a; spent[1] += cpu() - b;
      if (turn % 500) continue;
      char percent[16];
      snprintf(percent, sizeof percent, "%.1f", 100.0 * spent[0] / (spent[0] + spent[1]));
      prctl(PR_SET_NAME, percent);
      spent[0] = spent[1] = 0;
    }
  }
  return 1;
}
