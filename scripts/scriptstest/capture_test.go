//go:build linux || darwin

package scriptstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/format/output"
)

var captureName = regexp.MustCompile(`^stacksnap-([A-Za-z0-9._+-]+)-([0-9]+)-[0-9]{8}T[0-9]{6}Z(-[0-9]+)?\.snap$`)

func TestCapture(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	g := start(t, "capt one", "idle")
	for i, target := range []string{g.String(), "capt one"} {
		r := b.run("capture.sh", "-p", target, "--dir="+b.dir, "-d", "3s", "--", "--rate", "100")
		files := b.captured()
		if r.code != 0 || len(files) != i+1 {
			t.Fatalf("exit %d, %v\n%s", r.code, files, r.err)
		}
		for _, f := range files {
			if m := captureName.FindStringSubmatch(f); m == nil || m[1] != "capt_one" || m[2] != g.String() {
				t.Errorf("captured %q", f)
			}
		}
	}
	for _, call := range b.calls() {
		if want := "[-p][" + g.String() + "][-d][3s][--rate][100][--save]["; !strings.HasPrefix(call, want) {
			t.Errorf("called %s, want %s…", call, want)
		}
	}
}

// TestCaptureNamesFilesAsStacksnapDoes: the program's own rotation, and the
// scripts', keep one row.
func TestCaptureNamesFilesAsStacksnapDoes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	g := start(t, "rowed", "idle")
	folder, err := output.OpenFolder(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	old := output.Rotation{Folder: folder, Name: "rowed", PID: 5, Ext: "snap"}
	var paths []string
	for i := range 4 {
		file, err := old.Create(time.Unix(int64(i/2)*1000, 0))
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close() // it stays empty
		paths = append(paths, filepath.Base(file.Name()))
	}
	if r := b.run("capture.sh", "-p", g.String(), "--dir", b.dir, "--keep", "3"); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	files := b.captured()
	if len(files) != 3 || slices.Contains(files, paths[0]) || slices.Contains(files, paths[1]) {
		t.Errorf("kept %v of %v", files, paths)
	}
	old.Keep = 1
	if err := old.Prune(""); err != nil || len(b.captured()) != 1 {
		t.Errorf("stacksnap keeps %v, %v", b.captured(), err)
	}
}

func TestCaptureDeletesOnlyItsOwnKind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	g := start(t, "own.kind", "idle")
	others := []string{
		"notes", "stacksnap-ownXkind-1-20200101T000000Z.snap", "stacksnap-own.kind-2-1-20200101T000000Z.snap",
		"stacksnap-own.kind-1-20200101T000000Z.txt", "stacksnap-own.kind-1-20200101T000000Z.snap.bak",
		"stacksnap-own.kind-1-20200101000000Z.snap", "stacksnap-own.kind-x-20200101T000000Z.snap",
	}
	b.put(append(others, "stacksnap-own.kind-1-20200101T000000Z.snap", "stacksnap-own.kind-1-20200101T000000Z-2.snap")...)
	if err := os.Mkdir(filepath.Join(b.dir, "stacksnap-own.kind-1-20190101T000000Z.snap"), 0o700); err != nil {
		t.Fatal(err)
	}
	if r := b.run("capture.sh", "-p", g.String(), "--dir", b.dir, "--keep", "1"); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	files := b.captured()
	for _, name := range others {
		if !slices.Contains(files, name) {
			t.Errorf("%s was deleted", name)
		}
	}
	if len(files) != len(others)+2 { // and the folder and the new one
		t.Errorf("left %v", files)
	}
}

func TestCapturePassesExitCodesOn(t *testing.T) {
	t.Parallel()
	g := start(t, "coded", "idle")
	for code, kept := range map[string]int{"0": 1, "5": 1, "4": 0, "1": 0, "3": 0} {
		b := newBench(t)
		b.env = []string{"FAKE_EXIT=" + code}
		r := b.run("capture.sh", "-p", g.String(), "--dir", b.dir)
		if files := b.captured(); string(rune('0'+r.code)) != code || len(files) != kept {
			t.Errorf("stacksnap ended with %s: exit %d, captured %v", code, r.code, files)
		}
	}
	b := newBench(t)
	b.env = []string{"FAKE_EMPTY=yes"}
	if r := b.run("capture.sh", "-p", g.String(), "--dir", b.dir); r.code != 1 || len(b.captured()) != 0 {
		t.Errorf("nothing saved: exit %d, captured %v", r.code, b.captured())
	}
}

func TestCaptureWithoutTheProcess(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	start(t, "two of them", "idle")
	start(t, "two of them", "idle")
	for target, code := range map[string]int{"no-such-process": 3, "999999999": 3, "two of them": 2} {
		r := b.run("capture.sh", "-p", target, "--dir", b.dir)
		if r.code != code || !strings.Contains(r.err, target) || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%s: exit %d\n%s", target, r.code, r.err)
		}
	}
	if len(b.calls()) != 0 {
		t.Errorf("stacksnap was called: %v", b.calls())
	}
}

func TestCaptureMindsTheDisk(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	g := start(t, "full disk", "idle")
	r := b.run("capture.sh", "-p", g.String(), "--dir", b.dir, "--min-free", "999999999")
	if r.code != 1 || len(b.calls()) != 0 || !strings.Contains(r.err, "less than 999999999 MB are free") {
		t.Errorf("exit %d, called %v\n%s", r.code, b.calls(), r.err)
	}
}
