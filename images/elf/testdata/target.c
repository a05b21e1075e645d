// The program that the tests of Load look at. It prints what it knows of
// itself, then waits until its input ends.
//
//	target                     nothing more
//	target open FILE...        after dlopen of each FILE
//	target map FILE OFF SIZE   after mapping a part of FILE readable and executable
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef WITH_DL
#include <dlfcn.h>
#endif

__attribute__((noinline)) int marker(int n) { return n + 1; }

static void map(char **argv) {
	int fd = open(argv[2], O_RDONLY);
	void *p = mmap(0, atol(argv[4]), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, atol(argv[3]));
	printf("map %lx\n", p == MAP_FAILED ? 0 : (unsigned long)p);
}

#ifdef WITH_DL
static void open_libraries(char **names) {
	for (; *names; names++) {
		void *h = dlmopen(LM_ID_NEWLM, *names, RTLD_NOW);
		printf("marker %lx\n", h ? (unsigned long)dlsym(h, "library_marker") : 0);
	}
}
#endif

int main(int argc, char **argv) {
	printf("main %lx\n", (unsigned long)&marker);
	printf("vdso %lx\n", getauxval(AT_SYSINFO_EHDR));
	if (argc > 4 && !strcmp(argv[1], "map"))
		map(argv);
#ifdef WITH_DL
	printf("libc %lx\n", (unsigned long)dlsym(RTLD_DEFAULT, "getpid"));
	if (argc > 2 && !strcmp(argv[1], "open"))
		open_libraries(argv + 2);
#endif
	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return marker(argc) == 0;
}
