// lives: processes that change while they are looked at. Times are in milliseconds
// of the clock.
//   lives run MS CODE     computes in running, and exits with that code
//   lives exec MS CODE    computes in before, then is "run MS CODE" by exec
//   lives spawn MS CODE   starts two times "run MS 0" and waits for them in waiting
//   lives fork MS CODE    forks, and the child computes in forked
//   lives load A B        loads, calls and unloads A in first, then B in second, all the time
#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#define COMPUTES(name) \
	__attribute__((noinline)) static void name(long ms) { \
		for (long end = now() + ms; now() < end;) \
			sink++; \
		sink++; \
	}
COMPUTES(running)
COMPUTES(before)
COMPUTES(forked)

static void ready(void) {
	printf("%d ready\n", getpid());
	fflush(stdout);
}

static char path[4096];

static void become(char *mode, char *ms, char *code) {
	char *args[] = {path, mode, ms, code, NULL};
	execv(path, args);
	_exit(99);
}

__attribute__((noinline)) static void waiting(int children) {
	while (children > 0)
		if (wait(NULL) > 0)
			children--;
	sink++;
}

#define LOADS(name, function) \
	__attribute__((noinline)) static void name(const char *library) { \
		void *handle = dlopen(library, RTLD_NOW); \
		void (*call)(void) = (void (*)(void))dlsym(handle, function); \
		if (call != NULL) \
			call(); \
		dlclose(handle); \
		sink++; \
	}
LOADS(first, "visit_first")
LOADS(second, "visit_second")

int main(int argc, char **argv) {
	uint32_t size = sizeof path;
	_NSGetExecutablePath(path, &size);
	if (argc != 4)
		return 98;
	if (!strcmp(argv[1], "load")) {
		ready();
		for (;;) {
			first(argv[2]);
			second(argv[3]);
		}
	}
	long ms = atol(argv[2]);
	if (!strcmp(argv[1], "run")) {
		ready();
		running(ms);
	} else if (!strcmp(argv[1], "exec")) {
		before(ms);
		become("run", argv[2], argv[3]);
	} else if (!strcmp(argv[1], "spawn")) {
		for (int i = 0; i < 2; i++)
			if (fork() == 0)
				become("run", argv[2], "0");
		waiting(2);
	} else if (!strcmp(argv[1], "fork")) {
		if (fork() == 0) {
			ready();
			forked(ms);
			_exit(0);
		}
		waiting(1);
	}
	return atoi(argv[3]);
}
