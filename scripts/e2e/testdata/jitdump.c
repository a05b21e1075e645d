// A program that makes code at run time, two functions of it, and calls them in
// turn. It names them as JIT compilers do for perf, in a jitdump that it has mapped:
//   jitdump FOLDER
// The first one has lines; the second is said to be elsewhere, and then moved.
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
#define MACHINE EM_X86_64
static const uint8_t code[] = {
    0x55, 0x48, 0x89, 0xe5,  // push rbp; mov rbp, rsp
    0x48, 0xff, 0xcf,        // dec rdi
    0x75, 0xfb,              // jnz -5
    0x5d, 0xc3,              // pop rbp; ret
};
#else
#define MACHINE EM_AARCH64
static const uint32_t code[] = {
    0xa9bf7bfd, 0x910003fd,  // stp x29, x30, [sp, #-16]!; mov x29, sp
    0xf1000400,              // subs x0, x0, #1
    0x54ffffe1,              // b.ne -4
    0xa8c17bfd, 0xd65f03c0,  // ldp x29, x30, [sp], #16; ret
};
#endif

typedef void function(uint64_t rounds);

static FILE *out;

static void u32(uint32_t v) { fwrite(&v, sizeof v, 1, out); }
static void u64(uint64_t v) { fwrite(&v, sizeof v, 1, out); }
static void record(uint32_t kind, uint32_t size) { u32(kind), u32(16 + size), u64(1); }

static void load(uint64_t at, uint64_t index, const char *name) {
  record(0, 40 + strlen(name) + 1 + sizeof code);
  u32(getpid()), u32(getpid()), u64(at), u64(at), u64(sizeof code), u64(index);
  fwrite(name, strlen(name) + 1, 1, out);
  fwrite(code, sizeof code, 1, out);
}

static void line(uint64_t at, const char *file) {
  record(2, 16 + 16 + strlen(file) + 1);
  u64(at), u64(1), u64(at), u32(7), u32(0);
  fwrite(file, strlen(file) + 1, 1, out);
}

static void move(uint64_t from, uint64_t to, uint64_t index) {
  record(1, 48);
  u32(getpid()), u32(getpid()), u64(to), u64(from), u64(to), u64(sizeof code), u64(index);
}

int main(int argc, char **argv) {
  const size_t size = 1 << 16, apart = 1 << 13;
  uint8_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (argc != 2 || at == MAP_FAILED) return 1;
  memcpy(at, code, sizeof code);
  memcpy(at + apart, code, sizeof code);
  if (mprotect(at, size, PROT_READ | PROT_EXEC)) return 2;
  __builtin___clear_cache((char *)at, (char *)at + size);

  char name[4096];
  snprintf(name, sizeof name, "%s/jit-%d.dump", argv[1], (int)getpid());
  int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0644);
  if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) return 3;
  out = fdopen(fd, "w");
  u32(0x4a695444), u32(1), u32(40), u32(MACHINE), u32(0), u32(getpid()), u64(1), u64(0);
  load((uint64_t)main, 1, "false main");
  line((uint64_t)at, "/src/made.js");
  load((uint64_t)at, 2, "first @fn");
  load((uint64_t)at + 3 * apart, 3, "second;\x1b[31m");
  move((uint64_t)at + 3 * apart, (uint64_t)at + apart, 3);
  fflush(out);
  puts("ready");
  fflush(stdout);
  for (;;) {
    ((function *)(void *)at)(3000000);
    ((function *)(void *)(at + apart))(1000000);
  }
}
