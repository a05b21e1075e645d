//go:build linux && (amd64 || arm64)

package goroutines_test

import (
	"strconv"
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// semaphoreIn is where the semaphore of a lock is, by the wait reason.
var semaphoreIn = map[string]task.Addr{"sync.Mutex.Lock": 4, "sync.RWMutex.Lock": 8, "sync.RWMutex.RLock": 12, "sync.WaitGroup.Wait": 8}

// checkObjects compares what goroutines wait for with the addresses that the program has written, of n goroutines of each
// way. Of other waits nothing is said.
func checkObjects(t *testing.T, p *profile.Profile, text []byte, n int) {
	t.Helper()
	line, _, _ := strings.Cut(string(text), "\n")
	words := strings.Fields(line)
	want := map[string]task.Addr{}
	for i := 1; i+1 < len(words); i += 2 {
		at, err := strconv.ParseUint(words[i+1], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		want["main."+words[i]] = task.Addr(at)
	}
	seen := map[string]int{}
	for _, one := range p.Tasks {
		function := waitsIn(one, want)
		switch o := one.On; {
		case want[function] == 0: // such as one that waits for a timer
		case o == nil || o.Addr+semaphoreIn[one.Wait] != want[function] || one.Objects != 1:
			t.Errorf("%s in %s waits for %+v (of %d), want %v", function, one.Wait, o, one.Objects, want[function])
		case o.Kind == "chan" && (o.Len != o.Cap || o.Receivers+o.Senders != o.Waiters):
			t.Errorf("%s waits for %+v", function, o)
		default:
			seen[function] = o.Waiters
		}
	}
	for function := range want {
		least, most := n, n
		if function == "main.receive" { // called by others, and by the main goroutine later
			least, most = 4*n, 4*n+1
		}
		if got := seen[function]; got < least || got > most {
			t.Errorf("%d goroutines wait in %s, want %d", got, function, least)
		}
	}
}

// waitsIn returns the innermost of the functions that is on the stack of a task, "" if none is.
func waitsIn(one *profile.Task, functions map[string]task.Addr) string {
	for i := len(one.Path) - 1; i >= 0; i-- {
		if functions[one.Path[i].Function] != 0 {
			return one.Path[i].Function
		}
	}
	return ""
}
