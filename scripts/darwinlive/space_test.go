//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// space is where the programs under test run.
type space struct {
	name   string
	runner []string // what a program is run by
	files  string   // where this machine's files are, seen from inside
}

// spaces are those of this machine: the Mac itself, or a Darwin user space in
// either of its modes.
func spaces() []*space {
	if runtime.GOOS == "darwin" {
		return []*space{{name: "mac"}}
	}
	const files = "/Volumes/SystemRoot"
	return []*space{
		{"xnu", []string{darling()}, files},
		{"plain", []string{darling(), "--plain"}, files},
	}
}

// darling is the program that runs others in a Darwin user space.
func darling() string {
	if named := os.Getenv("STACKSNAP_DARLING"); named != "" {
		return named
	}
	return filepath.Join(repository, "..", "shared", "darling", "run")
}

// missing says why there is no Darwin user space here.
func missing() string {
	if runtime.GOOS == "darwin" {
		return ""
	}
	if _, err := os.Stat(darling()); err != nil || runtime.GOARCH != "amd64" {
		return "there is no Darwin user space for this machine at " + darling()
	}
	if os.Geteuid() != 0 {
		return "a Darwin user space needs root"
	}
	known, err := os.ReadFile("/proc/filesystems")
	if err != nil || !bytes.Contains(known, []byte("\toverlay\n")) {
		_ = exec.Command("modprobe", "overlay").Run()
		known, _ = os.ReadFile("/proc/filesystems")
	}
	if !bytes.Contains(known, []byte("\toverlay\n")) {
		return "a Darwin user space needs overlayfs"
	}
	return ""
}

// inside is a file's path as a program in the space names it.
func (s *space) inside(file string) string { return s.files + file }

// end ends all that runs in the space. The next program starts it anew.
func (s *space) end() error {
	if len(s.runner) == 0 {
		return nil
	}
	cmd := exec.Command(s.runner[0], append(s.runner[1:len(s.runner):len(s.runner)], "--stop")...)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the Darwin user space does not end: %w: %s", err, out)
	}
	return nil
}

// A room is one try of a test in a space that was started for it.
type room struct {
	*testing.T
	*space
	until    time.Time
	programs []*program
	path     string // where the next programs look for others; empty: as it is
}

// environment is what a test panics with that could not be finished for the sake
// of the Darwin user space, not of stacksnap.
type environment string

const tries = 6

// repeats counts the tests that began again.
var repeats int

// live runs a test in each space, each time within limit. It is begun again only
// if the space failed (see [environment]), and nothing was found wrong before.
func live(t *testing.T, limit time.Duration, test func(*room)) {
	t.Helper()
	liveIn(t, spaces(), limit, test)
}

// likeXNU are the spaces in which threads wait as on XNU: in the others a thread
// that waits is some calls further, in code of that space.
func likeXNU() []*space { return spaces()[:1] }

func (s *space) isLikeXNU() bool { return s.name == likeXNU()[0].name }

// liveIn is live in the spaces given.
func liveIn(t *testing.T, in []*space, limit time.Duration, test func(*room)) {
	for _, s := range in {
		t.Run(s.name, func(t *testing.T) {
			begin := time.Now()
			for n := 1; ; n++ {
				why := s.try(t, limit, test)
				if why == "" || t.Failed() {
					break
				}
				if n == tries {
					t.Fatalf("the Darwin user space failed %d times: %s", n, why)
				}
				repeats++
				t.Logf("REPEAT %d, for the Darwin user space: %s", n, why)
			}
			t.Logf("took %v", time.Since(begin).Round(time.Second/10))
		})
	}
}

func (s *space) try(t *testing.T, limit time.Duration, test func(*room)) (why environment) {
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	r := &room{T: t, space: s, until: time.Now().Add(limit)}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case environment:
			why = v
		default:
			panic(v)
		}
	}()
	defer r.leave()
	test(r)
	return ""
}

// leave ends what a test has started.
func (r *room) leave() {
	for _, p := range r.programs {
		p.kill()
	}
	if err := r.end(); err != nil {
		r.Error(err)
	}
}
