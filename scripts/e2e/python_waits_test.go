//go:build linux

package e2e

import (
	"debug/elf"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pythonWaits are the waits in the first line for each way in which testdata/waits.py blocks, and
// those where the interpreter's file has no symbols; empty: the same.
var pythonWaits = map[string][2]string{
	"lock":          {"waits for a threading.Lock", "waits for a Python lock"},
	"with_lock":     {"waits for a threading.Lock", "waits for a Python lock"},
	"rlock":         {"waits for a threading.RLock", "waits for a Python lock"},
	"semlock":       {"waits for a lock or semaphore of multiprocessing", "waits in futex"},
	"simple_get":    {"waits in SimpleQueue.get", "waits for a Python lock"},
	"enter":         {"waits for the lock of a Condition"},
	"condition":     {"waits in Condition.wait"},
	"condition_for": {"waits in Condition.wait_for"},
	"event":         {"waits in Event.wait"},
	"event_timeout": {"waits in Event.wait"},
	"semaphore":     {"waits in Semaphore.acquire"},
	"barrier":       {"waits in Barrier.wait"},
	"join":          {"waits for a thread to end (Thread.join)"},
	"join_timeout":  {"waits for a thread to end (Thread.join)"},
	"get":           {"waits in Queue.get"},
	"put":           {"waits in Queue.put"},
	"queue_join":    {"waits in Queue.join"},
	"result":        {"waits in Future.result"},
	"futures":       {"waits in concurrent.futures.wait"},
	"completed":     {"waits in concurrent.futures.as_completed"},
	"shutdown":      {"waits in ThreadPoolExecutor.shutdown"},
	"child":         {"waits for python"},
}

// TestPythonWaits: the first line names what the main thread waits for in the words of Python's library,
// and the function that called it.
func TestPythonWaits(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			bare := !hasSymbols(t, python)
			for how, says := range pythonWaits {
				want := says[0]
				if bare && says[1] != "" {
					want = says[1]
				}
				awaitFirstLine(t, pid(start(t, python, "testdata/waits.py", how)), "main thread "+want, "called by "+how+" (waits.py:")
			}
		})
	}
}

// hasSymbols reports whether the file of a program, or the library of Python beside it, has the names
// of functions that it does not export.
func hasSymbols(t *testing.T, python string) bool {
	t.Helper()
	path, err := filepath.EvalSymlinks(python)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(path)), "lib/libpython3.*.so.*"))
	for _, path := range append(files, path) {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		symbols, _ := f.Symbols()
		_ = f.Close()
		for _, s := range symbols {
			if s.Name == "take_gil" {
				return true
			}
		}
	}
	return false
}

// awaitFirstLine takes reports until the first line has the texts: a process that is ready may not wait
// yet.
func awaitFirstLine(t *testing.T, pid string, want ...string) (report string) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); ; {
		r := snap(t, "-p", pid)
		first, _, _ := strings.Cut(r.out, "\n")
		missing := ""
		for _, text := range want {
			if !strings.Contains(first, text) {
				missing = text
			}
		}
		if missing == "" {
			return r.out
		}
		if time.Now().After(until) {
			t.Fatalf("%q lacks %q: %s", first, missing, r.err)
		}
	}
}
