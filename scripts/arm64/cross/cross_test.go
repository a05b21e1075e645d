package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stacksnap/task/needs"
)

func TestPathsOfTheGuest(t *testing.T) {
	root := t.TempDir()
	args := []string{"-O1", "-o", "/tmp/T/001/it", "testdata/it.c", "-L/tmp/lib", "--add-gnu-debuglink=/tmp/it.debug", "-Wl,-rpath,/tmp/lib", "/lib/x.so", "/usr/lib/x.o"}
	want := []string{"-O1", "-o", root + "/tmp/T/001/it", "testdata/it.c", "-L" + root + "/tmp/lib", "--add-gnu-debuglink=" + root + "/tmp/it.debug", "-Wl,-rpath,/tmp/lib", root + "/lib/x.so", "/usr/lib/x.o"}
	got, err := placed(args, root)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if err := os.WriteFile(root+"/tmp/T/001/it", nil, 0o755); err != nil {
		t.Errorf("what is made has no folder: %v", err)
	}
}

func TestWhatACallChanged(t *testing.T) {
	root := t.TempDir()
	before := map[string]file{"/tmp/same": {0o644, []byte("a")}, "/tmp/stripped": {0o755, []byte("abc")}}
	for name, data := range map[string]string{"same": "a", "stripped": "b", "made": ""} {
		if err := writeFile(filepath.Join(root, "tmp", name), file{0o755, []byte(data)}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := changed(root, before)
	if err != nil || len(got) != 2 || string(got["/tmp/stripped"].Data) != "b" || got["/tmp/made"].Mode != 0o755 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNamedFiles(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "cross")
	if err != nil {
		needs.Feature(t, "/tmp", err, fs.ErrNotExist)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "lib", "a.so")
	if err := writeFile(path, file{0o600, []byte("elf")}); err != nil {
		t.Fatal(err)
	}
	got, err := namedFiles([]string{"-L" + filepath.Dir(path), "-o", filepath.Join(dir, "new"), "main.go"})
	if f := got[path]; err != nil || len(got) != 1 || f.Mode != 0o600 || string(f.Data) != "elf" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUnknownToolIsRefused(t *testing.T) {
	for _, args := range [][]string{nil, {"sh", "-c", "exit 0"}} {
		if a := handle(call{ID: 7, Args: args}); a.ID != 7 || a.Code != 1 || len(a.Output) == 0 {
			t.Errorf("%v: %+v", args, a)
		}
	}
}
