// A process of many threads, each a few calls deep: threads N MODE [DEPTH]
// What it counts is in the file named by STACKSNAP_COUNTER, five 64-bit words:
// work done, calls interrupted (EINTR), SIGUSR1 and queued SIGRTMIN received, and
// those of the last that came without their value.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/ioctl.h>
#include <ucontext.h>
#include <linux/userfaultfd.h>
#include <time.h>
#include <unistd.h>

struct counters { atomic_ulong work, eintr, usr1, rt, bad; };
static struct counters *c;
static const char *mode;
static int depth = 10;

static void on_rt(int sig, siginfo_t *si, void *ctx) {
  (void)sig; (void)ctx;
  atomic_fetch_add(&c->rt, 1);
  if (si->si_code != SI_QUEUE || si->si_value.sival_int != 42) atomic_fetch_add(&c->bad, 1);
}
static void on_usr1(int sig) { (void)sig; atomic_fetch_add(&c->usr1, 1); }

static void leaf(void) {
  if (!strcmp(mode, "busy")) {
    for (;;) { for (volatile int i = 0; i < 1000; i++) {} atomic_fetch_add(&c->work, 1); }
  } else if (!strcmp(mode, "nap")) {
    for (;;) { usleep(1000); atomic_fetch_add(&c->work, 1); }
  } else if (!strcmp(mode, "epoll")) {
    int e = epoll_create1(0); struct epoll_event ev;
    for (;;) { if (epoll_wait(e, &ev, 1, -1) < 0 && errno == EINTR) atomic_fetch_add(&c->eintr, 1); }
  } else if (!strcmp(mode, "serve")) { // what follows the mark is 0 as long as it waits
    int e = epoll_create1(0); struct epoll_event ev; struct timespec t = {0, 50000};
    volatile unsigned long mark[2] = {0xfeedc0defeedc0de, 0};
    for (;;) {
      mark[1] = 0; syscall(441 /* epoll_pwait2 */, e, &ev, 1, &t, 0, 0); mark[1] = 1;
      for (volatile int i = 0; i < 1000; i++) {} atomic_fetch_add(&c->work, 1);
    }
  } else if (!strcmp(mode, "read")) {
    int p[2]; char b; if (pipe(p)) exit(3);
    for (;;) { if (read(p[0], &b, 1) < 0 && errno == EINTR) atomic_fetch_add(&c->eintr, 1); }
  } else if (!strcmp(mode, "nanosleep")) {
    struct timespec t = {1000, 0};
    for (;;) { if (nanosleep(&t, 0) < 0 && errno == EINTR) atomic_fetch_add(&c->eintr, 1); }
  } else if (!strcmp(mode, "rouse")) { // sleeps so until standard input ends, and then so that it cannot be stopped
    int e = epoll_create1(0); struct epoll_event ev = {.events = EPOLLIN};
    epoll_ctl(e, EPOLL_CTL_ADD, 0, &ev);
    while (epoll_wait(e, &ev, 1, -1) != 1) {}
    if (!vfork()) { prctl(PR_SET_PDEATHSIG, SIGKILL); pause(); _exit(0); }
  } else if (!strcmp(mode, "vfork")) {
    for (;;) { pid_t p = vfork(); if (!p) { prctl(PR_SET_PDEATHSIG, SIGKILL); pause(); _exit(0); } waitpid(p, 0, 0); atomic_fetch_add(&c->work, 1); }
  } else {
    for (;;) pause();
  }
}
static __attribute__((noinline)) void down(int n) {
  volatile char pad[64]; pad[0] = (char)n;
  if (n > 0) down(n - 1);
  else leaf();
  pad[1] = pad[0];
}
static void *run(void *a) { (void)a; prctl(PR_SET_NAME, "a (b) c)"); down(depth); return 0; }

static void *shortlived(void *a) { (void)a; atomic_fetch_add(&c->work, 1); usleep(200); return 0; }
static void *churn(void *a) {
  pthread_t t[4];
  while (!a) {
    for (int i = 0; i < 4; i++)
      if (pthread_create(&t[i], 0, shortlived, 0)) t[i] = 0;
    for (int i = 0; i < 4; i++)
      if (t[i]) pthread_join(t[i], 0);
  }
  return 0;
}
// on_holes goes on in fn, on a stack above which, in the same mapping, there are
// pages that nobody provides: 3 says that the system does not let us have such.
static void on_holes(void (*fn)(void)) {
  enum { SIZE = 256 << 10 };
  char *s = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(s, 1, SIZE / 2);
  int u = syscall(SYS_userfaultfd, O_CLOEXEC);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register all = {.range = {(unsigned long)s, SIZE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (u < 0 || ioctl(u, UFFDIO_API, &api) || ioctl(u, UFFDIO_REGISTER, &all)) exit(3);
  static ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = s; there.uc_stack.ss_size = SIZE / 2;
  makecontext(&there, fn, 0);
  swapcontext(&here, &there);
}
static void said(void) { puts("ready"); fflush(stdout); down(depth); }

static void wait_for_usr1(void) { while (!atomic_load(&c->usr1)) usleep(100); }
static void *execsoon(void *a) { (void)a; wait_for_usr1(); execl("/bin/sleep", "sleep", "100", (char *)0); return 0; }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  mode = argc > 2 ? argv[2] : "sleep";
  if (argc > 3) depth = atoi(argv[3]);
  const char *f = getenv("STACKSNAP_COUNTER");
  c = f ? mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open(f, O_RDWR), 0) : calloc(1, 4096);
  if (c == MAP_FAILED) return 2;
  struct sigaction sa = {0};
  sa.sa_sigaction = on_rt; sa.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGRTMIN, &sa, 0);
  sa.sa_handler = on_usr1; sa.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &sa, 0);
  pthread_attr_t at; pthread_attr_init(&at); pthread_attr_setstacksize(&at, 128 << 10);
  pthread_t t;
  for (int i = 1; i < n; i++) if (pthread_create(&t, &at, !strcmp(mode, "churn") ? churn : run, 0)) return 4;
  if (!strcmp(mode, "exec")) pthread_create(&t, &at, execsoon, 0);
  if (!strcmp(mode, "holes")) on_holes(said);
  puts("ready"); fflush(stdout);
  if (!strcmp(mode, "leaderexit")) pthread_exit(0);
  if (!strcmp(mode, "exit")) { wait_for_usr1(); exit(0); }
  if (!strcmp(mode, "garbage")) {
#if defined(__x86_64__)
    __asm__ volatile("mov $0x10, %%rsp\n1: jmp 1b" ::: "memory");
#else
    __asm__ volatile("mov sp, %0\n1: b 1b" :: "r"(0x10UL) : "memory");
#endif
  }
  if (!strcmp(mode, "churn")) churn(0);
  down(depth);
  return 0;
}
