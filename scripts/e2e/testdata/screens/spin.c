// A thread spins on a flag that nobody sets.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int config_loaded;

__attribute__((noinline)) static void await_config(void) {
	while (!atomic_load(&config_loaded)) {
	}
}

static void *serve(void *unused) {
	await_config();
	return unused;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, serve, 0);
	pthread_join(t, 0);
}
