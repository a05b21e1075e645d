// A program with N threads, each 50 calls deep, whose innermost call does what
// the second argument says. It prints "ready" when every thread is there.
//   deep THREADS spin|read|futex|nanosleep|epoll|vdso|signal|altstack
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int (*leaf_fn)(int);

static atomic_int arrived;
static int pipe_fd[2];
static leaf_fn leaf, in_handler;
static volatile int never;

static void arrive(void) { atomic_fetch_add(&arrived, 1); }

__attribute__((noinline)) int leaf_spin(int x) {
  arrive();
  while (!never) x = x * 31 + 7;
  return x;
}

__attribute__((noinline)) int leaf_read(int x) {
  char c;
  arrive();
  return x + (int)read(pipe_fd[0], &c, 1);
}

__attribute__((noinline)) int leaf_futex(int x) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&m);
  arrive();
  while (!never) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return x;
}

__attribute__((noinline)) int leaf_nanosleep(int x) {
  struct timespec t = {3600, 0};
  arrive();
  nanosleep(&t, NULL);
  return x + never;
}

__attribute__((noinline)) int leaf_epoll(int x) {
  struct epoll_event e;
  int fd = epoll_create1(0);
  arrive();
  while (!never) epoll_wait(fd, &e, 1, -1);
  return x;
}

__attribute__((noinline)) int leaf_vdso(int x) {
  struct timespec t;
  arrive();
  while (!never) {
    clock_gettime(CLOCK_MONOTONIC, &t);
    x += (int)t.tv_nsec;
  }
  return x;
}

static void handler(int sig) { never += in_handler(sig) & 0; }

__attribute__((noinline)) int leaf_signal(int x) {
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_handler = handler;
  sigaction(SIGUSR1, &sa, NULL);
  in_handler = leaf_read;
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
  return x + never;
}

__attribute__((noinline)) int leaf_altstack(int x) {
  struct sigaction sa;
  stack_t ss;
  memset(&sa, 0, sizeof sa);
  memset(&ss, 0, sizeof ss);
  ss.ss_size = 1 << 16;
  ss.ss_sp = malloc(ss.ss_size);
  sigaltstack(&ss, NULL);
  sa.sa_handler = handler;
  sa.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &sa, NULL);
  in_handler = leaf_read;
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
  return x + never;
}

// Each step keeps values alive across the call, so that there are registers to
// save and no tail call to make.
#define STEP(n, next)                                      \
  __attribute__((noinline)) int step##n(int a) {           \
    volatile int keep[1 + n % 7];                          \
    keep[0] = a + n;                                       \
    int b = a * 3 + never, c = a ^ n;                      \
    int r = next(b + c);                                   \
    return r + b * c + keep[0];                            \
  }
__attribute__((noinline)) int call_leaf(int a) { return leaf(a) + a; }
#define TEN(d, e, next)                                                       \
  STEP(e##0, next) STEP(d##9, step##e##0) STEP(d##8, step##d##9)              \
  STEP(d##7, step##d##8) STEP(d##6, step##d##7) STEP(d##5, step##d##6)        \
  STEP(d##4, step##d##5) STEP(d##3, step##d##4) STEP(d##2, step##d##3)        \
  STEP(d##1, step##d##2)
TEN(4, 5, call_leaf)
TEN(3, 4, step41)
TEN(2, 3, step31)
TEN(1, 2, step21)
STEP(10, step11) STEP(9, step10) STEP(8, step9) STEP(7, step8) STEP(6, step7)
STEP(5, step6) STEP(4, step5) STEP(3, step4) STEP(2, step3) STEP(1, step2)

static void *worker(void *arg) {
  return (void *)(long)step1((int)(long)arg);
}

static const struct { const char *name; leaf_fn fn; } leaves[] = {
    {"spin", leaf_spin},   {"read", leaf_read},         {"futex", leaf_futex},
    {"epoll", leaf_epoll}, {"nanosleep", leaf_nanosleep}, {"vdso", leaf_vdso},
    {"signal", leaf_signal}, {"altstack", leaf_altstack},
};

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 8;
  for (size_t i = 0; argc > 2 && i < sizeof leaves / sizeof *leaves; i++)
    if (strcmp(leaves[i].name, argv[2]) == 0) leaf = leaves[i].fn;
  if (!leaf || pipe(pipe_fd)) return 2;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 256 << 10);
  for (long i = 0; i < n; i++) {
    pthread_t t;
    if (pthread_create(&t, &attr, worker, (void *)i)) return 3;
    char name[32];
    snprintf(name, sizeof name, "worker %ld", i);
    name[15] = 0;
    pthread_setname_np(t, name);
  }
  while (atomic_load(&arrived) < n) usleep(1000);
  puts("ready");
  fflush(stdout);
  char c;
  return (int)read(0, &c, 1);
}
