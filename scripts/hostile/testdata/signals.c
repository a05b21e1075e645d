// signals FILE: threads that run, nap and wait, in a process that counts its signals in
// FILE: bytes 0 and 1 are how many SIGUSR1 and SIGUSR2, and a byte at 16 + V how many
// queued SIGRTMIN came with the value V.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

enum { values = 1 << 16 };
static _Atomic unsigned char *counts;

static void standard(int sig) { atomic_fetch_add(&counts[sig == SIGUSR2], 1); }

static void queued(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  if (info->si_code == SI_QUEUE) atomic_fetch_add(&counts[16 + info->si_value.sival_int % values], 1);
}

static void *runs(void *unused) {
  for (volatile long i = 0;; i++) {}
  return unused;
}

static void *naps(void *unused) {
  for (;;) usleep(500);
  return unused;
}

static void *waits(void *unused) {
  struct epoll_event event;
  for (int e = epoll_create1(0);;) epoll_wait(e, &event, 1, -1);
  return unused;
}

int main(int argc, char **argv) {
  (void)argc;
  int file = open(argv[1], O_RDWR);
  counts = mmap(NULL, 16 + values, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counts == MAP_FAILED) return 1;
  struct sigaction one = {.sa_handler = standard, .sa_flags = SA_RESTART};
  struct sigaction many = {.sa_sigaction = queued, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGUSR1, &one, NULL);
  sigaction(SIGUSR2, &one, NULL);
  sigaction(SIGRTMIN, &many, NULL);
  pthread_t thread;
  for (int i = 0; i < 6; i++) pthread_create(&thread, NULL, runs, NULL); // so that all are stopped together
  for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, naps, NULL);
  for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, waits, NULL);
  printf("ready\n");
  fflush(stdout);
  for (;;) pause();
}
