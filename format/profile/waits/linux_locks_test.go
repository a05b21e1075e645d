package waits

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task"
)

const (
	lockAt = 0x5000
	self   = 100
	other  = 101
	dead   = 99
)

var callNumbers = map[string]int{"futex": 202, "read": 0, "pread64": 17, "flock": 73, "wait4": 61, "waitid": 247, "poll": 7, "restart": 219, "fcntl": 72, "vfork": 58, "clone": 56, "clone3": 435, "unheard-of": 9999}

// onLinux finds what thread 100 of a made process waits for.
func onLinux(p *process, call string, args [6]uint64, functions ...string) *profile.Wait {
	return onLinuxNumber(p, callNumbers[call], args, functions...)
}

func onLinuxNumber(p *process, number int, args [6]uint64, functions ...string) *profile.Wait {
	p.info = task.Info{OS: task.Linux, Arch: task.AMD64, Live: !p.saved}
	p.calls = map[task.ThreadID]task.Syscall{
		self: {State: task.InCall, Number: number, Args: args, SP: 0x7000, PC: 0x10020},
	}
	m, frames := stack(functions...)
	t := &task.Thread{ID: self, State: task.Sleeping}
	t.Registers.Arch = task.AMD64
	t.Registers.Set(task.AMD64.SP(), 0x7000)
	t.Registers.Set(task.AMD64.PC(), 0x10020)
	for i, reg := range argumentRegisters(task.AMD64) {
		t.Registers.Set(reg, args[i])
	}
	threads := []task.Thread{{ID: self, Name: "self"}, {ID: other, Name: "other"}}
	w, _ := New(p, m, threads).WithRuntimes(p.runtimes).Find(t, frames)
	return w
}

// gil is an interpreter's lock at 0x9000, for which threads wait at lockAt.
type gil struct{ owner task.ThreadID }

func (g gil) LockOf(word task.Addr) (lock task.Addr, owner task.ThreadID, ok bool) {
	return 0x9000, g.owner, word == lockAt
}

// TestGIL: a futex of an interpreter's lock is that lock, by whatever function it is waited for.
func TestGIL(t *testing.T) {
	for owner, want := range map[task.ThreadID]profile.Wait{
		other: {Call: "futex", Lock: profile.GIL, Addr: 0x9000, Owner: other, OwnerName: "other"},
		dead:  {Call: "futex", Lock: profile.GIL, Addr: 0x9000},
		0:     {Call: "futex", Lock: profile.GIL, Addr: 0x9000},
	} {
		p := &process{runtimes: gil{owner}}
		if d := cmp.Diff(&want, onLinux(p, "futex", [6]uint64{lockAt, 0x189, 0}, "___pthread_cond_timedwait", "take_gil")); d != "" {
			t.Error(d)
		}
		if w := onLinux(p, "futex", [6]uint64{lockAt + 4, 0x189, 0}, "___pthread_cond_timedwait", "take_gil"); w.Lock != profile.NoLock {
			t.Errorf("of another word: %+v", w)
		}
	}
}

func TestLinuxLocks(t *testing.T) {
	mutexWait := [6]uint64{lockAt, 0x80, 2}
	rw := func(readers, writer uint32) []byte { return words(readers, 0, 3, 3, 0, 0, writer, 0, 0, 0) }
	tests := []struct {
		name      string
		lock      []byte
		args      [6]uint64
		functions []string
		left      int
		want      profile.Wait
	}{
		{
			name: "mutex", lock: words(2, 0, other, 1, 0, 0, 0, 0, 0, 0), args: mutexWait,
			functions: []string{"__GI___lll_lock_wait", "pthread_mutex_lock@@GLIBC_2.2.5", "main"},
			want:      profile.Wait{Lock: profile.Mutex, Addr: lockAt, Owner: other, OwnerName: "other"},
		},
		{
			name: "held by itself", lock: words(2, 0, self, 1, 0, 0, 0, 0, 0, 0), args: mutexWait,
			functions: []string{"lll_lock_wait"},
			want:      profile.Wait{Lock: profile.Mutex, Addr: lockAt, Owner: self, OwnerName: "self"},
		},
		{
			name: "the waiter has gone on", lock: words(2, 0, other, 1, 0, 0, 0, 0, 0, 0), args: mutexWait, left: 1,
			functions: []string{"___pthread_mutex_lock"}, want: profile.Wait{Lock: profile.Mutex, Addr: lockAt},
		},
		{
			name: "its owner is no thread", lock: words(2, 0, dead, 1, 0, 0, 0, 0, 0, 0), args: mutexWait,
			functions: []string{"___pthread_mutex_lock"}, want: profile.Wait{Lock: profile.Mutex, Addr: lockAt},
		},
		{
			name: "free by now", lock: words(0, 0, other, 1, 0, 0, 0, 0, 0, 0), args: mutexWait,
			functions: []string{"___pthread_mutex_lock"}, want: profile.Wait{Lock: profile.Mutex, Addr: lockAt},
		},
		{
			name: "another library's mutex", lock: words(0x80000065, 0, other, 1, 0, 0, 0, 0, 0, 0), args: mutexWait,
			functions: []string{"pthread_mutex_lock"}, want: profile.Wait{Lock: profile.Mutex, Addr: lockAt},
		},
		{
			name: "robust", lock: words(0x80000000|other, 0, other, 1, 16, 0, 0, 0, 0, 0), args: [6]uint64{lockAt, 0, 0x80000000 | other},
			functions: []string{"__pthread_mutex_lock_full"},
			want:      profile.Wait{Lock: profile.Mutex, Addr: lockAt, Owner: other, OwnerName: "other"},
		},
		{
			name: "not readable", args: mutexWait, functions: []string{"___pthread_mutex_lock"},
			want: profile.Wait{Lock: profile.Mutex, Addr: lockAt},
		},
		{
			name: "no function", lock: words(2, 0, other, 1, 0, 0, 0, 0, 0, 0), args: mutexWait, functions: []string{"main"},
			want: profile.Wait{Object: "futex 0x5000"},
		},
		{
			name: "reader", lock: rw(3, other), args: [6]uint64{lockAt + 8, 0x189, 3}, functions: []string{"__GI___futex_abstimed_wait64", "___pthread_rwlock_rdlock"},
			want: profile.Wait{Lock: profile.ReadWrite, Addr: lockAt, Owner: other, OwnerName: "other"},
		},
		{
			name: "writer behind a writer", lock: rw(3, other), args: [6]uint64{lockAt + 12, 0x189, 3}, functions: []string{"___pthread_rwlock_wrlock"},
			want: profile.Wait{Lock: profile.ReadWrite, Addr: lockAt, Owner: other, OwnerName: "other"},
		},
		{
			name: "writer behind readers", lock: rw(3<<3|2, 0), args: [6]uint64{lockAt + 8, 0x189, 2}, functions: []string{"___pthread_rwlock_wrlock"},
			want: profile.Wait{Lock: profile.ReadWrite, Addr: lockAt, Readers: 3},
		},
		{
			name: "join", lock: words(other), args: [6]uint64{lockAt, 0x109, other}, functions: []string{"__futex_abstimed_wait_common", "__pthread_clockjoin_ex"},
			want: profile.Wait{Lock: profile.ThreadEnd, Owner: other, OwnerName: "other"},
		},
		{
			name: "join of a thread that is gone", lock: words(other + 1), args: [6]uint64{lockAt, 0x109, other + 1}, functions: []string{"__futex_abstimed_wait_common", "__pthread_clockjoin_ex"},
			want: profile.Wait{Object: "futex 0x5000"},
		},
		{
			name: "condition", lock: words(0), args: [6]uint64{lockAt, 0x189, 0}, functions: []string{"__futex_abstimed_wait_common", "___pthread_cond_wait"},
			want: profile.Wait{Object: "condition variable (futex 0x5000)"},
		},
	}
	for _, test := range tests {
		p := &process{left: test.left, memory: map[task.Addr][]byte{lockAt: test.lock}}
		test.want.Call = "futex"
		if diff := cmp.Diff(&test.want, onLinux(p, "futex", test.args, test.functions...)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// TestRustLocks: by the names of either mangling. A word of Rust's has no holder.
func TestRustLocks(t *testing.T) {
	mutex := profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: lockAt, Object: noHolder}
	rwlock := profile.Wait{Call: "futex", Lock: profile.ReadWrite, Addr: lockAt, Object: noHolder}
	for function, want := range map[string]profile.Wait{
		"_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended":   mutex,
		"_ZN3std3sys4sync5mutex5futex5Mutex14lock_contended17h46a35f6dd7d8f796E":            mutex,
		"_ZN3std3sys4unix5locks11futex_mutex5Mutex14lock_contended17h46a35f6dd7d8f796E":     mutex,
		"_ZN3std3sys4sync6rwlock5futex6RwLock14read_contended17h46a35f6dd7d8f796E":          rwlock,
		"_ZN3std3sys4sync6rwlock5futex6RwLock15write_contended17h46a35f6dd7d8f796E":         rwlock,
		"_ZN3std3sys4sync7condvar5futex7Condvar21wait_optional_timeout17h46a35f6dd7d8f796E": {Call: "futex", Object: "condition variable (futex 0x5000)"},
		"_ZN3std3sys4sync4once5futex4Once4call17h46a35f6dd7d8f796E":                         {Call: "futex", Object: "one-time call (futex 0x5000)"},
		"_ZN4shop5Mutex14lock_contended17h46a35f6dd7d8f796E":                                {Call: "futex", Object: "futex 0x5000"},
		"_ZN3std3sys3pal4unix5futex10futex_wait17h46a35f6dd7d8f796E":                        {Call: "futex", Object: "futex 0x5000"},
	} {
		p := &process{memory: map[task.Addr][]byte{lockAt: words(2)}}
		if diff := cmp.Diff(&want, onLinux(p, "futex", [6]uint64{lockAt, 0x89, 2}, "syscall", function, "main")); diff != "" {
			t.Errorf("%s: %s", function, diff)
		}
	}
}

// TestIsEndless: only waits for a futex without a timeout, and whether the key is private.
func TestIsEndless(t *testing.T) {
	for name, c := range map[string]struct {
		s                task.Syscall
		endless, private bool
	}{
		"wait":         {task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{lockAt, 0x80, 2}}, true, true},
		"wait bitset":  {task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{lockAt, 0x189, 2}}, true, true},
		"lock PI":      {task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{lockAt, 0x86}}, true, true},
		"join":         {task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{lockAt, 0x109, 7}}, true, false},
		"timed":        {task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{lockAt, 0x189, 2, 0x7000}}, false, false},
		"requeue PI":   {task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{lockAt, 0x8b, 2}}, false, false},
		"wakes":        {task.Syscall{State: task.InCall, Number: 202, Args: [6]uint64{lockAt, 0x81, 2}}, false, false},
		"another call": {task.Syscall{State: task.InCall, Number: 0, Args: [6]uint64{lockAt, 0x80, 2}}, false, false},
		"restarted":    {task.Syscall{State: task.InCall, Number: 219}, false, false},
		"runs":         {task.Syscall{State: task.OnProcessor, Number: 202, Args: [6]uint64{lockAt, 0x80, 2}}, false, false},
	} {
		if endless, private := IsEndless(task.AMD64, &c.s); endless != c.endless || private != c.private {
			t.Errorf("%s: endless %t, private %t", name, endless, private)
		}
	}
}

// TestGoneOwner: a mutex names a thread that the target does not have. It is reported only of
// a live target whose numbers of threads are ours, and if the mutex still names it afterwards.
func TestGoneOwner(t *testing.T) {
	const shared = 128
	held := words(2, 0, dead, 1, 0, 0, 0, 0, 0, 0)
	for name, test := range map[string]struct {
		process
		want task.ThreadID
	}{
		"ended":              {process{ended: []int{dead}, memory: map[task.Addr][]byte{lockAt: held}}, dead},
		"not listed yet":     {process{memory: map[task.Addr][]byte{lockAt: held}}, 0},
		"in a container":     {process{ended: []int{dead, self}, memory: map[task.Addr][]byte{lockAt: held}}, 0},
		"in a core":          {process{ended: []int{dead}, memory: map[task.Addr][]byte{lockAt: held}, saved: true}, 0},
		"unlocked meanwhile": {process{ended: []int{dead}, memory: map[task.Addr][]byte{lockAt: held}, left: 2}, 0},
		"shared":             {process{ended: []int{dead}, memory: map[task.Addr][]byte{lockAt: words(2, 0, dead, 1, shared, 0, 0, 0, 0, 0)}}, 0},
		"no number":          {process{ended: []int{1 << 22}, memory: map[task.Addr][]byte{lockAt: words(2, 0, 1<<22, 1, 0, 0, 0, 0, 0, 0)}}, 0},
	} {
		want := profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: lockAt, GoneOwner: test.want}
		if test.want != 0 {
			want.Gone = outsider
		}
		if diff := cmp.Diff(&want, onLinux(&test.process, "futex", [6]uint64{lockAt, 0x80, 2}, "___pthread_mutex_lock")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestLinuxCalls(t *testing.T) {
	const minusOne, cloneAt = 1<<64 - 1, 0x8800
	tests := []struct {
		call      string
		args      [6]uint64
		functions []string
		want      profile.Wait
	}{
		{"read", [6]uint64{3}, nil, profile.Wait{Call: "read", Object: "fd 3 pipe:[7]"}},
		{"read", [6]uint64{8}, nil, profile.Wait{Call: "read", Object: "fd 8"}},
		{"flock", [6]uint64{4}, nil, profile.Wait{Call: "flock", Object: "fd 4 /tmp/lock", Lock: profile.FileLock, OwnerPID: 77}},
		{"fcntl", [6]uint64{4, 7}, nil, profile.Wait{Call: "fcntl", Object: "fd 4 /tmp/lock", Lock: profile.FileLock, OwnerPID: 77}},
		{"wait4", [6]uint64{55}, nil, profile.Wait{Call: "wait4", Object: "process 55 to end"}},
		{"wait4", [6]uint64{minusOne}, nil, profile.Wait{Call: "wait4", Object: "a child process to end"}},
		{"waitid", [6]uint64{1, 55}, nil, profile.Wait{Call: "waitid", Object: "process 55 to end"}},
		{"vfork", [6]uint64{}, nil, profile.Wait{Call: "vfork", Object: "its child to call exec or to end"}},
		{"clone", [6]uint64{0x4111}, nil, profile.Wait{Call: "clone", Object: "its child to call exec or to end"}},
		{"clone", [6]uint64{0x111}, nil, profile.Wait{Call: "clone"}},
		{"clone3", [6]uint64{cloneAt}, nil, profile.Wait{Call: "clone3", Object: "its child to call exec or to end"}},
		{"clone3", [6]uint64{1}, nil, profile.Wait{Call: "clone3"}},
		{"poll", [6]uint64{lockAt, 2}, nil, profile.Wait{Call: "poll", Object: "fd 3 pipe:[7], fd 4 /tmp/lock"}},
		{"poll", [6]uint64{0x9000, 2}, nil, profile.Wait{Call: "poll", Object: "2 descriptors"}},
		{"unheard-of", [6]uint64{}, nil, profile.Wait{Call: "system call 9999"}},
		{"restart", [6]uint64{lockAt, 2}, []string{"__GI___poll"}, profile.Wait{Call: "poll", Object: "fd 3 pipe:[7], fd 4 /tmp/lock"}},
		{"restart", [6]uint64{}, []string{"own"}, profile.Wait{Call: "restart_syscall"}},
		{"restart", [6]uint64{}, []string{"own", "clone3"}, profile.Wait{Call: "restart_syscall"}},
	}
	for _, test := range tests {
		p := &process{
			memory:  map[task.Addr][]byte{lockAt: words(3, 0, 4, 0), cloneAt: words(0x4100, 0)},
			files:   map[int]string{3: "pipe:[7]", 4: "/tmp/lock"},
			holders: map[int]int{4: 77},
		}
		if diff := cmp.Diff(&test.want, onLinux(p, test.call, test.args, test.functions...)); diff != "" {
			t.Errorf("%s: %s", test.call, diff)
		}
	}
}

// TestWaitsThatAreOver: what a thread waited for until it was stopped is known, but
// who holds a lock only of one that waits still.
func TestWaitsThatAreOver(t *testing.T) {
	for _, test := range []struct {
		call    string
		settled bool
	}{{"read", true}, {"wait4", true}, {"flock", false}, {"futex", false}, {"fcntl", false}, {"restart", false}, {"unheard-of", false}} {
		p := &process{
			info:  task.Info{OS: task.Linux, Arch: task.AMD64},
			calls: map[task.ThreadID]task.Syscall{self: {State: task.OnProcessor}},
		}
		th := &task.Thread{ID: self, State: task.Sleeping, Call: task.Syscall{State: task.InCall, Number: callNumbers[test.call]}}
		if w, settled := New(p, nil, nil).Ask(th, nil); w == nil || w.Owner != 0 || w.OwnerPID != 0 || settled != test.settled {
			t.Errorf("%s: %+v, settled %v", test.call, w, settled)
		}
	}
}

// TestFileLockOfWaitThatIsOver: who has a file now may not be who had it then.
func TestFileLockOfWaitThatIsOver(t *testing.T) {
	p := &process{files: map[int]string{4: "/tmp/lock"}, holders: map[int]int{4: 77}, left: 1}
	if w := onLinux(p, "flock", [6]uint64{4}); w == nil || w.Lock != profile.FileLock || w.OwnerPID != 0 {
		t.Errorf("waits for %+v", w)
	}
}

// savedCalls is a process that knows its threads' calls, and nobody else, as a core does.
type savedCalls struct{ *process }

func (p savedCalls) Capabilities() task.Capabilities { return task.Capabilities{Waits: p} }

// TestFileLockInACore: nobody can say who has it.
func TestFileLockInACore(t *testing.T) {
	p := &process{
		info:  task.Info{OS: task.Linux, Arch: task.AMD64},
		calls: map[task.ThreadID]task.Syscall{self: {State: task.InCall, Number: callNumbers["flock"], Args: [6]uint64{4}}},
	}
	th := &task.Thread{ID: self, State: task.Sleeping, Call: p.calls[self]}
	if w, _ := New(savedCalls{p}, nil, nil).Ask(th, nil); w == nil || w.Lock != profile.FileLock || w.OwnerPID != 0 {
		t.Errorf("waits for %+v", w)
	}
}

func TestEpoll(t *testing.T) {
	const epollWait = 232
	files := map[int]string{2: "pipe:[2]", 3: "pipe:[3]", 4: "pipe:[4]", 5: "anon_inode:[eventpoll]", 6: "x"}
	for _, test := range []struct {
		watched []int
		hidden  int
		want    string
	}{
		{nil, 0, "fd 5 anon_inode:[eventpoll]"},
		{nil, 2, "fd 5, which watches 2"},
		{[]int{2}, 0, "fd 5, which watches 1: fd 2 pipe:[2]"},
		{[]int{2, 3, 4}, 0, "fd 5, which watches 3: fd 2 pipe:[2], fd 3 pipe:[3], fd 4 pipe:[4]"},
		{[]int{2, 3, 4, 6}, 7, "fd 5, which watches 11: fd 2 pipe:[2], fd 3 pipe:[3], fd 4 pipe:[4], and 8 more"},
	} {
		p := &process{files: files, watched: map[int][]int{5: test.watched}, hidden: test.hidden}
		if w := onLinuxNumber(p, epollWait, [6]uint64{5}); w == nil || w.Call != "epoll_wait" || w.Object != test.want {
			t.Errorf("%v and %d: %+v", test.watched, test.hidden, w)
		}
	}
}
