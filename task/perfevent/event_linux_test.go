package perfevent

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// allowEnv has the test binary say what Allow allows it with itself.
const allowEnv = "STACKSNAP_PERFEVENT_ALLOW"

func TestMain(m *testing.M) {
	if os.Getenv(allowEnv) != "" {
		o := options(FirstStack)
		err := Allow(os.Getpid(), &o)
		fmt.Println(o.User, err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func options(stack int) Options {
	host := task.AMD64
	if runtime.GOARCH == "arm64" {
		host = task.ARM64
	}
	return Options{Host: host, Period: time.Millisecond, Stack: stack}
}

// observe opens an event of a process, and skips where the kernel refuses.
func observe(t *testing.T, pid, stack int) *Event {
	t.Helper()
	o := options(stack)
	if err := Allow(pid, &o); err != nil && !o.User {
		needs.PerfEvents(t, err)
	}
	e, err := Open(pid, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// startAssembly starts a program of testdata that runs for ever, and skips where it
// cannot be made.
func startAssembly(t *testing.T, name string, flags ...string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	flags = append(flags, "-nostdlib", "-static", "-o", program, filepath.Join("testdata", name+".s"))
	if b, err := exec.Command(needs.Tool(t, "gcc"), flags...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v %s", flags, err, b)
	}
	cmd := exec.Command(program)
	needs.Feature(t, "programs of 32 bits", cmd.Start(), unix.ENOEXEC)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// await waits for the next copy.
func await(t *testing.T, e *Event, s *Sample) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		fresh, err := e.Newest(s)
		switch {
		case err != nil:
			t.Fatal(err)
		case fresh:
			return
		case time.Now().After(end):
			t.Fatal("waited in vain for a copy")
		}
	}
}

// TestCopy: what the kernel copies of programs that set every register.
func TestCopy(t *testing.T) {
	type program struct {
		name  string
		arch  task.Arch
		flags []string
	}
	programs := []program{{"amd64", task.AMD64, nil}, {"i386", task.I386, []string{"-m32"}}}
	if runtime.GOARCH == "arm64" {
		programs = []program{{"arm64", task.ARM64, nil}}
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			cmd := startAssembly(t, p.name, p.flags...)
			e := observe(t, cmd.Process.Pid, FirstStack)
			defer e.Close()
			var s Sample
			inLoop := func() bool { v, _ := s.Registers.Value(0); return v == 0x1000 }
			for await(t, e, &s); !inLoop(); { // it may be starting yet
				await(t, e, &s)
			}
			await(t, e, &s)
			r := &s.Registers
			for reg := range task.Reg(p.arch.NumRegisters()) {
				v, known := r.Value(reg)
				if reg != p.arch.SP() && reg != p.arch.PC() && (!known || v != 0x1000+uint64(reg)) {
					t.Errorf("register %d is %#x, %v", reg, v, known)
				}
			}
			if r.Arch != p.arch || s.PID != cmd.Process.Pid || s.TID != cmd.Process.Pid || r.PC() == 0 {
				t.Errorf("%v of %d, thread %d, pc %v", r.Arch, s.PID, s.TID, r.PC())
			}
			// At its start a program's stack has the number of its arguments.
			if len(s.Stack) < 8 || binary.LittleEndian.Uint32(s.Stack) != 1 || s.Cut {
				t.Errorf("%d bytes of stack, cut %v: %x", len(s.Stack), s.Cut, s.Stack[:min(8, len(s.Stack))])
			}
		})
	}
}

// TestNewestOfMany: when the ring has been written over, what is given is newer than
// all that was made before.
func TestNewestOfMany(t *testing.T) {
	cmd := startAssembly(t, runtime.GOARCH)
	e := observe(t, cmd.Process.Pid, FirstStack)
	defer e.Close()
	turned := func() bool { return -atomic.LoadUint64(e.head) > 2*uint64(len(e.data)) }
	for end := time.Now().Add(2 * time.Minute); !turned(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain until the ring was full")
		}
	}
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	for at := atomic.LoadUint64(e.head); atomic.LoadUint64(e.head) == at; {
		time.Sleep(time.Millisecond)
	}
	var s Sample
	if fresh, err := e.Newest(&s); !fresh || err != nil || int64(s.Time) < now.Nano() {
		t.Errorf("%v, %v, of %v where it is %v", fresh, err, s.Time, time.Duration(now.Nano()))
	}
}

// TestThreadThatEnds: a copy stays what it is when there are no more.
func TestThreadThatEnds(t *testing.T) {
	cmd := startAssembly(t, runtime.GOARCH)
	e := observe(t, cmd.Process.Pid, FirstStack)
	var s Sample
	await(t, e, &s)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	_, _ = e.Newest(&s)
	before := s.Time
	if fresh, err := e.Newest(&s); fresh || err != nil || s.Time != before || binary.LittleEndian.Uint32(s.Stack) != 1 {
		t.Errorf("%v, %v", fresh, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(cmd.Process.Pid, options(FirstStack)); err == nil {
		t.Error("one that has ended is observed")
	}
}

// TestCopyIsKept: what was given stays as it is while what comes next is of no use.
func TestCopyIsKept(t *testing.T) {
	m := model{data: make(ring, 4096)}
	e := Event{form: form{host: task.AMD64}, data: m.data, head: &m.head, record: make([]byte, 1024), spare: make([]byte, 1024)}
	m.write(written(task.AMD64, abi64, []byte("12345678"), 8))
	var s Sample
	if fresh, err := e.Newest(&s); !fresh || err != nil {
		t.Fatalf("%v, %v", fresh, err)
	}
	for range 3 {
		m.write(written(task.AMD64, abi64, []byte("abcdefgh"), 9))
		if fresh, err := e.Newest(&s); fresh || err == nil || string(s.Stack) != "12345678" || s.Registers.PC() == 0 {
			t.Errorf("%v, %v, stack %q", fresh, err, s.Stack)
		}
	}
}

// TestOrdinaryUser: who may not see the kernel is told so, and who may have no copies
// what to do about it.
func TestOrdinaryUser(t *testing.T) {
	needs.Root(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), allowEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	want := map[int]string{1: "false <nil>", 2: "true threads are not seen while they run in the kernel", 3: "=2", 4: "=2"}[max(1, paranoid())]
	if !strings.Contains(string(b), want) {
		t.Errorf("%q; want %q where perf_event_paranoid is %d", b, want, paranoid())
	}
}
