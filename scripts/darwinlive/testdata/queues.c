// Two serial queues of one label, and the main queue, each with a thread that
// works for it. Labels and numbers are printed as the program itself reads them.
#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int busy;

static void tell(void *queue) {
	const uint16_t *offsets = dlsym(RTLD_DEFAULT, "dispatch_queue_offsets");
	printf("queue %s %lu\n", dispatch_queue_get_label(queue), *(unsigned long *)((char *)queue + offsets[5]));
}

__attribute__((noinline)) static void work(void) {
	busy++;
	for (;;)
		usleep(50000);
}

int main(void) {
	for (int i = 0; i < 2; i++) {
		dispatch_queue_t q = dispatch_queue_create("com.example.twin", DISPATCH_QUEUE_SERIAL);
		tell(q);
		dispatch_async(q, ^{ work(); });
	}
	tell(dispatch_get_main_queue());
	while (busy < 2)
		usleep(1000);
	printf("%d ready\n", getpid());
	fflush(stdout);
	work();
}
