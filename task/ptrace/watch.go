//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

var _ task.ThreadWatcher = (*Process)(nil)

// watch has the files of one thread open, which stay those of this thread.
type watch struct {
	call, status, schedule int
	buf                    [16 << 10]byte // status lists groups, before the counters
}

// WatchThread implements [task.ThreadWatcher]. The watch may be used from any
// goroutine, and after Close of the process.
func (p *Process) WatchThread(id task.ThreadID) (task.ThreadWatch, error) {
	dir, err := openDirAt(p.threads.dir, strconv.Itoa(int(id)))
	if err != nil {
		return nil, task.ErrThreadGone
	}
	defer dir.close()
	w := &watch{call: -1, status: -1, schedule: -1}
	for _, f := range []struct {
		name string
		fd   *int
	}{{"syscall", &w.call}, {"status", &w.status}, {"schedstat", &w.schedule}} {
		if *f.fd, err = dir.open(f.name); err != nil && f.fd != &w.schedule {
			_ = w.Close()
			return nil, fmt.Errorf("watch thread %d: open %s: %w", id, f.name, err)
		}
	}
	return w, nil
}

// Glance implements [task.ThreadWatch].
func (w *watch) Glance() (task.Glance, error) {
	b, err := w.read(w.call)
	if err != nil {
		return task.Glance{}, err
	}
	c, err := parseSyscall(b)
	g := task.Glance{Call: c, State: task.Sleeping}
	if c.State == task.OnProcessor {
		g.State = task.Running
	}
	return g, err
}

// Counters implements [task.ThreadWatch].
func (w *watch) Counters() (task.Counters, error) {
	var c task.Counters
	b, err := w.read(w.status)
	if err != nil {
		return c, err
	}
	sleeps, digits := number(statusValue(b, "voluntary_ctxt_switches:"), 10)
	c.Sleeps, c.HasSleeps = sleeps, digits > 0
	if w.schedule >= 0 {
		if b, err = w.read(w.schedule); err != nil {
			return c, err
		}
		c.CPU, c.Queued = schedule(b)
	}
	return c, nil
}

// read reads a file from its start. The kernel makes it anew each time.
func (w *watch) read(fd int) ([]byte, error) {
	for {
		n, err := unix.Pread(fd, w.buf[:], 0)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ESRCH), err == nil && n == 0:
			return nil, task.ErrThreadGone
		case err != nil:
			return nil, fmt.Errorf("watch: %w", err)
		default:
			return w.buf[:n], nil
		}
	}
}

// Close implements [task.ThreadWatch].
func (w *watch) Close() error {
	for _, fd := range []*int{&w.call, &w.status, &w.schedule} {
		closeFD(*fd)
		*fd = -1
	}
	return nil
}
