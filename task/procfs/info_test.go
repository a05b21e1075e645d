//go:build linux

package procfs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStart compares the time at which a process was started with the clock around
// it. The kernel cuts it to a hundredth of a second.
func TestStart(t *testing.T) {
	before := time.Now()
	g := startTarget(t)
	after := time.Now()
	const unit = time.Second / userHZ
	if got := openTarget(t, g.pid).Info().Start; got.Before(before.Add(-2*unit)) || got.After(after.Add(unit)) {
		t.Errorf("started at %v, want %v to %v", got, before, after)
	}
}

func TestFactsOfALiveProcess(t *testing.T) {
	g := startTarget(t)
	info := openTarget(t, g.pid).Info()
	if !slices.Equal(info.Command.Args, g.Args) || info.Command.Cut {
		t.Errorf("command %q, want %q", info.Command.Args, g.Args)
	}
	if f := info.Footprint; f.Now == 0 || f.Peak < f.Now || f.Now > info.Machine.Memory {
		t.Errorf("%+v of %d bytes", f, info.Machine.Memory)
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if real, err := filepath.EvalSymlinks(folder); err != nil || info.Folder != real {
		t.Errorf("works in %q, want %q (%v)", info.Folder, real, err)
	}
	if u := info.User; u == nil || int(u.ID) != os.Geteuid() {
		t.Errorf("user %+v, want %d", u, os.Geteuid())
	} else if id, err := exec.Command("id", "-un").Output(); err == nil && u.Name != strings.TrimSpace(string(id)) {
		t.Errorf("user %+v, want %s", u, id)
	}
	if m := info.Machine; m.CPUs < m.Active || m.Active < 1 {
		t.Errorf("%+v", m)
	}
}

func TestEffectiveUser(t *testing.T) {
	for status, want := range map[string]uint32{
		"Name:\tx\nUid:\t1000\t0\t0\t0\n": 0,
		"Uid:\t0\t1000\t5\t6\n":           1000,
		"Uid:\t0\n":                       ^uint32(0),
		"Uid:\t0\tx\n":                    ^uint32(0),
		"":                                ^uint32(0),
	} {
		if got := effectiveUser([]byte(status)); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
}

// TestSharesMounts of a process whose namespaces may not be read.
func TestSharesMounts(t *testing.T) {
	ours, err := os.ReadFile("/proc/self/mountinfo")
	must(t, err)
	for mounts, want := range map[string]bool{
		string(ours):          true,
		"1" + string(ours):    false,
		string(ours[:4]):      false,
		"\n" + string(ours):   false,
		"":                    false,
		"22 27 0:1 / / rw\nx": false,
	} {
		folder := t.TempDir()
		must(t, os.WriteFile(filepath.Join(folder, "mountinfo"), []byte(mounts), 0o600))
		dir, err := OpenDir(folder)
		must(t, err)
		if got := dir.sharesMounts(); got != want {
			t.Errorf("%.40q: %t, want %t", mounts, got, want)
		}
		dir.Close()
	}
}

func TestListHasOurChild(t *testing.T) {
	g := startTarget(t)
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", g.pid))
	must(t, err)
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.PID == g.pid {
			if c.Name != "cat" || c.Path != path {
				t.Errorf("%+v", c)
			}
			return
		}
	}
	t.Errorf("pid %d is not among %d", g.pid, len(all))
}
