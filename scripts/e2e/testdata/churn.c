// A process that does not stay as it is:
//   churn threads           about 1,000 threads a second, each a few functions deep
//   churn dlopen A B [...]  loads, calls and unloads two libraries in turn; a
//                           thread for each further two
//   churn exec              computes, and becomes another program on SIGUSR1
//   churn fork              forks children that end at once, hundreds a second
//   churn spin              wants a processor for itself
// With -DLIB=NAME it is a library with one function, work_NAME.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static void spin_us(long us) { for (long t = now(); now() - t < us * 1000;) sink++; }

#ifdef LIB
#define PASTE(a, b) a##b
#define NAME(l) PASTE(work_, l)
// Two libraries of the same size: only the name tells them apart.
__attribute__((noinline)) void NAME(LIB)(void) {
  for (unsigned long i = 0; i < 300000; i++) sink += i;
  __asm__ volatile("" ::: "memory");
}
void run(void) { NAME(LIB)(); sink++; }
#else

static volatile sig_atomic_t told;
static void tell(int sig) { told = sig; }

static __attribute__((noinline)) void leaf(void) { spin_us(300); usleep(500); sink++; }
static __attribute__((noinline)) void *brief(void *a) { leaf(); sink++; return a; }

static __attribute__((noinline)) void with(const char *path) {
  void *h = dlopen(path, RTLD_NOW);
  if (!h) { fprintf(stderr, "%s\n", dlerror()); exit(3); }
  void (*run)(void) = (void (*)(void))dlsym(h, "run");
  run();
  dlclose(h);
}
// The caller's name says which library is under it.
static __attribute__((noinline)) void with_a(const char *p) { with(p); sink++; }
static __attribute__((noinline)) void with_b(const char *p) { with(p); sink++; }

static void *in_turn(void *libs) { for (char **l = libs;;) { with_a(l[0]); with_b(l[1]); } }

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "threads";
  signal(SIGUSR1, tell);
  puts("ready"); fflush(stdout);
  if (!strcmp(mode, "threads"))
    for (;;) {
      pthread_t t[2];
      for (int i = 0; i < 2; i++) if (pthread_create(&t[i], 0, brief, 0)) return 4;
      for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    }
  if (!strcmp(mode, "dlopen")) {
    for (int i = 4; i + 1 < argc; i += 2) {
      pthread_t t;
      if (pthread_create(&t, 0, in_turn, argv + i)) return 4;
    }
    in_turn(argv + 2);
  }
  if (!strcmp(mode, "exec")) { while (!told) sink++; execl(argv[0], argv[0], "threads", (char *)0); return 5; }
  if (!strcmp(mode, "spin"))
    for (;;) sink++;
  if (!strcmp(mode, "fork"))
    for (;;) {
      pid_t p = fork();
      if (p == 0) _exit(0);
      spin_us(1000);
      waitpid(p, 0, 0);
    }
  return 1;
}
#endif
