//go:build linux

package ptrace

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// BenchmarkStop reports how long a target stands for one snapshot, beside the
// time of the same system calls alone: stop-ns, floor-ns, and their ratio.
func BenchmarkStop(b *testing.B) {
	for _, mode := range []string{"sleep", "busy"} {
		for _, n := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s-%d", mode, n), func(b *testing.B) {
				g := startThreads(b, n, mode, 50)
				p := attach(b, g.pid)
				var s task.Snapshot
				take(b, p, &s)
				var stop, floor time.Duration
				for b.Loop() {
					take(b, p, &s)
					stop += s.Stopped
					floor += bareCalls(b, p, &s)
				}
				b.ReportMetric(float64(stop.Nanoseconds())/float64(b.N), "stop-ns")
				b.ReportMetric(float64(floor.Nanoseconds())/float64(b.N), "floor-ns")
				b.ReportMetric(float64(stop)/float64(floor), "ratio")
			})
		}
	}
}

// bareCalls makes the calls of a snapshot without anything around them, waiting
// for each thread asleep, and tells how long that took.
func bareCalls(b *testing.B, p *Process, s *task.Snapshot) time.Duration {
	ids, err := p.Threads()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	for _, id := range ids {
		_ = seize(int(id))
	}
	for _, id := range ids {
		_ = interrupt(int(id))
	}
	for _, id := range ids {
		_, _, _ = unix.RawSyscall6(unix.SYS_WAIT4, uintptr(id), 0, unix.WALL, 0, 0, 0)
	}
	for i := range s.Threads {
		st := &s.Threads[i].Stacks[0]
		_, _ = regset(int(s.Threads[i].ID), unix.NT_PRSTATUS, p.regs[:])
		local := unix.Iovec{Base: &st.Bytes[0], Len: uint64(len(st.Bytes))}
		remote := unix.RemoteIovec{Base: uintptr(st.Base), Len: len(st.Bytes)}
		_, _ = unix.ProcessVMReadv(p.PID, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	}
	for _, id := range ids {
		_ = detach(int(id), 0)
	}
	return time.Since(began)
}
