package waits

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task"
)

const (
	otherID = 0x2_0000_0065
	topAt   = 0x30000 // a queue
	baseAt  = 0x31000 // its target
	labelAt = 0x32000
	stackAt = 0x7000 // sp of darwinThread

	selfPort, otherPort = 0x1903, 0x1a03 // as onDarwin has them
)

// little puts 64-bit numbers at offsets.
func little(size int, at map[int]uint64) []byte {
	b := make([]byte, size)
	for i, v := range at {
		binary.LittleEndian.PutUint64(b[i:], v)
	}
	return b
}

// withContext puts a dispatch_sync_context_s at an address of a thread's stack.
func withContext(t *task.Thread, a task.Addr, queue, base uint64) {
	b := make([]byte, 0x800)
	copy(b[a-stackAt:], little(contextSize, map[int]uint64{
		contextFlags: 0x103, contextSelf: uint64(a), contextBase: base, contextQueue: queue, contextEvent: selfPort<<32 | 0xffffffff}))
	t.Stacks = []task.Stack{{Base: stackAt, Bytes: b}}
}

func queueBytes(target, state, label, width uint64) []byte {
	return little(queueSize, map[int]uint64{queueTarget: target, queueState: state, queueLabel: label, queueWidth: width})
}

// queues has a target with two queues, the second of which the first leads to.
func queues(arch task.Arch, topState, baseState, topWidth uint64) *process {
	p := onDarwin(arch)
	p.memory[topAt] = queueBytes(baseAt, topState, labelAt, topWidth)
	p.memory[baseAt] = queueBytes(0, baseState, labelAt+0x10, 1)
	p.memory[labelAt] = append([]byte("com.example.top\x00com.example.base\x00"), make([]byte, 300)...)
	return p
}

// find asks what a thread in a call waits for.
func find(p *process, t *task.Thread, code []byte, functions ...string) *profile.Wait {
	p.memory[0x8000] = code
	m, frames := stack(functions...)
	f := New(darwinProcess{p}, m, []task.Thread{{ID: self, Name: "self"}, {ID: otherID, Name: "other"}})
	w, _ := f.Find(t, frames)
	return w
}

func TestQueueOfDispatchSync(t *testing.T) {
	const context, highBits = stackAt + 0x240, 0x600014 << 32
	byOther, bySelf := uint64(otherPort&^3|1|highBits), uint64(selfPort&^3|highBits)
	drained := func(call string, a task.Addr, name string) *profile.Wait {
		return &profile.Wait{Call: call, Lock: profile.Queue, Addr: a, Object: name, Owner: otherID, OwnerName: "other"}
	}
	base := `"com.example.base" (the target of "com.example.top")`
	tests := []struct {
		name                string
		top, base, topWidth uint64
		want                func(call string) *profile.Wait
	}{
		{"busy", byOther, 0, 1, func(c string) *profile.Wait { return drained(c, topAt, `"com.example.top"`) }},
		{"got, and the target is busy", bySelf, byOther, 1, func(c string) *profile.Wait { return drained(c, baseAt, base) }},
		{"concurrent, and the target is busy", 0, byOther, 0xffe, func(c string) *profile.Wait { return drained(c, baseAt, base) }},
		{"nobody's", highBits, byOther, 1, func(c string) *profile.Wait {
			return &profile.Wait{Call: c, Lock: profile.Queue, Addr: topAt, Object: `"com.example.top"`}
		}},
		{"suspended", 1 << 58, byOther, 0xffe, func(c string) *profile.Wait {
			return &profile.Wait{Call: c, Lock: profile.Queue, Addr: topAt, Object: `"com.example.top" (suspended)`}
		}},
		{"of a port that no thread has", 0x7704, 0, 1, func(c string) *profile.Wait {
			return &profile.Wait{Call: c, Lock: profile.Queue, Addr: topAt, Object: `"com.example.top"`}
		}},
	}
	for _, arch := range []task.Arch{task.AMD64, task.ARM64} {
		for _, test := range tests {
			thread, code := darwinThread(arch, 515, [6]uint64{0x1000001, context + contextEvent, 0xffffffff})
			withContext(thread, context, topAt, ^uint64(3))
			got := find(queues(arch, test.top, test.base, test.topWidth), thread, code)
			if diff := cmp.Diff(test.want("ulock_wait"), got); diff != "" {
				t.Errorf("%v, %s, by ulock: %s", arch, test.name, diff)
			}
			thread, code = darwinThread(arch, 375, [6]uint64{baseAt})
			withContext(thread, context, topAt, baseAt)
			got = find(queues(arch, test.top, test.base, test.topWidth), thread, code)
			if diff := cmp.Diff(test.want("kevent_id"), got); diff != "" {
				t.Errorf("%v, %s, by kevent_id: %s", arch, test.name, diff)
			}
		}
	}
}

func TestWorkloopWithoutContext(t *testing.T) {
	thread, code := darwinThread(task.ARM64, 375, [6]uint64{baseAt})
	withContext(thread, stackAt+0x100, topAt, topAt) // of another wait, that is over
	want := &profile.Wait{Call: "kevent_id", Lock: profile.Queue, Addr: baseAt, Object: `"com.example.base"`, Owner: otherID, OwnerName: "other"}
	if diff := cmp.Diff(want, find(queues(task.ARM64, 0, otherPort, 1), thread, code)); diff != "" {
		t.Error(diff)
	}
}

// A queue that is laid out otherwise, or memory that is none, gives no owner.
func TestQueuesThatCannotBeRead(t *testing.T) {
	for _, queue := range []uint64{topAt + 4, 0x99000} {
		thread, code := darwinThread(task.AMD64, 375, [6]uint64{queue})
		want := &profile.Wait{Call: "kevent_id", Lock: profile.Queue, Addr: task.Addr(queue)}
		if diff := cmp.Diff(want, find(queues(task.AMD64, otherPort, otherPort, 1), thread, code)); diff != "" {
			t.Errorf("%#x: %s", queue, diff)
		}
	}
	p := queues(task.AMD64, otherPort, 0, 1)
	p.memory[labelAt] = []byte("com.\x1b[31m\x00")
	thread, code := darwinThread(task.AMD64, 375, [6]uint64{topAt})
	if w := find(p, thread, code); w == nil || w.Object != "" || w.Owner != otherID {
		t.Errorf("a label that is none: %+v", w)
	}
}

func TestWordsOfLibraries(t *testing.T) {
	const compare, unfair = 1, 2
	tests := []struct {
		name      string
		operation uint64
		functions []string
		want      profile.Wait
	}{
		{"join", unfair, []string{"__ulock_wait", "_pthread_join", "main"}, profile.Wait{Lock: profile.ThreadEnd, Owner: otherID}},
		{"join of macOS 10.15", unfair, []string{"__ulock_wait", "_pthread_join$UNIX2003"}, profile.Wait{Lock: profile.ThreadEnd, Owner: otherID}},
		{"dispatch_once", unfair, []string{"__ulock_wait", "_dlock_wait", "_dispatch_once_wait", "dispatch_once_f"},
			profile.Wait{Lock: profile.Once, Addr: lockAt, Owner: otherID}},
		{"pthread_once", unfair, []string{"__ulock_wait", "_os_once_gate_wait"}, profile.Wait{Lock: profile.Once, Addr: lockAt, Owner: otherID}},
		{"a lock in what is run once", unfair, []string{"__ulock_wait", "_os_unfair_lock_lock_slow", "init", "_dispatch_once_callout"},
			profile.Wait{Lock: profile.UnfairLock, Addr: lockAt, Owner: otherID}},
		{"mutex", unfair, []string{"__ulock_wait", "_pthread_mutex_ulock_lock_slow"},
			profile.Wait{Lock: profile.Mutex, Addr: lockAt - ulockOffset, Owner: otherID}},
		{"condition", compare, []string{"__ulock_wait2", "_pthread_cond_wait"}, profile.Wait{Object: "condition variable (word 0x5000)"}},
		{"group", compare, []string{"__ulock_wait", "_dlock_wait", "_dispatch_wait_on_address", "_dispatch_group_wait_slow"},
			profile.Wait{Object: "dispatch group 0x4fcc"}},
		{"queue of an unknown layout", compare, []string{"__ulock_wait", "__DISPATCH_WAIT_FOR_QUEUE__"}, profile.Wait{Object: "a dispatch queue"}},
		{"nobody's", compare, []string{"__ulock_wait", "mine"}, profile.Wait{Object: "word 0x5000"}},
	}
	for _, test := range tests {
		thread, code := darwinThread(task.AMD64, 515, [6]uint64{test.operation | 0x1000000, lockAt})
		p := onDarwin(task.AMD64)
		p.memory[lockAt] = words(otherPort)
		test.want.Call = "ulock_wait"
		if test.want.Owner != 0 {
			test.want.OwnerName = "other"
		}
		if diff := cmp.Diff(&test.want, find(p, thread, code, test.functions...)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// The exit gate of a thread that has ended holds no thread's port.
func TestJoinOfAnEndedThread(t *testing.T) {
	thread, code := darwinThread(task.AMD64, 515, [6]uint64{2, lockAt})
	p := onDarwin(task.AMD64)
	p.memory[lockAt] = words(0xffffffff)
	want := &profile.Wait{Call: "ulock_wait", Object: "a thread to end"}
	if diff := cmp.Diff(want, find(p, thread, code, "__ulock_wait", "_pthread_join")); diff != "" {
		t.Error(diff)
	}
}

func TestMessagesSleepsAndSets(t *testing.T) {
	pair := func(low, high uint64) uint64 { return high<<32 | low }
	header := words(0x1513, 24, 0x903, 0x707, 0, 3418)
	tests := []struct {
		name      string
		number    int
		args      [6]uint64
		functions []string
		want      string
	}{
		{"receive", -31, [6]uint64{stackAt + 8, 2, 0, 100, 0x707}, nil, "a message on port 0x707"},
		{"sync receive", -31, [6]uint64{stackAt + 8, 0x4002, 0, 100, 0x707}, nil, "the reply on port 0x707 to a message that it sent"},
		{"send and receive", -31, [6]uint64{stackAt + 8, 3, 24, 100, 0x707}, nil, "the reply on port 0x707 to a message (id 3418) to port 0x903"},
		{"send", -32, [6]uint64{stackAt + 8, 1, 24}, nil, "room for a message (id 3418) to port 0x903"},
		{"send of memory that is not copied", -32, [6]uint64{0x99000, 1, 24}, nil, "room for a message"},
		{"CFMessagePort", -31, [6]uint64{0, 2, 0, 0, 0x707}, strings.Fields("mach_msg_trap mach_msg __CFRunLoopServiceMachPort __CFRunLoopRun CFRunLoopRunSpecific a b c d CFMessagePortSendRequest"),
			"the reply on port 0x707 to a message that it sent by a CFMessagePort"},
		{"receive by mach_msg2", -47, [6]uint64{0, 0x2_0000_0002, 0, 0, 0, pair(0, 0x707)}, nil, "a message on port 0x707"},
		{"sync receive by mach_msg2", -47, [6]uint64{0, 0x4002, 0, 0, 0, pair(0, 0x707)}, nil, "the reply on port 0x707 to a message that it sent"},
		{"send and receive by mach_msg2", -47, [6]uint64{0, 3, pair(0x1513, 24), pair(0x903, 0x707), pair(0, 3418), pair(0, 0x707)}, nil,
			"the reply on port 0x707 to a message (id 3418) to port 0x903"},
		{"semaphore", -36, [6]uint64{0x1503}, nil, "Mach semaphore 0x1503"},
		{"dispatch semaphore", -36, [6]uint64{0x1503}, []string{"semaphore_wait_trap", "_dispatch_sema4_wait", "_dispatch_semaphore_wait_slow"},
			"dispatch semaphore (Mach semaphore 0x1503)"},
		{"sleep", 334, [6]uint64{0x703, 0, 1, 1, 90, 5e8}, nil, "a sleep of 1m30.5s"},
		{"sigsuspend of old", 423, [6]uint64{0x703, 0, 0, 0}, nil, "Mach semaphore 0x703"},
		{"a sleep that is none", 334, [6]uint64{0x703, 0, 1, 1, 1 << 62}, nil, "Mach semaphore 0x703"},
		{"mach_wait_until", -90, [6]uint64{12345}, nil, "a time to come"},
		{"select", 93, [6]uint64{40, lockAt, 0, lockAt + 8}, nil, "fd 0, fd 5 pipe, fd 33, and 1 more"},
		{"select of less", 93, [6]uint64{5, lockAt, 0, 0}, nil, "fd 0"},
		{"select of too much", 93, [6]uint64{1 << 31, lockAt}, nil, ""},
		{"lock of a file", 92, [6]uint64{5, 9}, nil, "fd 5 pipe"},
		{"open", 463, [6]uint64{}, nil, ""},
	}
	for _, test := range tests {
		for _, arch := range []task.Arch{task.AMD64, task.ARM64} {
			thread, code := darwinThread(arch, test.number, test.args)
			thread.Stacks = []task.Stack{{Base: stackAt, Bytes: append(make([]byte, 8), header...)}}
			p := onDarwin(arch)
			p.files = map[int]string{5: "pipe"}
			p.memory[lockAt] = append(words(0x21, 2), words(0, 4)...)
			w := find(p, thread, code, test.functions...)
			if w == nil || w.Object != test.want || w.Owner != 0 {
				t.Errorf("%v, %s: %+v, want %q", arch, test.name, w, test.want)
			}
			if w != nil && w.Receives != strings.HasPrefix(test.name, "receive") {
				t.Errorf("%v, %s: receives %v", arch, test.name, w.Receives)
			}
		}
	}
}

// sightings is a running process whose threads can be looked at.
type sightings struct {
	darwinProcess
	task.ActivityReader
	before []task.ThreadActivity // seen before now
	now    task.ThreadActivity
	gone   bool
}

func (s *sightings) Capabilities() task.Capabilities {
	able := s.darwinProcess.Capabilities()
	able.Activity = s
	return able
}

func (s *sightings) WatchThread(task.ThreadID) (task.ThreadWatch, error) { return s, nil }
func (s *sightings) Counters() (task.Counters, error)                    { return task.Counters{}, nil }
func (s *sightings) Close() error                                        { return nil }
func (s *sightings) Observe() (task.ThreadActivity, error) {
	if s.gone {
		return task.ThreadActivity{}, task.ErrThreadGone
	}
	if len(s.before) > 0 {
		g := s.before[0]
		s.before = s.before[1:]
		return g, nil
	}
	return s.now, nil
}

// An owner is told only of a thread that is in the very call after the owner was
// read.
func TestOwnersAreProven(t *testing.T) {
	const context = stackAt + 0x40
	waits := map[string]struct {
		number int
		args   [6]uint64
	}{
		"mutex":  {301, [6]uint64{lockAt}},
		"unfair": {515, [6]uint64{2, lockAt}},
		"queue":  {515, [6]uint64{1, context + contextEvent}},
	}
	for name, wait := range waits {
		thread, code := darwinThread(task.AMD64, wait.number, wait.args)
		withContext(thread, context, topAt, 0)
		p := queues(task.AMD64, otherPort, 0, 1)
		p.info.Live, p.memory[0x8000] = true, code
		p.memory[lockAt] = little(64, map[int]uint64{0: otherPort, threadIDOffset: otherID})
		there := task.ThreadActivity{State: task.Sleeping, Registers: thread.Registers}
		find := func(change func(s *sightings)) *profile.Wait {
			s := &sightings{darwinProcess: darwinProcess{p}, now: there}
			change(s)
			w, _ := New(s, nil, []task.Thread{{ID: self}, {ID: otherID}}).Find(thread, nil)
			return w
		}
		if w := find(func(*sightings) {}); w == nil || w.Owner != otherID {
			t.Errorf("%s: %+v of a thread that stands where it stood", name, w)
		}
		if w := find(func(s *sightings) {
			s.before = []task.ThreadActivity{{State: task.Running}, {State: task.Sleeping, Later: true}}
		}); w == nil || w.Owner != otherID {
			t.Errorf("%s: %+v of a thread that is on its way back there", name, w)
		}
		for what, change := range map[string]func(s *sightings){
			"has ended":              func(s *sightings) { s.gone = true },
			"runs":                   func(s *sightings) { s.now.State = task.Running },
			"tells no registers":     func(s *sightings) { s.now.Registers = task.Registers{} },
			"is deeper":              func(s *sightings) { s.now.Registers.Set(task.AMD64.SP(), stackAt-8) },
			"waits for another":      func(s *sightings) { s.now.Registers.Set(4, 0x1234); s.now.Registers.Set(5, 0x1234) },
			"is in another call":     func(s *sightings) { s.now.Registers.Set(raxReg, 2<<classBit|3) },
			"is elsewhere in a call": func(s *sightings) { s.now.Registers.Set(task.AMD64.PC(), 0x8011) },
		} {
			if w := find(change); w == nil || w.Owner != 0 || w.Lock == profile.Queue && w.Object != "" {
				t.Errorf("%s: %+v of a thread that %s", name, w, what)
			}
		}
	}
}
