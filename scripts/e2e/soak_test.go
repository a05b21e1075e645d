//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"stacksnap/format/profile/capture"
	"stacksnap/images"
	"stacksnap/task"
)

// soakVariable sets how many snapshots a soak takes: 3600000 are those of an
// hour at 1 kHz.
const soakVariable = "STACKSNAP_SOAK_SNAPSHOTS"

// Snapshots of a soak without that variable, and how often all is counted.
const (
	shortSoak = 1000
	soakLooks = 50
)

func soakSnapshots(t *testing.T) int {
	s := os.Getenv(soakVariable)
	if s == "" {
		return rounds(shortSoak)
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < soakLooks {
		t.Fatalf("%s=%s: want a number from %d on", soakVariable, s, soakLooks)
	}
	return n
}

// usage is what this process has in use.
type usage struct {
	files, goroutines, threads, mappings int
	objects                              uint64 // on the heap, that are reachable
	heap, rss                            uint64 // bytes; the same in all, and what is resident
}

func use(t *testing.T) usage {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return usage{
		files: entries(t, "/proc/self/fd"), threads: entries(t, "/proc/self/task"),
		goroutines: runtime.NumGoroutine(), mappings: bytes.Count(maps, []byte("\n")),
		objects: m.HeapObjects, heap: m.HeapAlloc, rss: residentBytes(t),
	}
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// openFiles lists what the descriptors of this process lead to.
func openFiles() (links []string) {
	names, _ := filepath.Glob("/proc/self/fd/*")
	for _, name := range names {
		if link, err := os.Readlink(name); err == nil {
			links = append(links, filepath.Base(name)+" "+link)
		}
	}
	return links
}

func residentBytes(t *testing.T) uint64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	var size, resident uint64
	if _, scanErr := fmt.Sscan(string(b), &size, &resident); err != nil || scanErr != nil {
		t.Fatal(err, scanErr)
	}
	return resident * uint64(os.Getpagesize())
}

func (u usage) String() string {
	return fmt.Sprintf("%d files, %d goroutines, %d threads, %d mappings, %d objects in %d KB, resident %d KB",
		u.files, u.goroutines, u.threads, u.mappings, u.objects, u.heap>>10, u.rss>>10)
}

// most is the larger of each.
func (u usage) most(v usage) usage {
	return usage{
		max(u.files, v.files), max(u.goroutines, v.goroutines), max(u.threads, v.threads),
		max(u.mappings, v.mappings), max(u.objects, v.objects), max(u.heap, v.heap), max(u.rss, v.rss),
	}
}

// soak looks at what this process uses while it samples.
type soak struct {
	t           *testing.T
	all, taken  int
	early, late usage // the most of the first tenth, and of all that followed
}

func (s *soak) see(*task.Snapshot, *images.Map) error {
	s.taken++
	if s.taken%max(1, s.all/soakLooks) != 0 {
		return nil
	}
	u := use(s.t)
	if s.taken <= s.all/10 {
		s.early = s.early.most(u)
	} else {
		s.late = s.late.most(u)
	}
	s.t.Logf("%8d: %v", s.taken, u)
	return nil
}

// What may come besides: the files of the last eight layouts are open, and two
// (task/procfs, filesEach) of each thread of this listing and of the one before,
// of which the target has 35 each; Go makes threads as it likes, and goroutines to clean up; a profile grows until it has as many threads as it shows
// one by one; and when many threads appear at once, the room for their stacks is
// made anew.
const (
	moreFiles   = 96 + 2*2*35
	moreThreads = 64
	moreObjects = 200_000
	moreHeap    = 128 << 20
)

func (s *soak) check(before, after usage) {
	s.t.Helper()
	s.t.Logf("%d snapshots; before: %v", s.taken, before)
	s.t.Logf("at most in the first tenth: %v", s.early)
	s.t.Logf("at most after that:         %v", s.late)
	s.t.Logf("after: %v", after)
	switch {
	case after.files > before.files || after.goroutines > before.goroutines:
		s.t.Errorf("files or goroutines are left; open files: %q", openFiles())
	case s.late.files > s.early.files+moreFiles || s.late.goroutines > s.early.goroutines+moreThreads || s.late.threads > s.early.threads+moreThreads:
		s.t.Error("files, goroutines or threads grew while it sampled")
	case s.late.objects > s.early.objects+s.early.objects/4+moreObjects, s.late.heap > s.early.heap+moreHeap:
		s.t.Error("the heap grew while it sampled")
	}
}

// TestSoak samples, without a pause, a process that changes all the time, and
// counts what this one holds meanwhile.
func TestSoak(t *testing.T) {
	lib := filepath.Join(t.TempDir(), "libsoak.so")
	if err := os.Rename(compile(t, "soak", "-O1", "-shared", "-fPIC", "-DLIBRARY"), lib); err != nil {
		t.Fatal(err)
	}
	program := compile(t, "soak", "-O1", "-ldl")
	for _, save := range []string{"", filepath.Join(t.TempDir(), "soak.snap")} {
		t.Run(map[bool]string{true: "plain", false: "saved"}[save == ""], func(t *testing.T) {
			cmd := start(t, program, lib)
			s := &soak{t: t, all: soakSnapshots(t)}
			before := use(t)
			p := record(t, cmd, capture.Options{Count: s.all, Save: save, Each: s.see})
			threads := p.NumThreads()
			s.check(before, use(t))
			t.Logf("%d threads, own CPU %v in %v; notes %q", threads, p.OwnCPU, p.Duration(), p.Notes)
			if f, err := os.Stat(save); err == nil {
				t.Logf("recording of %d KB", f.Size()>>10)
			}
		})
	}
}
