package waits

import (
	"strings"
	"testing"

	"stacksnap/format/profile"
)

// stackOf makes a stack of a text, the innermost function first, as reports have it. Those behind
// ! are of the C library, the others of the program.
func stackOf(text string) (stack []*profile.Node) {
	program, libc := &profile.Image{Path: "/srv/shop", Main: true}, &profile.Image{Path: "/lib/libc.so.6"}
	for name := range strings.SplitSeq(text, " < ") {
		n := &profile.Node{Location: profile.Location{Image: program, Function: name}}
		if bare, isLibrary := strings.CutPrefix(name, "!"); isLibrary {
			n.Image, n.Function = libc, bare
		}
		stack = append([]*profile.Node{n}, stack...)
	}
	return stack
}

// TestProvesIdle: stacks as real programs have them, and whether they prove that a thread has
// nothing to do.
func TestProvesIdle(t *testing.T) {
	for _, c := range []struct {
		idle, parked bool // as the main thread, as another one
		call, stack  string
	}{
		// loops that are known
		{true, true, "epoll_wait", "!epoll_wait < ngx_epoll_process_events < ngx_process_events_and_timers < ngx_worker_process_cycle < ngx_spawn_process < main"},
		{true, true, "rt_sigsuspend", "!__GI___sigsuspend < ngx_master_process_cycle < main"},
		{true, true, "epoll_wait", "!epoll_wait < aeApiPoll < aeProcessEvents < aeMain < main"},
		{true, true, "epoll_pwait", "!epoll_pwait < uv__io_poll < uv_run < node::SpinEventLoopInternal(node::Environment*) < node::Start(int, char**) < main"},
		{true, true, "poll", "!__poll < g_main_context_iterate < g_main_loop_run < main"},
		{true, true, "epoll_wait", "!epoll_wait < event_base_loop < main"},
		{true, true, "mach_msg2", "mach_msg2_trap < mach_msg < __CFRunLoopServiceMachPort < __CFRunLoopRun < CFRunLoopRunSpecific < main"},
		{true, true, "epoll_wait", "!epoll_wait < WaitEventSetWait < secure_read < pq_recvbuf < pq_getbyte < PostgresMain < BackendStartup < ServerLoop < PostmasterMain < main"},

		// loops of the program's own
		{true, true, "epoll_wait", "!epoll_wait < main < !__libc_start_call_main < _start"},
		{true, true, "epoll_wait", "!epoll_wait < event_loop < main"},
		{true, true, "kevent", "!kevent < shop::Server::processEvents(int) < shop::run() < main"},
		{true, true, "pause", "!pause < main"},

		// it waits for something, in a loop or not
		{false, false, "epoll_wait", "!epoll_wait < WaitEventSetWaitBlock < WaitEventSetWait < WaitLatch < ProcSleep < LockAcquireExtended < LockAcquire < XactLockTableWait < heap_update < ExecUpdate < PostgresMain < ServerLoop < PostmasterMain < main"},
		{false, false, "epoll_pwait", "!epoll_pwait < uv__io_poll < uv_run < node::SyncProcessRunner::TryInitializeAndRunLoop(v8::Local<v8::Value>) < node::SyncProcessRunner::Spawn(v8::FunctionCallbackInfo<v8::Value> const&) < main"},
		{false, false, "mach_msg2", "mach_msg2_trap < __CFRunLoopRun < CFRunLoopRunSpecific < CFMessagePortSendRequest < main"},
		{false, false, "poll", "!__poll < g_main_context_iterate < g_main_loop_run < g_dbus_connection_call_sync < main"},
		{false, false, "futex", "syscall < std::sys::pal::unix::futex::futex_wait < std::sys::sync::mutex::futex::Mutex::lock_contended < shop::take < shop::main"},
		{false, false, "futex", "!futex_wait < std::sync::poison::mutex::Mutex<T>::lock < shop::serve_loop < shop::main"},
		{false, false, "futex", "!__futex_abstimed_wait_common64 < !__pthread_cond_wait < PlatformMutex::wait < ObjectMonitor::enter(JavaThread*) < WorkerThread::run()"},
		{false, false, "epoll_wait", "!epoll_wait < http_fetch < main"},
		{false, false, "epoll_wait", "!epoll_wait < step < run_loop < Client::waitForAnswer() < main"},
		{false, false, "futex", "runtime.futex < runtime.notesleep < runtime.stoplockedm < runtime.schedule"},

		// who knows
		{false, false, "epoll_wait", "!epoll_wait < step < main"},
		{false, false, "poll", "!__poll < event_loop < main"},
		{false, false, "futex", "!__futex_abstimed_wait_common64 < !__pthread_cond_wait < take < worker"},
		{false, false, "clock_nanosleep", "!clock_nanosleep < event_loop < main"},
		{false, false, "epoll_wait", ""},
		{false, false, "read", "!read < ngx_process_events_and_timers < main"}, // a call that waits for one thing

		// workers
		{false, true, "futex", "!__futex_abstimed_wait_common64 < !__pthread_cond_wait < ngx_thread_pool_cycle < !start_thread"},
		{false, true, "futex", "!futex_wait < bioProcessBackgroundJobs < !start_thread"},
		{false, true, "futex", "!futex_wait < Monitor::wait(long) < WorkerThread::run() < thread_native_entry(Thread*)"},
		{false, true, "futex", "runtime.futex.abi0 < runtime.futexsleep < runtime.notesleep < runtime.mPark < runtime.stopm < runtime.findRunnable < runtime.schedule"},
		{false, true, "accept", "!accept < take < main"},
	} {
		w, stack := &profile.Wait{Call: c.call, Receives: c.call == "mach_msg2"}, stackOf(c.stack)
		if idle, parked := ProvesIdle(w, stack), ProvesParked(w, stack); idle != c.idle || parked != c.parked {
			t.Errorf("%s, %s: idle %v, parked %v", c.call, c.stack, idle, parked)
		}
	}
	if ProvesIdle(&profile.Wait{Call: "epoll_wait", Peer: profile.Peer{PID: 7}}, stackOf("!epoll_wait < main")) {
		t.Error("it waits for another process")
	}
	known := stackOf("!__poll < g_main_context_poll < g_main_loop_run < main")
	if !ProvesIdle(&profile.Wait{Call: "poll", Peer: profile.Peer{PID: 7}}, known) {
		t.Error("a known loop waits for whatever comes next, though from one process")
	}
}

// TestRoles: a name says one thing, and is one that a frame can have.
func TestRoles(t *testing.T) {
	if n := len(knownLoops) + len(knownWorkers) + len(knownWaiters); n != len(roles()) {
		t.Errorf("%d names, %d in the table", n, len(roles()))
	}
	for name, want := range roles() {
		if got := roleOf([]*profile.Node{{Location: profile.Location{Function: name}}}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestRustMethods: the type of a method may be in brackets, which a trait's stays in.
func TestRustMethods(t *testing.T) {
	for name, want := range map[string]role{
		"<std::sys::sync::mutex::futex::Mutex>::lock_contended": waiterRole,
		"<std::sync::mpsc::Receiver<shop::Job<u8>>>::recv":      waiterRole,
		"std::sys::sync::mutex::futex::Mutex::lock_contended":   waiterRole,
		"<shop::Loop as core::ops::function::FnOnce<()>>::call": noRole,
		"<shop::Mutex as shop::Fn(u8) -> u8>::lock":             noRole,
		"<": noRole,
	} {
		if got := functionRole(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestWaiter: a known function that waits for something is named before those that it waits by.
func TestWaiter(t *testing.T) {
	for stack, want := range map[string]string{
		"!epoll_wait < WaitEventSetWaitBlock < WaitEventSetWait < WaitLatch < ProcSleep < LockAcquireExtended < LockAcquire < XactLockTableWait < heap_update < PostgresMain < main": "XactLockTableWait",
		"!epoll_wait < WaitEventSetWait < WaitLatch < ProcSleep < LockAcquire < heap_lock < XactLockTableWait < main":                                                                "LockAcquire",
		"!epoll_wait < WaitEventSetWait < WaitLatch < ProcSleep <  < LockAcquireExtended < XactLockTableWait <  < main":                                                              "XactLockTableWait",
		"!poll < !pqSocketCheck < !PQexec < fetch < main":                         "fetch",
		"!read < parse < load < main":                                             "parse",
		"!futex_wait < !std::mutex::lock() < transfer(Account&, Account&) < main": "transfer(Account&, Account&)",
		"!read < zread < read_builtin < execute_command_internal < main":          "read_builtin",
		"!read < zread <  < zreadc <  < read_builtin < main":                      "read_builtin",
		"!read < zread < main":                                                    "main",
		"!read < zread":                                                           "zread",
		"!read < zread < !qsort < sort_lines < main":                              "zread",
		"!epoll_wait": "",
	} {
		got := ""
		if n := Waiter(stackOf(stack)); n != nil {
			got = n.Function
		}
		if got != want {
			t.Errorf("%s: %q, want %q", stack, got, want)
		}
	}
}

// TestPurposes are those of functions that are known to wait for something.
func TestPurposes(t *testing.T) {
	for name, want := range purposes() {
		if roles()[name] != waiterRole || Purpose(name) != want || !strings.HasPrefix(want, "for ") {
			t.Errorf("%s: %q", name, want)
		}
	}
	if got := Purpose("MDL_context::acquire_lock(MDL_request*, unsigned long)"); got != "for a metadata lock" {
		t.Errorf("with parameters: %q", got)
	}
	if got := Purpose("PQexec"); got != "" {
		t.Errorf("of one whose purpose is not known: %q", got)
	}
}

// TestLookUp: by the functions of C libraries, or by the port of name servers alone.
func TestLookUp(t *testing.T) {
	const glibc = "!__GI___poll < !__res_context_send < !__res_context_query < !_nss_dns_gethostbyname4_r < !getaddrinfo < connect_to < main"
	for _, c := range []struct{ object, stack, by, server string }{
		{"fd 3 udp socket 127.0.0.1:5 to 127.0.0.7:53", glibc, "getaddrinfo", "127.0.0.7"},
		{"fd 3 tcp socket [::1]:5 to [::1]:53", glibc, "getaddrinfo", "::1"},
		{"fd 3 unix socket to /run/nscd/socket", "!__GI___poll < !__nscd_open_socket < !gethostbyname2_r@@GLIBC_2.2.5 < !gethostbyname2 < main", "gethostbyname2", ""},
		{"fd 3 udp socket 127.0.0.1:5 to 127.0.0.7:53", "!poll < c_ares_wait < main", "", "127.0.0.7"},
		{"fd 3 udp socket 127.0.0.1:5 to 127.0.0.7:53, fd 4 pipe:[7]", "!poll < main", "", ""},
		{"fd 3 udp socket 127.0.0.1:5 to 127.0.0.7:5353", "!poll < main", "", ""},
		{"fd 3 pipe:[7]", "!read < main", "", ""},
	} {
		by, server := LookUp(&profile.Wait{Call: "poll", Object: c.object}, stackOf(c.stack))
		name := ""
		if by != nil {
			name = by.Function
		}
		if name != c.by || server != c.server {
			t.Errorf("%s on %s: by %q, server %q", c.object, c.stack, name, server)
		}
	}
	if by, server := LookUp(&profile.Wait{Call: "futex", Lock: profile.Mutex}, stackOf("!getaddrinfo < main")); by != nil || server != "" {
		t.Errorf("for a lock: %v, %q", by, server)
	}
}
