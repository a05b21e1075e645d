//go:build linux

package e2e

import (
	"os"
	"strings"
	"testing"
)

// TestUninterruptible: a thread that no debugger can stop is read where it sleeps, and
// nothing is stopped for it.
func TestUninterruptible(t *testing.T) {
	target := start(t, compile(t, "stuck", "-O1", "-g"))
	eventually(t, "it sleeps", func() bool {
		b, _ := os.ReadFile("/proc/" + pid(target) + "/stat")
		return strings.Contains(string(b), ") D ")
	})
	for _, args := range [][]string{nil, {"-d", "200ms", "--addresses"}, {"--suspend", "thread", "--addresses"}} {
		r := snap(t, append(args, "-p", pid(target))...)
		if r.code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, r.code, r.err)
		}
		for _, want := range []string{"uninterruptible", "waits in vfork", " main + ", " waits_for_child + ", " vfork + "} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%v: no %q in\n%s", args, want, r.out)
			}
		}
		if args == nil && (strings.Contains(r.out, "\nStopped:") || strings.Contains(r.out, "Warning:") || strings.Contains(r.out, "cut here")) {
			t.Errorf("it was not read where it sleeps:\n%s", r.out)
		}
	}
}
