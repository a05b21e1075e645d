//go:build linux

package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var framePointers = map[string]string{
	"with frame pointers":    "-fno-omit-frame-pointer",
	"without frame pointers": "-fomit-frame-pointer",
}

// deepChain is what every worker of testdata/deep.c is in, innermost first.
func deepChain() []string {
	chain := []string{"call_leaf"}
	for i := 50; i >= 1; i-- {
		chain = append(chain, fmt.Sprintf("step%d", i))
	}
	return append(chain, "worker")
}

// chainOf returns the names from call_leaf to worker.
func chainOf(frames []frame) []string {
	var names []string
	for _, f := range frames {
		if f.name == "call_leaf" || len(names) > 0 {
			names = append(names, f.name)
		}
		if f.name == "worker" {
			break
		}
	}
	return names
}

// checkDeep requires n workers, each with every frame, named and in order.
func checkDeep(t *testing.T, s stacks, n int) {
	t.Helper()
	workers := 0
	for id, frames := range s {
		names := chainOf(frames)
		if len(names) == 0 {
			continue
		}
		workers++
		if d := cmp.Diff(deepChain(), names); d != "" {
			t.Errorf("thread %s (-want +got):\n%s", id, d)
		}
	}
	if workers != n {
		t.Errorf("%d workers, want %d", workers, n)
	}
}

// checker is told what is wrong.
type checker interface {
	Helper()
	Errorf(format string, args ...any)
}

// complaints are what a checker was told.
type complaints []string

func (c *complaints) Helper() {}
func (c *complaints) Errorf(format string, args ...any) {
	*c = append(*c, fmt.Sprintf(format, args...))
}

// comesToAgree compares two looks at a process, one after the other, until they
// agree: on a busy machine a thread may be on its way back into the call in which it
// waits, where one of them stopped it.
func comesToAgree(t *testing.T, compare func(checker)) {
	t.Helper()
	var last complaints
	for end := time.Now().Add(patience); time.Now().Before(end); {
		last = nil
		if compare(&last); len(last) == 0 {
			return
		}
	}
	t.Error(strings.Join(last, "\n"))
}

// checkPeer requires the same addresses from both, thread by thread, and the
// same names where both have one.
func checkPeer(t checker, ours, theirs stacks) {
	t.Helper()
	if len(ours) != len(theirs) {
		t.Errorf("%d threads, the peer has %d", len(ours), len(theirs))
	}
	for id, want := range theirs {
		got := ours[id]
		for i := range max(len(want), len(got)) {
			if i >= len(want) || i >= len(got) {
				t.Errorf("thread %s: %d frames, the peer has %d\nours %v\ntheirs %v", id, len(got), len(want), got, want)
				break
			}
			if !sameFrame(got[i], want[i]) {
				t.Errorf("thread %s frame %d: %v, the peer has %v", id, i, got[i], want[i])
			}
		}
	}
}

// programs are the functions of testdata/deep.c. For those of a stripped library
// gdb takes the name of the nearest neighbour.
var programs = regexp.MustCompile(`^(main|worker|step\d+|call_leaf|leaf_\w+|handler)$`)

// checkSubset requires that the peer's frames are ours, in order, and that ours
// has few more: gdb prints no address for the innermost frame and for a signal
// trampoline.
func checkSubset(t checker, ours, theirs stacks) {
	t.Helper()
	const unaddressed = 4
	if len(ours) != len(theirs) {
		t.Errorf("%d threads, the peer has %d", len(ours), len(theirs))
	}
	for id, want := range theirs {
		rest := ours[id]
		if len(rest) > len(want)+unaddressed {
			t.Errorf("thread %s: %d frames, the peer has %d", id, len(rest), len(want))
		}
		for _, f := range want {
			i := slices.IndexFunc(rest, func(g frame) bool { return g.addr == f.addr })
			if i < 0 {
				t.Errorf("thread %s: the peer's %v is not among ours, or not in order: %v", id, f, ours[id])
				break
			}
			if programs.MatchString(f.name) && rest[i].name != f.name {
				t.Errorf("thread %s: %v, the peer has %v", id, rest[i], f)
			}
			rest = rest[i+1:]
		}
	}
}

// sameFrame compares addresses (the peer's may be the outermost 0, or missing)
// and names: versions, aliases and parts of one function are the
// same.
func sameFrame(a, b frame) bool {
	if a.addr != b.addr {
		return false
	}
	return a.name == "" || b.name == "" || plain(a.name) == plain(b.name)
}

func plain(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return strings.TrimLeft(clone.ReplaceAllString(name, ""), "_")
}

// clone is what compilers append to the names of copies and parts of functions.
var clone = regexp.MustCompile(`(\.(constprop|isra|part|cold|lto_priv)(\.\d+)?)+$`)

// settled are the ways to block in which two readers, one after the other, must
// see the same addresses.
var settled = []string{"read", "futex", "nanosleep", "epoll", "signal", "altstack"}

func TestSameStacksAsEUStack(t *testing.T) {
	need(t, "eu-stack")
	eachSettled(t, func(t *testing.T, c checker, pid string, ours stacks) {
		checkPeer(c, ours, parseEU(peer(t, "eu-stack", "-n", "0", "-p", pid)))
	})
}

func TestSameStacksAsGDB(t *testing.T) {
	need(t, "gdb")
	eachSettled(t, func(t *testing.T, c checker, pid string, ours stacks) {
		// Without separate debug files, from which gdb adds frames of inlined functions.
		bt := peer(t, "gdb", "-nx", "-iex", "set debug-file-directory /nonexistent", "-p", pid, "-batch",
			"-ex", "set backtrace past-main", "-ex", "thread apply all bt")
		checkSubset(c, ours, parseGDB(bt))
	})
}

// eachSettled runs compare on programs, ways to block and numbers of threads: all
// with -tags long. A busy machine may take longer than usual to stop them.
func eachSettled(t *testing.T, compare func(t *testing.T, c checker, pid string, ours stacks)) {
	i := -1
	for name, flag := range framePointers {
		program := compile(t, "deep", "-O2", flag)
		for _, how := range settled {
			for _, n := range []string{"8", "64"} {
				if i++; !isChosen(i) {
					continue
				}
				t.Run(name+"/"+how+"/"+n, func(t *testing.T) {
					id := pid(start(t, program, n, how))
					blocksInRead(t, id)
					comesToAgree(t, func(c checker) {
						r := snap(t, "-p", id, "--max-stop", "10s", "--no-merge", "--addresses")
						if r.code != 0 {
							t.Fatalf("exit %d: %s", r.code, r.err)
						}
						sleeps(t, id)
						compare(t, c, id, parseOurs(r.out))
						sleeps(t, id)
					})
				})
			}
		}
	}
}

func TestEveryFrameIsThereAndNamed(t *testing.T) {
	for name, flag := range framePointers {
		program := compile(t, "deep", "-O2", flag)
		for j, how := range append([]string{"spin", "vdso"}, settled...) {
			for _, n := range []int{8, 64} {
				if n == 64 && !isChosen(j+1) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", name, how, n), func(t *testing.T) {
					cmd := start(t, program, fmt.Sprint(n), how)
					r := snap(t, "-p", pid(cmd), "--max-stop", "10s", "--no-merge", "--addresses")
					if r.code != 0 {
						t.Fatalf("exit %d: %s", r.code, r.err)
					}
					_ = cmd.Process.Kill() // 64 busy threads leave us little time to read the report
					checkDeep(t, parseOurs(r.out), n)
				})
			}
		}
	}
}
