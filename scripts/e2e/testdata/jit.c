// A program that makes code at run time, two functions of it, and calls them in
// turn. It names them as JIT compilers do for perf:
//   jit FILE       (usually /tmp/perf-PID.map, for which FILE is "-")
// and also what is no such code: main, and all that there is.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
static const uint8_t code[] = {
    0x55, 0x48, 0x89, 0xe5,  // push rbp; mov rbp, rsp
    0x48, 0xff, 0xcf,        // dec rdi
    0x75, 0xfb,              // jnz -5
    0x5d, 0xc3,              // pop rbp; ret
};
#else
static const uint32_t code[] = {
    0xa9bf7bfd, 0x910003fd,  // stp x29, x30, [sp, #-16]!; mov x29, sp
    0xf1000400,              // subs x0, x0, #1
    0x54ffffe1,              // b.ne -4
    0xa8c17bfd, 0xd65f03c0,  // ldp x29, x30, [sp], #16; ret
};
#endif

typedef void function(uint64_t rounds);

int main(int argc, char **argv) {
  const size_t size = 1 << 16, apart = 1 << 13;
  uint8_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (argc != 2 || at == MAP_FAILED) return 1;
  memcpy(at, code, sizeof code);
  memcpy(at + apart, code, sizeof code);
  if (mprotect(at, size, PROT_READ | PROT_EXEC)) return 2;
  __builtin___clear_cache((char *)at, (char *)at + size);

  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE *map = fopen(strcmp(argv[1], "-") ? argv[1] : name, "w");
  if (!map) return 3;
  fprintf(map, "%lx %x everything\n", 0x1000UL, 1 << 20);
  fprintf(map, "%lx %x false main\n", (unsigned long)main, 1 << 12);
  fprintf(map, "%lx %zx first @fn a.js:1\n", (unsigned long)at, sizeof code);
  fprintf(map, "%lx %zx second;\x1b[31m\n", (unsigned long)at + apart, sizeof code);
  fclose(map);
  puts("ready");
  fflush(stdout);
  for (;;) {
    ((function *)(void *)at)(3000000);
    ((function *)(void *)(at + apart))(1000000);
  }
}
