//go:build linux && amd64 && servers

package e2e

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestIdleServersNoticeNothing: the first thread of a server with nothing to do is
// read where it waits. It does not come to a processor for a one-shot, and so its
// call is not interrupted. Some have work of their own now and then.
func TestIdleServersNoticeNothing(t *testing.T) {
	wanted := oneShots
	if long() {
		wanted = 1000
	}
	eachServer(t, func(t *testing.T, s *server) {
		processes := s.processes(t)
		if s.helpers > 0 {
			processes = processes[1:] // the first does not wait for events, and is stopped
		}
		for _, pid := range processes {
			waits := waiter(t, pid)
			unnoticed, n := 0, 0
			for last := time.Now(); unnoticed < wanted; n++ {
				before := standing(t, pid)[waits]
				takeShot(t, pid)
				if standing(t, pid)[waits] == before {
					unnoticed, last = unnoticed+1, time.Now()
				} else if time.Since(last) > patience {
					t.Fatalf("process %d: thread %d runs at each one-shot", pid, waits)
				}
			}
			t.Logf("process %d: thread %d did not run in %d of %d one-shots", pid, waits, unnoticed, n)
		}
	})
}

// waiter is the thread of a server that waits for events or connections.
func waiter(t *testing.T, pid int) (tid int) {
	t.Helper()
	eventually(t, "a thread waits for events", func() bool {
		all := standing(t, pid)
		var waits []int
		for id, s := range all {
			if call, ok := callOf(s); ok && eventCalls[call.number] {
				waits = append(waits, id)
			}
		}
		if len(waits) > 0 {
			tid = slices.Min(waits)
		}
		return tid != 0
	})
	return tid
}

// TestServersAsEUStack: of servers of which all code has unwind information, the
// stacks are those that eu-stack finds. One that works now and then is asked again.
func TestServersAsEUStack(t *testing.T) {
	need(t, "eu-stack")
	for _, name := range []string{"nginx", "postgres", "redis", "node"} {
		t.Run(name, func(t *testing.T) {
			s := servers[name](t)
			s.awaitUp(t)
			for _, pid := range s.processes(t) {
				var ours, theirs stacks
				eventually(t, "the stacks are the same", func() bool {
					ours = parseOurs(snap(t, "-p", strconv.Itoa(pid), "--max-stop", "10s", "--no-merge", "--addresses").out)
					theirs = parseEU(peer(t, "eu-stack", "-n", "0", "-p", strconv.Itoa(pid)))
					return sameAddresses(ours, theirs)
				})
			}
		})
	}
}

func sameAddresses(a, b stacks) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for id := range a {
		if !slices.EqualFunc(a[id], b[id], func(x, y frame) bool { return x.addr == y.addr }) {
			return false
		}
	}
	return true
}
