// Two serial queues that dispatch_sync onto each other, and the main thread onto
// one of them. A third queue dispatch_syncs onto the main queue.
#include "deadlock.h"

#include <dispatch/dispatch.h>
#include <stdatomic.h>

static _Atomic uint64_t on_x, on_y, on_z;
static atomic_int go;

__attribute__((noinline)) static void onto(dispatch_queue_t q) {
	while (!go)
		usleep(1000);
	dispatch_sync(q, ^{ puts("never"); });
}

int main(void) {
	dispatch_queue_t x = dispatch_queue_create("com.example.x", DISPATCH_QUEUE_SERIAL);
	dispatch_queue_t y = dispatch_queue_create("com.example.y", DISPATCH_QUEUE_SERIAL);
	dispatch_queue_t z = dispatch_queue_create("com.example.z", DISPATCH_QUEUE_SERIAL);
	dispatch_queue_t top = dispatch_get_main_queue();
	dispatch_async(x, ^{ on_x = own_id(); onto(y); });
	dispatch_async(y, ^{ on_y = own_id(); onto(x); });
	dispatch_async(z, ^{ on_z = own_id(); onto(top); });
	while (!on_x || !on_y || !on_z)
		usleep(1000);
	waits(own_id(), "queue", x, "com.example.x", on_x);
	waits(on_x, "queue", y, "com.example.y", on_y);
	waits(on_y, "queue", x, "com.example.x", on_x);
	waits(on_z, "queue", top, "com.apple.main-thread", own_id());
	circle(on_x, on_y);
	ready();
	go = 1;
	onto(x);
	return 0;
}
