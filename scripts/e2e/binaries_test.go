//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// split builds a program and takes its symbols off it. They are below the folder
// that it returns, in another folder and under another name: in the whole program,
// or in a debug file alone.
func split(t *testing.T, debugFile bool) (program, folder string) {
	t.Helper()
	need(t, "strip", "objcopy")
	program = compile(t, "deep", "-O2", "-g", "-Wl,--build-id")
	folder = t.TempDir()
	with := filepath.Join(folder, "a", "b", "anything")
	if err := os.MkdirAll(filepath.Dir(with), 0o700); err != nil {
		t.Fatal(err)
	}
	command := []string{"cp", program, with}
	if debugFile {
		command = []string{"objcopy", "--only-keep-debug", program, with + ".debug"}
	}
	for _, c := range [][]string{command, {"strip", program}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", c, err, out)
		}
	}
	return program, folder
}

// otherBuild is a folder with a program of the same name and functions, and
// another build-id.
func otherBuild(t *testing.T) string {
	return filepath.Dir(compile(t, "deep", "-O1", "-Wl,--build-id"))
}

// wantNames requires the names that were taken off with the folder, and none with
// another build or without.
func wantNames(t *testing.T, folder string, args ...string) {
	t.Helper()
	for _, with := range []string{"", otherBuild(t), folder} {
		if with != "" {
			args = append(args[:len(args):len(args)], "--binaries", with)
		}
		r := snap(t, args...)
		if named := strings.Contains(r.out, "leaf_read"); r.code != 0 || named != (with == folder) {
			t.Errorf("%v: exit code %d, named: %v\n%s%s", args, r.code, named, r.out, r.err)
		}
	}
}

// TestBinaries finds symbols by build-id for a process, a recording of it and a
// core, where the program itself has been stripped, and has been deleted.
func TestBinaries(t *testing.T) {
	for name, debugFile := range map[string]bool{"whole": false, "debug file": true} {
		t.Run(name, func(t *testing.T) {
			program, folder := split(t, debugFile)
			dir := t.TempDir()
			target := start(t, program, "3", "read")
			blocksInRead(t, pid(target))
			wantNames(t, folder, "-p", pid(target))
			wantNames(t, folder, "-p", pid(target), "-n", "3")
			reports := filepath.Join(dir, "reports")
			snap(t, "-p", pid(target), "--every", "10ms", "-n", "1", "--dir", reports, "--binaries", folder)
			if !anyHas(t, reports, "leaf_read") {
				t.Error("the report of a watch has no names")
			}
			recording := filepath.Join(dir, "recording")
			snap(t, "-p", pid(target), "--save", recording)
			wantNames(t, folder, recording)
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
			wantNames(t, folder, "-p", pid(target))
			if _, err := exec.LookPath("gcore"); err != nil {
				t.Skip("gcore is not installed: no core")
			}
			if out, err := exec.Command("gcore", "-o", filepath.Join(dir, "core"), pid(target)).CombinedOutput(); err != nil {
				t.Skipf("gcore: %v %s", err, out)
			}
			wantNames(t, folder, filepath.Join(dir, "core."+pid(target)))
		})
	}
}

// anyHas tells whether a file below dir has the text.
func anyHas(t *testing.T, dir, text string) (has bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		has = has || strings.Contains(string(b), text)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return has
}
