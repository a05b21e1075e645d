package capture

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
	"stacksnap/unwind"
)

const sleepersVariable = "STACKSNAP_TEST_SLEEPERS"

// TestSleepersProgram is the target of others: many threads that sleep.
func TestSleepersProgram(t *testing.T) {
	if os.Getenv(sleepersVariable) == "" {
		return
	}
	const threads = 150
	ready := make(chan bool)
	for range threads {
		go func() {
			runtime.LockOSThread()
			ready <- true
			_, _ = unix.Poll(nil, -1)
		}()
	}
	for range threads {
		<-ready
	}
	_, _ = os.Stdout.WriteString("ready\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// TestManyThreadsAreStoppedInParts: where one stop of all threads would last too long,
// there are several, each thread is captured whole, and the report says so.
func TestManyThreadsAreStoppedInParts(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestSleepersProgram$")
	cmd.Env = append(os.Environ(), sleepersVariable+"=1")
	out := procfstest.StartPiped(t, cmd)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, most := range []time.Duration{time.Hour, time.Millisecond} {
		p, err := live.Open(cmd.Process.Pid)
		needs.Ptrace(t, err)
		prof, err := OneShot(p, Options{Tool: "test", MaxStop: most})
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Close()
		if got, want := slices.Contains(prof.Notes, partedLine), most == time.Millisecond; got != want || want && prof.Stops < 150/32 {
			t.Errorf("with %v: %d stops, notes %q", most, prof.Stops, prof.Notes)
		}
		if len(prof.Threads) < 150 || prof.Snapshots != 1 {
			t.Errorf("with %v: %d threads in %d snapshots", most, len(prof.Threads), prof.Snapshots)
		}
		for _, thread := range prof.Threads {
			if thread.Samples == 0 {
				t.Errorf("with %v: nothing of thread %d", most, thread.ID)
			}
		}
	}
}

// TestTrim keeps what the walk of a stack led through, where it came to its end.
func TestTrim(t *testing.T) {
	thread, frames := stackOf([]task.Addr{0x1000, 0x9000}, 0x1000, 0x9000, 0x2_0000)
	for i := range thread.Stacks {
		thread.Stacks[i].Bytes = make([]byte, 0x1000)
	}
	stack := profile.Stack{Frames: frames, Stop: unwind.Stop{Reason: unwind.Bottom}}
	trim(thread, &stack)
	for i, want := range []int{8 + trimSlack, 8 + trimSlack, 0x1000} {
		if got := len(thread.Stacks[i].Bytes); got != want {
			t.Errorf("range %d: %d bytes, want %d", i, got, want)
		}
	}
}
