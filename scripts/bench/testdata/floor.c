// The least that a correct sampler of stacks must ask of the kernel:
//   floor PID each|task HZ SECONDS
// Threads are seized, told to stop, waited for as they come to stand, their
// registers and the used part of their stack copied, and let go: "each" as soon
// as it is copied, leaving alone those that have not run since they were copied;
// "task" all of them when all are copied. HZ 0: as fast as it goes. It prints the
// number of snapshots, the nanoseconds in which any thread stood, the longest of
// the stops, the CPU time used and the time taken. A thread that stood when it
// was looked at counts from the last look at which none did, or from the end of a
// sleep until one stood.
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined __x86_64__
#define SP(r) (r).rsp
#define PC(r) (r).rip
#else
#define SP(r) (r).sp
#define PC(r) (r).pc
#endif

enum { MAX_THREADS = 1024, MAX_MAPS = 8192, STACK = 64 << 10, RED_ZONE = 128, LOOKS = 3 };

struct thread {
  int tid, schedstat, call;
  int resting, waiting, have;
  unsigned long runs, base, length;
  struct user_regs_struct regs;
  char *stack;
};
static struct thread threads[MAX_THREADS], *todo[MAX_THREADS];
static int count, due;
static struct { unsigned long start, end; } maps[MAX_MAPS];
static int mapped;
static long stopped, longest, until;

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int open_file(int pid, int tid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
  return open(path, O_RDONLY);
}

static void list(int pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d)) && count < MAX_THREADS;) {
    struct thread *t = &threads[count];
    if ((t->tid = atoi(e->d_name)) == 0) continue;
    t->schedstat = open_file(pid, t->tid, "schedstat");
    t->call = open_file(pid, t->tid, "syscall");
    t->stack = malloc(STACK);
    memset(t->stack, 1, STACK);
    count++;
  }
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *f = fopen(path, "r");
  char line[4096];
  while (f && mapped < MAX_MAPS && fgets(line, sizeof line, f))
    if (sscanf(line, "%lx-%lx r", &maps[mapped].start, &maps[mapped].end) == 2) mapped++;
}

static unsigned long top(unsigned long sp) {
  int low = 0, high = mapped;
  while (low < high) {
    int mid = (low + high) / 2;
    if (maps[mid].end <= sp) low = mid + 1; else high = mid;
  }
  return low < mapped ? maps[low].end : sp;
}

static long copy_memory(int tid, char *to, unsigned long from, unsigned long n) {
  struct iovec local = {to, n}, remote = {(void *)from, n};
  return process_vm_readv(tid, &local, 1, &remote, 1, 0);
}

static void copy(struct thread *t) {
  struct iovec v = {&t->regs, sizeof t->regs};
  t->have = ptrace(PTRACE_GETREGSET, t->tid, NT_PRSTATUS, &v) == 0;
  t->base = SP(t->regs) - RED_ZONE;
  t->length = top(SP(t->regs)) - t->base;
  if (t->length > STACK) t->length = STACK;
  copy_memory(t->tid, t->stack, t->base, t->length);
}

static unsigned long runs(struct thread *t) {
  char b[128] = "";
  unsigned long n = 0;
  if (pread(t->schedstat, b, sizeof b - 1, 0) > 0) sscanf(b, "%*u %*u %lu", &n);
  return n;
}

// unchanged tells whether a thread is blocked where it was copied, with the same
// stack.
static int unchanged(struct thread *t) {
  static char now_there[STACK];
  char b[512] = "";
  unsigned long sp, pc;
  if (!t->have || pread(t->call, b, sizeof b - 1, 0) <= 0) return 0;
  if (sscanf(b, "%*d 0x%*x 0x%*x 0x%*x 0x%*x 0x%*x 0x%*x 0x%lx 0x%lx", &sp, &pc) != 2) return 0;
  if (sp != SP(t->regs) || pc != PC(t->regs)) return 0;
  long n = t->length - RED_ZONE;
  return copy_memory(t->tid, now_there, sp, n) == n && !memcmp(now_there, t->stack + RED_ZONE, n);
}

static int rests(struct thread *t) {
  unsigned long n = runs(t);
  if (t->resting && t->runs == n) return 1;
  t->resting = unchanged(t) && runs(t) == n;
  t->runs = n;
  return t->resting;
}

static void stood(long since) {
  long end = now(), d = end - since;
  if (d > longest) longest = d;
  if (since < until) d = end - until;
  stopped += d;
  until = end;
}

static struct thread *find(int tid) {
  for (int i = 0; i < due; i++) if (todo[i]->tid == tid) return todo[i];
  exit(1);
}

static long none;  // when no thread stood that is told to stop

static int take(int options) {
  int status;
  long asked = now();
  int tid = waitpid(-1, &status, __WALL | options);
  if (tid < 0 || (tid > 0 && !WIFSTOPPED(status))) exit(1);
  if (tid == 0) none = asked;
  return tid;
}

static int serve(int tid) {
  copy(find(tid));
  ptrace(PTRACE_DETACH, tid, 0, 0);
  stood(none);
  return 1;
}

static void each(void) {
  int waiting = 0, tid;
  for (int i = 0; i < due; i++) {
    if (ptrace(PTRACE_SEIZE, todo[i]->tid, 0, 0)) exit(1);
    if (waiting == 0) none = now();
    ptrace(PTRACE_INTERRUPT, todo[i]->tid, 0, 0);
    waiting++;
    for (int n = 0; n < LOOKS && waiting > 0; n++)
      if ((tid = take(WNOHANG)) > 0) waiting -= serve(tid);
  }
  while (waiting > 0) {
    if ((tid = take(WNOHANG)) == 0) {
      tid = take(0);
      none = now();
    }
    waiting -= serve(tid);
  }
}

static void task(void) {
  for (int i = 0; i < due; i++) if (ptrace(PTRACE_SEIZE, todo[i]->tid, 0, 0)) exit(1);
  long began = now();
  for (int i = 0; i < due; i++) ptrace(PTRACE_INTERRUPT, todo[i]->tid, 0, 0);
  for (int i = 0; i < due; i++) copy(find(take(0)));
  for (int i = 0; i < due; i++) ptrace(PTRACE_DETACH, todo[i]->tid, 0, 0);
  stood(began);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  int all = strcmp(argv[2], "task") == 0;
  long hz = atol(argv[3]), snapshots = 0;
  setpriority(PRIO_PROCESS, 0, -20);
  prctl(PR_SET_TIMERSLACK, 1);
  list(atoi(argv[1]));
  if (count == 0) return 1;
  long start = now(), end = start + (long)(atof(argv[4]) * 1e9);
  while (now() < end) {
    due = 0;
    for (int i = 0; i < count; i++) if (all || !rests(&threads[i])) todo[due++] = &threads[i];
    if (all) task(); else if (due > 0) each();
    snapshots++;
    if (hz == 0) continue;
    long interval = 1000000000L / hz, next = start + ((now() - start) / interval + 1) * interval;
    struct timespec t = {next / 1000000000L, next % 1000000000L};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);
  }
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  long cpu = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000L + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000L;
  printf("%ld %ld %ld %ld %ld\n", snapshots, stopped, longest, cpu, now() - start);
}
