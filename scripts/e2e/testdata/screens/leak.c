// A server that starts a thread for each session and never closes one.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// session serves one client until that closes its connection.
static void *session(void *fd) {
	char request[64];
	while (read(*(int *)fd, request, sizeof request) != 0) {
	}
	return 0;
}

int main(int count, char **args) {
	static int fds[2];
	if (pipe(fds))
		return 1;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (int i = 0, n = count > 1 ? atoi(args[1]) : 1000; i < n; i++) {
		pthread_t t;
		if (pthread_create(&t, &small, session, &fds[0]))
			return 1;
	}
	for (;;) pause();
}
