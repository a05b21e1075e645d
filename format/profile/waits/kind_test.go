package waits

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

func TestIdleness(t *testing.T) {
	for call, want := range map[string]idleness{
		"epoll_wait": idle, "epoll_pwait": idle, "epoll_pwait2": idle, "pause": idle, "rt_sigsuspend": idle,
		"io_uring_enter": idle, "io_getevents": idle, "io_pgetevents": idle,
		"kevent": idle, "kevent64": idle, "kevent_qos": idle, "workq_kernreturn": idle, "sigsuspend": idle,
		"poll": polling, "ppoll": polling, "select": polling, "pselect6": polling, "pselect": polling,
		"rt_sigtimedwait": polling, "__sigwait": polling,
		"futex": parked, "futex_wait": parked, "futex_waitv": parked, "nanosleep": parked, "clock_nanosleep": parked,
		"accept": parked, "accept4": parked, "psynch_cvwait": parked, "__semwait_signal": parked, "semaphore_wait": parked,
		"semaphore_timedwait": parked, "mach_wait_until": parked, "ulock_wait": parked, "ulock_wait2": parked,
		"read": busy, "wait4": busy, "kevent_id": busy, "psynch_mutexwait": busy, "mach_msg": busy, "mach_msg2": busy,
		"": busy, "system call 1000": busy, profile.PageFault: busy,
	} {
		w := &profile.Wait{Call: call}
		if IsIdle(w) != (want == idle) || IsParked(w) != (want >= parked) {
			t.Errorf("%q: idle %v, parked %v, want %v", call, IsIdle(w), IsParked(w), want)
		}
	}
}

func TestIdlenessOfOtherThings(t *testing.T) {
	for name, tt := range map[string]struct {
		w            *profile.Wait
		idle, parked bool
	}{
		"none":             {nil, false, false},
		"a lock":           {&profile.Wait{Call: "futex", Lock: profile.Mutex}, false, false},
		"a process":        {&profile.Wait{Call: "epoll_wait", Peer: profile.Peer{PID: 7}}, true, false},
		"a message":        {&profile.Wait{Call: "mach_msg2", Receives: true}, true, true},
		"of mach_msg only": {&profile.Wait{Call: "read", Receives: true}, false, false},
	} {
		if IsIdle(tt.w) != tt.idle || IsParked(tt.w) != tt.parked {
			t.Errorf("%s: idle %v, parked %v", name, IsIdle(tt.w), IsParked(tt.w))
		}
	}
}

// TestIdleByNumber: who looks at numbers judges as who looks at names.
func TestIdleByNumber(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		if linuxNumbers[a] == nil {
			t.Errorf("%v has no row of numbers", a)
		}
	}
	for arch := range linuxNumbers {
		for number, name := range linuxNumbers[arch] {
			if name == "" {
				continue
			}
			c, ok := Lookup(task.Linux, task.Arch(arch), number)
			if !ok || c.Name != name {
				t.Errorf("call %d of %v, %s, is %+v", number, task.Arch(arch), name, c)
			}
			if IsIdle(&profile.Wait{Call: name}) && !c.Idle([6]uint64{}) {
				t.Errorf("%s is idle by its name alone", name)
			}
		}
	}
	for call, numbers := range map[string]map[task.Arch]int{
		"io_pgetevents": {task.AMD64: 333, task.I386: 385, task.ARM64: 292},
		"io_getevents":  {task.AMD64: 208, task.I386: 247, task.ARM64: 4},
		"rt_sigsuspend": {task.AMD64: 130, task.I386: 179, task.ARM64: 133},
	} {
		for arch, number := range numbers {
			if c, _ := Lookup(task.Linux, task.Arch(arch), number); c.Name != call || !c.Idle([6]uint64{}) {
				t.Errorf("call %d of %v is %+v, not %s", number, arch, c, call)
			}
		}
	}
}

// TestAtLoopCall: a thread that runs is in its run loop by the name of the function that makes
// the call, and on Darwin by the number in its registers, too.
func TestAtLoopCall(t *testing.T) {
	linux := &process{info: task.Info{OS: task.Linux, Arch: task.AMD64}}
	for function, want := range map[string]bool{
		"epoll_wait": true, "__GI___poll": true, "__pselect6": true, "read": false, "work": false, "kevent": false, "": false,
	} {
		if got := AtLoopCall(linux, &task.Registers{}, function); got != want {
			t.Errorf("Linux, %q: %v", function, got)
		}
	}
	const away = 20 // getpid
	for name, c := range map[string]struct {
		function string
		number   int
		args     [6]uint64
		want     bool
	}{
		"kevent":                 {"kevent", away, [6]uint64{}, true},
		"with underscores":       {"__workq_kernreturn", away, [6]uint64{}, true},
		"named with underscores": {"__sigwait", away, [6]uint64{}, true},
		"one request":            {"kevent_id", away, [6]uint64{}, false},
		"a read":                 {"read", away, [6]uint64{}, false},
		"work":                   {"work", away, [6]uint64{}, false},
		"receives":               {"mach_msg2_trap", away, [6]uint64{0, receiveMessage}, true},
		"sends":                  {"mach_msg2_trap", away, [6]uint64{0, sendMessage | receiveMessage}, false},
		"around the trap":        {"mach_msg", away, [6]uint64{0, receiveMessage}, false},
		"number of kevent":       {"", 363, [6]uint64{}, true},
		"number of read":         {"", 3, [6]uint64{}, false},
		"number of mach_msg":     {"libfoo.dylib", -31, [6]uint64{0, receiveMessage}, true},
		"number of a request":    {"libfoo.dylib", -31, [6]uint64{0, sendMessage | receiveMessage}, false},
		"number of no call":      {"", 100000, [6]uint64{}, false},
		"name before number":     {"read", 363, [6]uint64{}, false},
	} {
		for _, arch := range []task.Arch{task.AMD64, task.ARM64} {
			thread, code := darwinThread(arch, c.number, c.args)
			p := &process{info: task.Info{OS: task.Darwin, Arch: arch}, memory: map[task.Addr][]byte{0x8000: code}}
			if got := AtLoopCall(p, &thread.Registers, c.function); got != c.want {
				t.Errorf("%s, %v: %v", name, arch, got)
			}
		}
	}
}
