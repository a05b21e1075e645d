// A client that waits for a server in one of several ways, while the server does something
// else. The server is the process that is started; it prints "ready". Arguments: how, and
// a file to lock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t *shared;

__attribute__((noinline)) static void serving(void) {
	for (;;)
		pause();
}

static int address(struct sockaddr_un *a) {
	memset(a, 0, sizeof *a);
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "stacksnap-served-%d", getpid());
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int isChild(void) {
	if (fork())
		return 0;
	prctl(PR_SET_NAME, "client");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return 1;
}

static void byUnix(const char *file) {
	char c;
	struct sockaddr_un a;
	int listener = address(&a), fd;
	bind(listener, (void *)&a, sizeof a);
	listen(listener, 1);
	if (isChild()) {
		close(listener);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		connect(fd, (void *)&a, sizeof a);
		read(fd, &c, 1);
	} else
		accept(listener, 0, 0);
}

static void byPipe(const char *file) {
	char c;
	int p[2];
	pipe(p);
	if (isChild()) {
		close(p[1]);
		read(p[0], &c, 1);
	} else
		close(p[0]);
}

static void byFile(const char *file) {
	flock(open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600), LOCK_EX);
	if (isChild())
		flock(open(file, O_RDWR), LOCK_EX);
}

static void byMutex(const char *file) {
	pthread_mutexattr_t m;
	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutex_init(shared, &m);
	pthread_mutex_lock(shared);
	if (isChild())
		pthread_mutex_lock(shared);
}

int main(int argc, char **argv) {
	static const struct {
		const char *name;
		void (*run)(const char *);
	} ways[] = { { "unix", byUnix }, { "pipe", byPipe }, { "flock", byFile }, { "mutex", byMutex } };
	for (int i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			ways[i].run(argv[2]);
	puts("ready");
	fflush(stdout);
	serving();
}
