// A program in the situation that its argument names, for the first line of its
// report:
//
//	deadlock  two threads that wait for each other's mutex, and main for one of them
//	convoy    four threads that wait for the mutex that main has
//	lock      main waits for a mutex that another thread has
//	busy      main computes in one function
//	child     main waits for a child
//	idle      main waits in epoll_wait
//	pipe      main reads from a pipe
//	jit       main computes in code that it has made
//	fault     main touches memory that nobody provides (exits with 77 where it may not)
//	zombie    main waits for nothing, and does not ask for the child that has ended
//	crash     main writes where no memory is
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void ready(void) {
	printf("ready\n");
	fflush(stdout);
}

static void *forth(void *p) {
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&b);
	return p;
}

static void *back(void *p) {
	pthread_mutex_lock(&b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
	return p;
}

static void *waiter(void *p) {
	pthread_mutex_lock(&a);
	return p;
}

static void *holder(void *p) {
	pthread_setname_np(pthread_self(), "holder");
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	for (;;)
		pause();
	return p;
}

static pthread_t spawn(void *(*f)(void *)) {
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	return t;
}

static void deadlock(void) {
	pthread_barrier_init(&both, 0, 2);
	pthread_t t = spawn(forth);
	spawn(back);
	pthread_join(t, 0);
}

static void convoy(void) {
	pthread_mutex_lock(&a);
	for (int i = 0; i < 4; i++)
		spawn(waiter);
	for (;;)
		pause();
}

static void lock(void) {
	pthread_barrier_init(&both, 0, 2);
	spawn(holder);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
}

static volatile uint64_t sink;

__attribute__((noinline)) static void burn(void) {
	for (;;)
		sink++;
}

static void child(void) {
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	wait(0);
}

static void idle(void) {
	struct epoll_event e;
	for (int set = epoll_create1(0);;) // a sample may end the wait
		epoll_wait(set, &e, 1, -1);
}

static void readPipe(void) {
	int fd[2];
	char c;
	if (pipe(fd) == 0 && read(fd[0], &c, 1) > 0)
		sink++;
}

static void jit(void) {
#if defined(__x86_64__)
	static const uint8_t code[] = {0xeb, 0xfe}; // jmp to itself
#elif defined(__aarch64__)
	static const uint8_t code[] = {0x00, 0x00, 0x00, 0x14}; // b to itself
#endif
	void *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(p, code, sizeof code);
	__builtin___clear_cache(p, (char *)p + sizeof code);
	((void (*)(void))p)();
}

enum { SKIP = 77, PAGE = 65536 }; // of the largest size

static void fault(void) {
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	char *p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register r = {.range = {(uintptr_t)p, PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &r))
		_exit(SKIP);
	ready();
	sink += *(volatile char *)p;
}

static void zombie(void) {
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	siginfo_t info;
	waitid(P_PID, child, &info, WEXITED | WNOWAIT); // until it is one
	ready();
	for (;;)
		pause();
}

__attribute__((noinline)) static void crash(void) {
	*(volatile int *)0x10 = 1;
}

int main(int argc, char **argv) {
	static const struct {
		const char *name;
		void (*be)(void);
		int late; // it says itself when it is ready
	} all[] = {{"deadlock", deadlock}, {"convoy", convoy}, {"lock", lock}, {"busy", burn},
		{"child", child}, {"idle", idle}, {"pipe", readPipe}, {"jit", jit}, {"fault", fault, 1},
		{"zombie", zombie, 1}, {"crash", crash}};
	for (unsigned i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
		if (strcmp(argv[1], all[i].name) == 0) {
			if (!all[i].late)
				ready();
			all[i].be();
		}
	return 1;
}
