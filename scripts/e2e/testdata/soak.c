// A process of which nothing stays as it is: about 1,000 threads a second come
// and go, a library is loaded, called and unloaded a hundred times a second, and
// a child is forked as often, which ends at once.
//   soak LIBRARY
// With -DLIBRARY it is the library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

#ifdef LIBRARY
__attribute__((noinline)) void run(void) {
  for (int i = 0; i < 30000; i++) sink += i;
}
#else

static __attribute__((noinline)) void leaf(void) { usleep(1500); sink++; }
static __attribute__((noinline)) void *brief(void *a) { leaf(); sink++; return a; }

static void *loads(void *path) {
  for (;;) {
    void *h = dlopen(path, RTLD_NOW);
    if (!h) exit(3);
    ((void (*)(void))dlsym(h, "run"))();
    dlclose(h);
    usleep(9000);
  }
}

static void *forks(void *a) {
  for (;;) {
    pid_t p = fork();
    if (p == 0) _exit(0);
    waitpid(p, 0, 0);
    usleep(9000);
  }
  return a;
}

int main(int argc, char **argv) {
  pthread_t loader, forker, t[32];
  if (argc < 2 || pthread_create(&loader, 0, loads, argv[1]) || pthread_create(&forker, 0, forks, 0)) return 2;
  puts("ready"); fflush(stdout);
  for (;;) {
    for (int i = 0; i < 32; i++) if (pthread_create(&t[i], 0, brief, 0)) return 4;
    for (int i = 0; i < 32; i++) pthread_join(t[i], 0);
  }
}
#endif
