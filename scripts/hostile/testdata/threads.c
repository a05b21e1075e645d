// threads N: N threads that wait for a condition on stacks of 64 KB, and one that
// records the longest gap between two readings of the clock. It says how many it made
// and then, for each line that it reads, that gap since the last one, in ns.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_long longest;

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  return unused;
}

static void *watches(void *unused) {
  for (long last = now(), t;; last = t) {
    t = now();
    if (t - last > atomic_load(&longest)) atomic_store(&longest, t - last);
  }
  return unused;
}

int main(int argc, char **argv) {
  int want = atoi(argv[argc - 1]), made = 0;
  pthread_t thread;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  if (pthread_create(&thread, NULL, watches, NULL)) return 1;
  while (made < want && !pthread_create(&thread, &small, waits, NULL)) made++;
  printf("%d\n", made);
  fflush(stdout);
  while (getchar() == '\n') {
    printf("%ld\n", atomic_exchange(&longest, 0));
    fflush(stdout);
  }
  return 0;
}
