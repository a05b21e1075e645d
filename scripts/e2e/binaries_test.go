//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/task/needs"
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

// wantNames requires the names that were taken off with the folder by a flag, and none
// with another build or without.
func wantNames(t *testing.T, flag, folder string, args ...string) {
	t.Helper()
	for _, with := range []string{"", otherBuild(t), folder} {
		if with != "" {
			args = append(args[:len(args):len(args)], flag, with)
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
	for flag, debugFile := range map[string]bool{"--binaries": false, "--symbols": true} {
		t.Run(flag, func(t *testing.T) {
			program, folder := split(t, debugFile)
			dir := t.TempDir()
			target := start(t, program, "3", "read")
			blocksInRead(t, pid(target))
			wantNames(t, flag, folder, "-p", pid(target))
			wantNames(t, flag, folder, "-p", pid(target), "-n", "3")
			reports := filepath.Join(dir, "reports")
			snap(t, "-p", pid(target), "--every", "10ms", "-n", "1", "--dir", reports, flag, folder)
			if !anyHas(t, reports, "leaf_read") {
				t.Error("the report of a watch has no names")
			}
			recording := filepath.Join(dir, "recording")
			snap(t, "-p", pid(target), "--save", recording)
			wantNames(t, flag, folder, recording)
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
			wantNames(t, flag, folder, "-p", pid(target))
			needs.Tool(t, "gcore")
			if out, err := exec.Command("gcore", "-o", filepath.Join(dir, "core"), pid(target)).CombinedOutput(); err != nil {
				t.Fatalf("gcore: %v %s", err, out)
			}
			wantNames(t, flag, folder, filepath.Join(dir, "core."+pid(target)))
		})
	}
}

// TestSymbolsGivenByName: a debug file, and a tree of build-ids, name what a recording
// lacks; a file that belongs to nothing in the report is told once, and changes nothing.
func TestSymbolsGivenByName(t *testing.T) {
	need(t, "readelf")
	program, folder := split(t, true)
	other := compile(t, "deep", "-O1", "-Wl,--build-id")
	target := start(t, program, "3", "read")
	blocksInRead(t, pid(target))
	file := filepath.Join(t.TempDir(), "it.snap")
	plain := snap(t, "-p", pid(target), "--save", file)
	debug := filepath.Join(folder, "a", "b", "anything.debug")
	id := buildID(t, debug)
	tree := filepath.Join(t.TempDir(), ".build-id", id[:2])
	if err := os.MkdirAll(tree, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(debug, filepath.Join(tree, id[2:]+".debug")); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(plain.out, "; --symbols PATH or --debuginfod look for them by build-id\n") || !strings.Contains(plain.out, " deep "+id[:8]+"…") {
		t.Errorf("no word of what would help:\n%s", plain.out)
	}
	for _, path := range []string{debug, filepath.Dir(filepath.Dir(tree)), filepath.Dir(tree)} {
		r := snap(t, file, "--symbols", path)
		if r.code != 0 || r.err != "" || !strings.Contains(r.out, "leaf_read + ") || strings.Contains(r.out, "in deep "+id[:8]) || strings.Contains(plain.out, "leaf_read") {
			t.Errorf("%s: exit code %d %s\n%s", path, r.code, r.err, r.out)
		}
	}
	document := filepath.Join(t.TempDir(), "it.json")
	if r := snap(t, file, "-o", document); r.code != 0 {
		t.Fatal(r.err)
	}
	if r := snap(t, document, "--symbols", debug, "-f", "folded"); r.code != 0 || r.err != "" || r.out != snap(t, file, "--symbols", debug, "-f", "folded").out {
		t.Errorf("of the document: exit code %d %s\n%s", r.code, r.err, r.out)
	}
	r := snap(t, file, "--symbols", other)
	refused(t, r, 0, other+" ("+buildID(t, other)+") is of no image in the report")
	if strings.Contains(r.out, "leaf_read") {
		t.Error("names are of another build")
	}
	refused(t, snap(t, file, "--symbols", file), 1, file+" has no UUID and no build-id")
}

// buildID is that of a file, as readelf tells it.
func buildID(t *testing.T, file string) string {
	t.Helper()
	_, id, ok := strings.Cut(peer(t, "readelf", "-n", file), "Build ID: ")
	if !ok {
		t.Fatal("no build-id in ", file)
	}
	return strings.Fields(id)[0]
}

// anyHas reports whether a file below dir has the text.
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
