package elf

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/internal/llvmtest"
	"stacksnap/task/needs"
)

// TestLLVMSplit does so with the entries in files of their own, then in one package;
// and without these, and with those of another build, where there are lines alone.
func TestLLVMSplit(t *testing.T) {
	for _, flags := range splitBuilds {
		withBuild(t, flags, func(t *testing.T, b build) {
			want := framesOf(t, b.bare, b.addrs())
			wantAs(t, b.bare, want)
			t.Run("moved", func(t *testing.T) {
				moved := filepath.Join(t.TempDir(), "moved")
				b.copyTo(t, moved, "*.dwo")
				hidden := filepath.Join(b.dir, "hidden")
				b.move(t, hidden, "*.dwo")
				defer b.moveBack(t, hidden)
				wantAs(t, filepath.Join(moved, "bare"), want)
			})
			t.Run("package", func(t *testing.T) { packageOf(t, b, want) })
		})
	}
}

// firstDWP is the first version of llvm-dwp that reads compressed sections of DWARF 5.
const firstDWP = 15

// packageOf compares what the package of all split units tells.
func packageOf(t *testing.T, b build, want map[uint64]string) {
	run(t, needs.LLVM(t, "llvm-dwp", firstDWP), append([]string{"-o", b.bare + ".dwp"}, b.glob(t, "*.dwo")...)...)
	hidden := filepath.Join(b.dir, "hidden")
	b.move(t, hidden, "*.dwo")
	wantAs(t, b.bare, want)
	if err := os.Remove(b.bare + ".dwp"); err != nil {
		t.Fatal(err)
	}
	linesAlone(t, b.bare, want)
	// Each file has the other's name.
	files, names := b.filesIn(t, hidden), b.filesIn(t, hidden)
	slices.Reverse(names)
	for i, f := range files {
		if err := os.Rename(f, filepath.Join(b.dir, filepath.Base(names[i]))); err != nil {
			t.Fatal(err)
		}
	}
	linesAlone(t, b.bare, want)
}

// linesAlone wants no functions and calls but those that skeletons have, and the line
// of the innermost frame.
func linesAlone(t *testing.T, path string, want map[uint64]string) {
	t.Helper()
	f := openFile(t, path)
	lines, other := 0, 0
	for a, w := range want {
		got := f.Source(a)
		_, place, _ := strings.Cut(w, " ")
		switch {
		case len(got) > 0 && got[0].Function == "" && strings.HasPrefix(llvmtest.Format(got[:1]), " "+strings.SplitN(place, ";", 2)[0]):
			lines++
		case len(got) > 0 && got[0].Function != "":
			other++ // clang's skeletons may have them
		}
	}
	t.Logf("%d addresses, %d lines alone, %d with functions", len(want), lines, other)
	if lines < len(want)/2 {
		t.Errorf("%s: of %d addresses %d have lines", path, len(want), lines)
	}
}

// TestLLVMShared compares files from which dwz has taken what they have more than once
// or in common, with what llvm-symbolizer tells of them before that.
func TestLLVMShared(t *testing.T) {
	dwz := tool(t, "dwz")
	for _, flags := range sharedBuilds {
		withBuild(t, flags, func(t *testing.T, b build) {
			want := framesOf(t, b.bare, b.addrs())
			for name, more := range map[string][]string{"altlink": nil, "debug_sup": {"--dwarf-5"}} {
				if more != nil && strings.Contains(flags, "-4") {
					continue
				}
				t.Run(name, func(t *testing.T) {
					dir := t.TempDir()
					one, two, shared := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "shared.debug")
					b.copyAs(t, one)
					b.copyAs(t, two)
					if out, err := exec.Command(dwz, append(more, "-m", shared, "-M", "shared.debug", one, two)...).CombinedOutput(); err != nil {
						needs.Skip(t, "a dwz that reads the program", fmt.Sprintf("%v: %s", err, out)) // clang's DWARF 5 has .debug_addr
					}
					wantAs(t, one, want)
					wantAs(t, two, want)
					if err := os.Rename(shared, shared+".not"); err != nil {
						t.Fatal(err)
					}
					if f := openFile(t, one); f.Source(slices.Min(slices.Collect(maps.Keys(want)))) == nil {
						t.Error("nothing is known without the shared file")
					}
				})
			}
		})
	}
}
