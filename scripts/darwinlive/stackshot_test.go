//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestStackshots: a Mac's kernel gives root its stackshots, and nobody else. The Darwin
// user space has the calls and no kernel behind them: that is told in a line, and --no-stop
// does without.
func TestStackshots(t *testing.T) {
	program := compile(t, "threads.c", cFlags...)
	code, line := 1, "cannot be had: this system takes no stackshots"
	if runtime.GOOS == "darwin" {
		code, line = 4, "only root may take stackshots"
	}
	live(t, time.Minute, func(r *room) {
		p := r.target(program, "8")
		pid := fmt.Sprint(p.pid)
		for _, args := range [][]string{{"-p", pid, "--kernel"}, {"-p", pid, "--kernel", "-d", "100ms"}, {"-p", pid, "--tree", "--kernel"}, {"--system"}} {
			res := r.snap(args...)
			r.Logf("%s: %s", strings.Join(args, " "), lastLine(res.err))
			if runtime.GOOS == "darwin" && os.Geteuid() == 0 {
				r.checkFilmed(res, args)
			} else if res.code != code || res.out != "" || !strings.Contains(res.err, line) || strings.Count(res.err, "\n") != 1 {
				r.Errorf("%q: exit code %d: %s%s", args, res.code, tail(res.out), tail(res.err))
			}
		}
		if said := r.ok(r.snap("-p", pid, "--no-stop", "-d", "100ms")); !strings.Contains(said, "Thread ") {
			r.Errorf("--no-stop: %s", tail(said))
		}
	})
}

// checkFilmed wants the report of a stackshot.
func (r *room) checkFilmed(res result, args []string) {
	r.Helper()
	for _, want := range []string{"nothing was suspended", "Thread "} {
		if res.code != 0 || !strings.Contains(res.out, want) {
			r.Errorf("%q: exit code %d, no %q: %s%s", args, res.code, want, tail(res.out), tail(res.err))
		}
	}
	if args[0] == "-p" && !strings.Contains(res.out, "[k] ") {
		r.Errorf("%q: no frames in the kernel: %s", args, tail(res.out))
	}
}
