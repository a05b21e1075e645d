package binaries

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/internal/cachetest"
	"stacksnap/images/macho"
	"stacksnap/task"
)

// TestSharedCache takes an image out of a shared cache, with its local symbols, and says
// what is missing of that. An own file of the image comes first.
func TestSharedCache(t *testing.T) {
	const name = "../../macho/testdata/lib.aarch64"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	own, err := macho.NewFile(bytes.NewReader(b), int64(len(b)), macho.Want{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const vmaddr = cachetest.Start + 0x4_0000
	path := cachetest.Make(t, dir, cachetest.Layouts["iOS 26"], []cachetest.Image{{File: b, VMAddr: vmaddr}})
	for _, places := range []Places{{Directories: []string{dir}}, {Symbols: []string{path}}, {System: []string{"/nowhere", dir}}} {
		x, err := NewIndex(places)
		if err != nil {
			t.Fatal(err)
		}
		if path, ok := x.Path(own.ID()); ok || !x.HasSymbols(own.ID()) || len(x.SymbolPaths(own.ID())) > 0 {
			t.Errorf("%+v: the image has a file, %q", places, path)
		}
		for _, arch := range []task.Arch{task.ARM64, task.AMD64} {
			if f, err := x.MachO("", macho.Want{Arch: arch, ID: own.ID()}); (err == nil) != (arch == task.ARM64) {
				t.Errorf("%+v: %v of %v", places, err, arch)
			} else if err == nil && (!f.HasSymbols() || !f.InSharedCache()) {
				t.Error("the image has no symbols")
			}
		}
		f, ok := x.Symbols(task.ARM64, own.ID(), nil)
		if !ok {
			t.Fatal("no symbols")
		}
		here, _ := own.TextVMAddr()
		for _, s := range own.Sections() {
			for a := s.VMAddr; s.Name == "__text" && a < s.VMAddr+s.Size; a += 4 {
				want, wantOK := own.Symbol(a)
				if got, ok := f.Symbol(a - here + vmaddr); got.Name != want.Name || ok != wantOK {
					t.Fatalf("%#x: %+v, want %+v", a, got, want)
				}
			}
		}
		c, at, ok := x.Cache(own.ID())
		again, none, _ := x.Cache(cachetest.UUID[:])
		if !ok || at != vmaddr || again != c || none != 0 {
			t.Errorf("the cache has the image at %#x, itself at %#x", at, none)
		}
		if _, _, ok := x.Cache([]byte("another")); ok {
			t.Error("a cache of what is in none")
		}
		if lines := x.Warnings(); len(lines) != len(places.Symbols) {
			t.Errorf("%q", lines)
		}
	}
	if _, err := NewIndex(Places{Symbols: []string{path + ".26.dyldlinkedit"}}); err == nil || !strings.Contains(err.Error(), "give the main file") {
		t.Errorf("a part was named: %v", err)
	}
	if err := os.Remove(path + ".25.dylddata"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "own"), b)
	x, err := NewIndex(Places{Directories: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := x.MachO("", macho.Want{Arch: task.ARM64, ID: own.ID()}); err != nil || f.InSharedCache() {
		t.Errorf("%v; or it was taken out of the cache", err)
	}
	if _, _, ok := x.Cache(own.ID()); !ok {
		t.Error("no cache")
	}
	if lines := x.Warnings(); len(lines) != 1 || !strings.Contains(lines[0], "a part of a shared cache: "+path+".25.dylddata: ") {
		t.Errorf("%q", lines)
	}
}

// TestWarningsAreBounded: up to the bound all are kept, and beyond it the rest is counted.
func TestWarningsAreBounded(t *testing.T) {
	for n, want := range map[int]string{
		maxWarnings: "part", maxWarnings + 1: "nor could 1 more parts of shared caches be opened",
		maxWarnings + 7: "nor could 7 more parts of shared caches be opened",
	} {
		lines := firstWarnings(slices.Repeat([]string{"part"}, n), "nor could %d more parts of shared caches be opened")
		if got := lines[len(lines)-1]; got != want || len(lines) != min(n, maxWarnings+1) {
			t.Errorf("%d: %d lines, the last %q", n, len(lines), got)
		}
	}
}
