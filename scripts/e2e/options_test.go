//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var threadLine = regexp.MustCompile(`(?m)^Thread (\d+)`)

// threadsOf returns the ids of the threads that a report shows.
func threadsOf(report string) (ids []string) {
	for _, m := range threadLine.FindAllStringSubmatch(report, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// TestThreadsWanted asks for one thread in a snapshot, in samples, and of the
// recordings of all.
func TestThreadsWanted(t *testing.T) {
	dir := t.TempDir()
	target := start(t, compile(t, "work", "-O1"), filepath.Join(dir, "slots"))
	entries, err := os.ReadDir("/proc/" + pid(target) + "/task")
	if err != nil || len(entries) < 2 {
		t.Fatalf("%d threads, %v", len(entries), err)
	}
	last := entries[len(entries)-1].Name()
	once, often := filepath.Join(dir, "once"), filepath.Join(dir, "often")
	snap(t, "-p", pid(target), "--save", once)
	snap(t, "-p", pid(target), "--save", often, "-n", "3")
	for _, from := range [][]string{
		{"-p", pid(target)}, {"-p", pid(target), "-n", "3"}, {once}, {often},
	} {
		for _, want := range []struct{ flag, id string }{{"--main", pid(target)}, {"--thread=" + last, last}} {
			r := snap(t, append(from, want.flag)...)
			if got := threadsOf(r.out); r.code != 0 || len(got) != 1 || got[0] != want.id {
				t.Errorf("%v %s: exit code %d, threads %v, want %s; %s", from, want.flag, r.code, got, want.id, r.err)
			}
		}
		r := snap(t, append(from, "--thread", "nobody")...)
		if r.code != 1 || !strings.Contains(r.err, "nobody") {
			t.Errorf("%v: for a thread that there is not: exit code %d, %q", from, r.code, r.err)
		}
	}
}
