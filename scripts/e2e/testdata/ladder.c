// A process that computes in ever other calls of known functions:
//   ladder [THREADS]
// Each thread keeps the names of the functions that it is in, outermost first, behind a
// mark in its outermost frame: a letter is there from before the call until after it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 30 };
struct trail { volatile unsigned long long mark; volatile long depth; volatile char names[MOST + 2]; };

static unsigned next(unsigned *x) { *x ^= *x << 13; *x ^= *x >> 17; *x ^= *x << 5; return *x; }
static void climb(struct trail *t, unsigned *x);

// Functions of different frames: with a variable array (a frame pointer), and with
// several kept registers.
#define STEP(name, size) static __attribute__((noinline, noclone)) void step_##name(struct trail *t, unsigned *x) { \
  volatile char room[size]; room[0] = 1; \
  for (volatile int i = 0; i < 2000; i++) {} \
  climb(t, x); \
  for (volatile int i = 0; i < 2000; i++) {} \
  room[0] = 2; }
STEP(a, 16) STEP(b, 64) STEP(c, 16 + next(x) % 100) STEP(d, 8) STEP(e, 200)

static __attribute__((always_inline)) inline void call(struct trail *t, unsigned *x, int which) {
  t->names[t->depth] = "abcde"[which];
  t->depth++;
  switch (which) {
  case 0: step_a(t, x); break;
  case 1: step_b(t, x); break;
  case 2: step_c(t, x); break;
  case 3: step_d(t, x); break;
  default: step_e(t, x);
  }
  t->depth--;
}
static __attribute__((noinline, noclone)) void climb(struct trail *t, unsigned *x) {
  while (t->depth < MOST && next(x) % 8 < 7) {
    call(t, x, next(x) % 5);
    if (next(x) % 3) return;
  }
}
static void *run(void *seed) {
  struct trail t = {0};
  t.mark = 0x1adde71adde71addULL;
  unsigned x = 88172645u + (unsigned)(long)seed;
  for (;;) climb(&t, &x);
}
int main(int argc, char **argv) {
  pthread_t id;
  for (long i = 1; i < (argc > 1 ? atoi(argv[1]) : 1); i++) if (pthread_create(&id, 0, run, (void *)i)) return 1;
  puts("ready"); fflush(stdout);
  run(0);
}
