// A process that sleeps in one system call for 60 s: sleepers NUMBER CALL
// It makes it by its number, as programs do that use no C library, and is built without
// one, so that it can be built for 32 bits as well. The sockets have a time limit. It says
// "ready" before the call, and after it how that ended: "ended EINTR" or "ended".
typedef unsigned long word;
typedef long sword;

#if defined(__x86_64__)
static sword call(word n, word a, word b, word c, word d, word e, word f) {
  register word r10 __asm__("r10") = d; register word r8 __asm__("r8") = e; register word r9 __asm__("r9") = f;
  sword r;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return r;
}
enum { WRITE = 1, EXIT = 60, SOCKETPAIR = 53, SOCKET = 41, BIND = 49, LISTEN = 50, SETSOCKOPT = 54, PIPE = 22, EPOLL = 213, SEMGET = 64, CONNECT = 42, GETSOCKNAME = 51, FCNTL = 72 };
#else
static sword call(word n, word a, word b, word c, word d, word e, word f) {
  word six[6] = {a, b, c, d, e, f};
  sword r;
  __asm__ volatile("push %%ebp; push %%ebx; mov 0(%%edx),%%ebx; mov 4(%%edx),%%ecx; mov 12(%%edx),%%esi; mov 16(%%edx),%%edi; mov 20(%%edx),%%ebp; mov 8(%%edx),%%edx; int $0x80; pop %%ebx; pop %%ebp"
                   : "=a"(r) : "a"(n), "d"(six) : "ecx", "esi", "edi", "memory");
  return r;
}
enum { WRITE = 4, EXIT = 1, SOCKETPAIR = 360, SOCKET = 359, BIND = 361, LISTEN = 363, SETSOCKOPT = 366, PIPE = 42, EPOLL = 254, SEMGET = 393, CONNECT = 362, GETSOCKNAME = 367, FCNTL = 55 };
#endif

static int is(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
static void say(const char *s) { int n = 0; while (s[n]) n++; call(WRITE, 1, (word)s, n, 0, 0, 0); }
static void limit(int fd) {
  sword t[2] = {60, 0};
  call(SETSOCKOPT, fd, 1, 20 /* SO_RCVTIMEO */, (word)t, sizeof t, 0);
  call(SETSOCKOPT, fd, 1, 21 /* SO_SNDTIMEO */, (word)t, sizeof t, 0);
}
static char bytes[1 << 20];
static void fill(int fd) {
  word flags = call(FCNTL, fd, 3, 0, 0, 0, 0);
  call(FCNTL, fd, 4, flags | 04000, 0, 0, 0);
  while (call(WRITE, fd, (word)bytes, sizeof bytes, 0, 0, 0) > 0) {}
  call(FCNTL, fd, 4, flags, 0, 0, 0);
}

__attribute__((used)) void start(word *stack) {
  char **argv = (char **)(stack + 1);
  word n = 0;
  for (char *s = argv[1]; *s; s++) n = 10 * n + *s - '0';
  const char *name = argv[2];
  int s[2], p[2], e = call(EPOLL, 8, 0, 0, 0, 0, 0);
  struct { short family; unsigned short port; unsigned addr; char zero[8]; } at = {2, 0, 0x0100007f, {0}};
  unsigned size = sizeof at;
  call(SOCKETPAIR, 1, 1, 0, (word)s, 0, 0);
  call(PIPE, (word)p, 0, 0, 0, 0, 0);
  limit(s[0]);
  struct { word base, length; } iov = {(word)bytes, sizeof bytes};
  struct { struct { word name; unsigned namelen; word iov, iovlen, control, controllen; unsigned flags; } m; unsigned length; } msg = {{0, 0, (word)&iov, 1, 0, 0, 0}, 0};
  word a[6] = {s[0], (word)bytes, sizeof bytes, 0, 0, 0};
  int out = 0, listener = -1;
  word limit60[2] = {60, 0};
  unsigned long long limits[2] = {60, 0}, none[2] = {0, 0};
  struct { unsigned short num; short op; short flag; } sem = {0, -1, 0};
  if (is(name, "accept") || is(name, "accept4") || is(name, "connect")) {
    listener = call(SOCKET, 2, 1, 0, 0, 0, 0);
    call(BIND, listener, (word)&at, sizeof at, 0, 0, 0);
    call(LISTEN, listener, 0, 0, 0, 0, 0);
    limit(listener);
    a[0] = listener, a[1] = a[2] = 0;
  }
  if (is(name, "connect")) {
    call(GETSOCKNAME, listener, (word)&at, (word)&size, 0, 0, 0);
    for (int i = 0; i < 2; i++) { // one more than the queue has room for
      int c = call(SOCKET, 2, 1 | 04000, 0, 0, 0, 0);
      call(CONNECT, c, (word)&at, sizeof at, 0, 0, 0);
    }
    a[0] = call(SOCKET, 2, 1, 0, 0, 0, 0);
    limit(a[0]);
    a[1] = (word)&at, a[2] = sizeof at;
  } else if (is(name, "epoll_wait")) a[0] = e, a[2] = 1, a[3] = 60000;
  else if (is(name, "epoll_pwait")) a[0] = e, a[2] = 1, a[3] = 60000;
  else if (is(name, "epoll_pwait2")) a[0] = e, a[2] = 1, a[3] = (word)limits;
  else if (is(name, "rt_sigtimedwait")) a[0] = (word)none, a[1] = 0, a[2] = (word)limit60, a[3] = 8;
  else if (is(name, "rt_sigtimedwait_time64")) a[0] = (word)none, a[1] = 0, a[2] = (word)limits, a[3] = 8;
  else if (is(name, "semop") || is(name, "semtimedop") || is(name, "semtimedop_time64")) {
    a[0] = call(SEMGET, 0, 1, 0600 | 01000, 0, 0, 0), a[1] = (word)&sem, a[2] = 1, a[3] = is(name, "semtimedop") ? (word)limit60 : is(name, "semop") ? 0 : (word)limits;
  } else if (is(name, "readv") || is(name, "writev")) a[1] = (word)&iov, a[2] = 1, out = is(name, "writev");
  else if (is(name, "preadv2") || is(name, "pwritev2")) a[1] = (word)&iov, a[2] = 1, a[3] = a[4] = -1, out = is(name, "pwritev2");
  else if (is(name, "recvmsg") || is(name, "sendmsg")) a[1] = (word)&msg.m, a[2] = 0, out = is(name, "sendmsg");
  else if (is(name, "recvmmsg") || is(name, "recvmmsg_time64") || is(name, "sendmmsg")) a[1] = (word)&msg, a[2] = 1, out = is(name, "sendmmsg");
  else if (is(name, "write") || is(name, "sendto")) out = 1;
  else if (is(name, "splice")) a[0] = s[0], a[1] = 0, a[2] = p[1], a[3] = 0, a[4] = 4096;
  else if (is(name, "socketcall")) { word *in = (word *)bytes; in[0] = s[0], in[1] = (word)bytes + 64, in[2] = 4096, in[3] = 0; a[0] = 10 /* recv */, a[1] = (word)in, a[2] = 0; }
  else if (is(name, "ipc")) { a[1] = call(SEMGET, 0, 1, 0600 | 01000, 0, 0, 0), a[0] = 1 /* SEMOP */, a[2] = 1, a[3] = 0, a[4] = (word)&sem; }
  else if (is(name, "pipe")) a[0] = p[0];
  if (out) fill(s[0]);
  say("ready\n");
  say(call(n, a[0], a[1], a[2], a[3], a[4], a[5]) == -4 ? "ended EINTR\n" : "ended\n");
  call(EXIT, 0, 0, 0, 0, 0, 0);
}
#if defined(__x86_64__)
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call start\n");
#else
__asm__(".globl _start\n_start: mov %esp, %eax\n push %eax\n push %eax\n call start\n");
#endif
