// A program that counts what it does, and how often each blocking call comes
// back with EINTR, in a file that it shares with whoever watches:
//   work FILE      (an array of int64: see enum slot)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>

enum slot { SENT, RECEIVED, SPUN, READ, FUTEX, NANOSLEEP, EPOLL, POLL, SELECT, PID, SLOTS };

static _Atomic int64_t *slots;
static int work[2], idle[2];

static void count(enum slot s) { atomic_fetch_add(&slots[s], 1); }

// The producer and the consumer move numbered items through a pipe: a lost or
// doubled one shows as a difference between SENT and RECEIVED, or in the number.
static void *producer(void *arg) {
  for (int64_t i = 0;; i++) {
    if (write(work[1], &i, sizeof i) != sizeof i) _exit(11);
    count(SENT);
  }
  return arg;
}

static void *consumer(void *arg) {
  for (int64_t want = 0, got;; want++) {
    if (read(work[0], &got, sizeof got) != sizeof got || got != want) _exit(12);
    count(RECEIVED);
  }
  return arg;
}

static void *spinner(void *arg) {
  for (;;) count(SPUN);
  return arg;
}

#define BLOCKED(name, slot, call)                   \
  static void *name(void *arg) {                    \
    for (;;)                                        \
      if ((call) < 0 && errno == EINTR) count(slot); \
    return arg;                                     \
  }
static int never;
static struct timespec hour = {3600, 0};
static struct epoll_event event;
static int epfd;
static fd_set none;
BLOCKED(in_read, READ, read(idle[0], &(char){0}, 1))
BLOCKED(in_futex, FUTEX, syscall(SYS_futex, &never, FUTEX_WAIT, 0, NULL, NULL, 0))
BLOCKED(in_nanosleep, NANOSLEEP, nanosleep(&hour, NULL))
BLOCKED(in_epoll, EPOLL, epoll_wait(epfd, &event, 1, -1))
BLOCKED(in_poll, POLL, poll(NULL, 0, -1))
BLOCKED(in_select, SELECT, select(0, &none, NULL, NULL, NULL))

int main(int argc, char **argv) {
  int fd = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, SLOTS * 8) || pipe(work) || pipe(idle)) return 1;
  slots = mmap(NULL, SLOTS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  slots[PID] = getpid();
  epfd = epoll_create1(0);
  void *(*run[])(void *) = {producer, consumer, spinner, in_read, in_futex,
                            in_nanosleep, in_epoll, in_poll, in_select};
  for (unsigned i = 0; i < sizeof run / sizeof *run; i++) {
    pthread_t t;
    if (pthread_create(&t, NULL, run[i], NULL)) return 2;
  }
  puts("ready");
  fflush(stdout);
  char c;
  return (int)read(0, &c, 1);
}
