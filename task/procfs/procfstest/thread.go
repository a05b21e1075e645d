//go:build linux

// Package procfstest makes targets for tests that read /proc: the files of threads that do not
// exist, a real child of vfork, and programs that run until the end of a test.
package procfstest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// Contents of syscall files.
const (
	InEpoll = "441 0x5 0x1000 0x40 0x0 0x0 0x8 0x7000 0x4002\n"
	InFault = "-1 0x7000 0x4002\n"
	Running = "running\n"
)

// InAccept returns the text of /proc/PID/syscall for a thread in accept4(2), which a stop ends
// with EINTR.
func InAccept() string {
	return fmt.Sprintf("%d 0x3 0x0 0x0 0x80000 0x0 0x0 0x7100 0x5002\n", number(288, 242))
}

// InRead returns the text of /proc/PID/syscall for a thread in read(2), which goes on after a
// stop.
func InRead() string {
	return fmt.Sprintf("%d 0x3 0x1000 0x40 0x0 0x0 0x0 0x7000 0x6002\n", number(0, 63))
}

func number(amd64, arm64 int) int {
	if runtime.GOARCH == "amd64" {
		return amd64
	}
	return arm64
}

// Thread is a directory with the files of one thread.
type Thread struct {
	Dir string // takes the place of /proc/PID/task
	TID int
}

// NewThread makes the files of a thread that sleeps. Each time its syscall file is opened it
// returns the next of calls, and nothing in the end: it is a pipe, from which each read takes
// what was written at once (pipe(2), O_DIRECT).
func NewThread(t testing.TB, schedstat string, calls ...string) *Thread {
	t.Helper()
	th := &Thread{t.TempDir(), 4711}
	must(t, os.Mkdir(filepath.Join(th.Dir, strconv.Itoa(th.TID)), 0o755))
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil {
		needs.Feature(t, "pipes of packets", err, unix.EINVAL)
	}
	t.Cleanup(func() { _ = unix.Close(ends[0]) })
	for _, call := range calls {
		_, err := unix.Write(ends[1], []byte(call))
		must(t, err)
	}
	must(t, unix.Close(ends[1]))
	must(t, os.Symlink(fmt.Sprintf("/proc/self/fd/%d", ends[0]), th.Path("syscall")))
	th.SetRuns(t, schedstat)
	return th
}

// Path returns the path of a file of the thread.
func (th *Thread) Path(name string) string {
	return filepath.Join(th.Dir, strconv.Itoa(th.TID), name)
}

// SetRuns writes the schedstat file, or removes it if the text is empty.
func (th *Thread) SetRuns(t testing.TB, schedstat string) {
	t.Helper()
	if schedstat != "" {
		must(t, os.WriteFile(th.Path("schedstat"), []byte(schedstat), 0o644))
	}
}

// SetState writes the stat file. processor is what follows its start time.
func (th *Thread) SetState(t testing.TB, state byte, processor string) {
	t.Helper()
	line := fmt.Sprintf("%d (a) %c 1 4711 4711 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 99%s\n", th.TID, state, processor)
	must(t, os.WriteFile(th.Path("stat"), []byte(line), 0o644))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
