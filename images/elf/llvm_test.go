package elf

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"stacksnap/images/internal/llvmtest"
	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// TestLLVM compares with llvm-symbolizer what a program of C and C++ tells, in each
// version of DWARF (-tags long): function, file, line, column and inlined calls.
func TestLLVM(t *testing.T) {
	for _, flags := range wholeBuilds {
		withBuild(t, flags, func(t *testing.T, b build) {
			wantAs(t, b.bare, framesOf(t, b.bare, b.addrs()))
		})
	}
}

// TestLLVMCompressed compares what sections that are compressed tell.
func TestLLVMCompressed(t *testing.T) {
	withBuild(t, "-gdwarf-5 -O2", func(t *testing.T, b build) {
		want := framesOf(t, b.bare, b.addrs())
		for _, how := range []string{"zlib", "zstd"} {
			t.Run(how, func(t *testing.T) {
				packed := filepath.Join(t.TempDir(), "packed")
				if out, err := exec.Command("objcopy", "--compress-debug-sections="+how, b.bare, packed).CombinedOutput(); err != nil {
					needs.Skip(t, "objcopy for "+how, fmt.Sprintf("%v: %s", err, out))
				}
				wantAs(t, packed, want)
			})
		}
	})
}

// framesOf asks llvm-symbolizer.
func framesOf(t *testing.T, file string, addrs []uint64) map[uint64]string {
	t.Helper()
	want := map[uint64]string{}
	for i, frames := range llvmtest.Frames(t, file, addrs) {
		want[addrs[i]] = llvmtest.FormatLLVM(frames)
	}
	return want
}

// wantAs compares what a file tells.
func wantAs(t *testing.T, file string, want map[uint64]string) {
	t.Helper()
	f := openFile(t, file)
	inlined, named, bad := 0, 0, 0
	for _, a := range slices.Sorted(maps.Keys(want)) {
		got := f.Source(a)
		inlined += max(len(got)-1, 0)
		if slices.ContainsFunc(got, func(s object.Source) bool { return s.Function != "" }) {
			named++
		}
		if g := llvmtest.Format(got); g != want[a] {
			if bad++; bad <= 3 {
				t.Errorf("%#x:\n got %s\nwant %s", a, g, want[a])
			}
		}
	}
	t.Logf("%d addresses, %d with functions, %d inlined calls, %d differ", len(want), named, inlined, bad)
	if named < len(want)/2 {
		t.Errorf("of %d addresses %d have functions", len(want), named)
	}
}
