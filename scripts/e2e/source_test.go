//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSourceAndInlinedCalls wants of a live program the function, file and line that
// addr2line tells of each of its frames, and the calls inlined there; of a stripped one
// with its debug file in --binaries, and of a recording, the same.
func TestSourceAndInlinedCalls(t *testing.T) {
	need(t, "addr2line", "objcopy", "strip")
	for _, flags := range [][]string{{"-gdwarf-4", "-O2"}, {"-gdwarf-5", "-O2"}, {"-gdwarf-5", "-O2", "-gz"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			program := compile(t, "inlined", append(flags, "-Wl,--build-id=sha1")...)
			whole := filepath.Join(t.TempDir(), "whole.debug")
			if err := os.Link(program, whole); err != nil {
				t.Fatal(err)
			}
			compareSource(t, program, whole)
			stripped := filepath.Join(t.TempDir(), "stripped")
			if out, err := exec.Command("strip", "-o", stripped, program).CombinedOutput(); err != nil {
				t.Fatalf("strip: %v: %s", err, out)
			}
			compareSource(t, stripped, whole, "--binaries", filepath.Dir(whole))
		})
	}
}

// TestSourceThatIsShared: what dwz has moved into a file of several is found by its
// build-id in --symbols; without it, a call that was inlined has its line, and no name.
func TestSourceThatIsShared(t *testing.T) {
	need(t, "dwz", "gcc")
	program, other := compile(t, "inlined", "-g", "-O2"), compile(t, "inlined", "-g", "-O2")
	dir := t.TempDir()
	shared := filepath.Join(dir, "shared")
	if out, err := exec.Command("dwz", "-m", shared, "-M", "nowhere", program, other).CombinedOutput(); err != nil {
		t.Fatalf("dwz: %v: %s", err, out)
	}
	cmd := start(t, program)
	blocksInRead(t, pid(cmd))
	for want, flags := range map[string][]string{
		"leaf [inlined] (inlined)": {"--symbols", dir}, "??? [inlined] (inlined)": nil,
	} {
		got := snap(t, append([]string{"-p", pid(cmd)}, flags...)...)
		if got.code != exitOK || !strings.Contains(got.out, want) || !strings.Contains(got.out, "inlined.c:9") {
			t.Errorf("%q: no %s in\n%s%s", flags, want, got.out, got.err)
		}
	}
}

// compareSource compares a live snapshot with addr2line of the file that has all.
func compareSource(t *testing.T, program, whole string, flags ...string) {
	t.Helper()
	cmd := start(t, program)
	blocksInRead(t, pid(cmd))
	file := filepath.Join(t.TempDir(), "it.snap")
	live := snap(t, append([]string{"-p", pid(cmd), "-f", "json", "--save", file}, flags...)...)
	if live.code != exitOK {
		t.Fatal(live.err)
	}
	frames := framesOf(t, live.out, program)
	var want, got []string
	for _, f := range frames {
		if !f.Inlined {
			want = append(want, addr2line(t, whole, f)...)
		}
		got = append(got, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
	}
	if !slices.Equal(got, want) || len(got) < 4 || got[len(got)-1] != "leaf "+sourceOf(t)+":9" {
		t.Errorf("%s:\n%q\naddr2line:\n%q", program, got, want)
	}
	if again := snap(t, append([]string{file, "-f", "json"}, flags...)...); again.out != live.out {
		t.Errorf("the recording gives another report:\n%s", again.out)
	}
	tree := snap(t, append([]string{file}, flags...)...).out
	if !strings.Contains(tree, "leaf [inlined] ("+filepath.Base(program)+")") || !strings.Contains(tree, "  inlined.c:9\n") {
		t.Errorf("no inlined call in\n%s", tree)
	}
	plain := snap(t, append([]string{file, "--no-inlines"}, flags...)...).out
	if strings.Contains(plain, "[inlined]") || !strings.Contains(plain, "  trunk + ") {
		t.Errorf("with --no-inlines:\n%s", plain)
	}
}

// sourceFrame is a node of a report in json.
type sourceFrame struct {
	Function, File, Address string
	Line, Image             int
	Return, Inlined         bool
	Offset                  uint64 `json:"image_offset"`
}

// framesOf returns the frames that are in a program, the outermost first; its start
// code has no source.
func framesOf(t *testing.T, document, program string) []sourceFrame {
	t.Helper()
	var d struct {
		Images  []struct{ Path string }
		Threads []struct{ Nodes []sourceFrame }
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil || len(d.Threads) != 1 {
		t.Fatalf("%v in %s", err, document)
	}
	return slices.DeleteFunc(d.Threads[0].Nodes, func(f sourceFrame) bool {
		return d.Images[f.Image].Path != program || f.Function == "_start" || f.Function == "???" || f.Function == ""
	})
}

// addr2line tells the functions at a frame, the outermost first.
func addr2line(t *testing.T, file string, f sourceFrame) []string {
	t.Helper()
	at := f.Offset
	if f.Return {
		at--
	}
	lines := strings.Split(strings.TrimSpace(peer(t, "addr2line", "-i", "-f", "-e", file, fmt.Sprintf("0x%x", at))), "\n")
	var list []string
	for i := 0; i+1 < len(lines); i += 2 {
		place, _, _ := strings.Cut(lines[i+1], " (discriminator")
		list = append([]string{lines[i] + " " + place}, list...)
	}
	return list
}

// sourceOf is the source as the compiler knew it.
func sourceOf(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "testdata", "inlined.c")
}
