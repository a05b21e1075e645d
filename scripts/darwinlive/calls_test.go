//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// machTests builds the tests of task/mach, with those on a live system.
func machTests(t *testing.T) string {
	return once(t, "mach.test", func(out string) error {
		build := []string{"go", "test", "-c", "-tags", "darwinlive", "-o", out}
		if runtime.GOOS == "darwin" {
			return errors.Join(
				run(repository, nil, append(build, "./task/mach")...),
				// It looks at itself, which its signature has to allow.
				run(repository, nil, "codesign", "--force", "--sign", "-", "--entitlements", "scripts/darwinlive/testdata/entitlements.plist", out),
			)
		}
		build = append(build, "-ldflags=-w", "./task/mach") // without -w Go calls dsymutil
		return run(repository, nil, append([]string{"scripts/build-darwin.sh", "run", "amd64"}, build...)...)
	})
}

// TestEveryCall has every function of task/mach/mach.h called, and prints what
// came back.
func TestEveryCall(t *testing.T) {
	program := machTests(t)
	live(t, time.Minute, func(r *room) {
		res := r.start(program, "-test.v", "-test.run", "^TestLiveCalls$").wait()
		r.Log("\n" + strings.Join(regexp.MustCompile(`(?m)^\|.*$`).FindAllString(res.out, -1), "\n"))
		if res.code != 0 || !strings.Contains(res.out, "--- PASS: TestLiveCalls") {
			r.Errorf("exit code %d: %s%s", res.code, tail(res.out), tail(res.err))
		}
	})
}

// TestAStopAllocatesNothing: the runtime may have to wait for its own locks, and
// for memory, when it allocates, and the target stands meanwhile.
func TestAStopAllocatesNothing(t *testing.T) {
	program := machTests(t)
	live(t, time.Minute, func(r *room) {
		res := r.start(program, "-test.v", "-test.run", "^TestLiveStopAllocatesNothing$").wait()
		r.Log(regexp.MustCompile(`(?m)^.* allocations a stop$`).FindString(res.out))
		if res.code != 0 || !strings.Contains(res.out, "--- PASS: TestLiveStopAllocatesNothing") {
			r.Errorf("exit code %d: %s%s", res.code, tail(res.out), tail(res.err))
		}
	})
}

// TestFlat: nothing grows with the number of one-shots and samples.
func TestFlat(t *testing.T) {
	program := machTests(t)
	live(t, either(20*time.Minute, 2*time.Minute), func(r *room) {
		r.Setenv("STACKSNAP_LIVE_FLAT", either("200,5000", "20,200"))
		res := r.start(program, "-test.v", "-test.run", "^TestLiveFlat$", "-test.timeout", "30m").wait()
		r.Log("\n" + strings.Join(regexp.MustCompile(`(?m)^.*before, .*after$`).FindAllString(res.out, -1), "\n"))
		if res.code != 0 || !strings.Contains(res.out, "--- PASS: TestLiveFlat") {
			r.Errorf("exit code %d: %s%s", res.code, tail(res.out), tail(res.err))
		}
	})
}
