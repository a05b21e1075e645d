//go:build linux || darwin

package scriptstest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unpack reads an archive: the content of each file by its name in the folder.
func unpack(t *testing.T, archive string) map[string]string {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if ok, _ := path.Match("stacksnap-*Z/*", h.Name); !ok && h.Typeflag == tar.TypeReg {
			t.Errorf("the archive has %q", h.Name)
		}
		b, _ := io.ReadAll(r)
		if h.Typeflag == tar.TypeReg {
			files[path.Base(h.Name)] = string(b)
		}
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two, other := start(t, "collect me", "idle"), start(t, "collect me", "idle"), start(t, "other", "idle")
	r := b.run("collect.sh", "-d", "1s", "collect me", other.String(), one.String(), "--", "--main")
	archive := strings.TrimSpace(r.out)
	if r.code != 0 || !regexp.MustCompile(`^\./stacksnap-[A-Za-z0-9._+-]+-\d{8}T\d{6}Z\.tar\.gz$`).MatchString(archive) {
		t.Fatalf("exit %d, archive %q\n%s", r.code, archive, r.err)
	}
	files := unpack(t, filepath.Join(filepath.Dir(b.dir), archive))
	for name, g := range map[string]*target{"collect_me": one, "collect_me-2": two, "other": other} {
		base := strings.TrimSuffix(name, "-2") + "-" + g.String()
		if files[base+".snap"] != "recording of "+g.String()+"\n" || files[base+".txt"] != "report\n" {
			t.Errorf("%s: %q, %q", base, files[base+".snap"], files[base+".txt"])
		}
		checkLine(t, files["manifest.txt"], g.String(), "0", strings.TrimSuffix(name, "-2"))
	}
	if len(files) != 7 {
		t.Errorf("the archive has %v", files)
	}
	checkManifest(t, files["manifest.txt"])
}

func checkManifest(t *testing.T, manifest string) {
	t.Helper()
	host, _ := os.Hostname()
	for _, want := range []string{
		"stacksnap collection 1\n", "\nhost:       " + host + "\n", "\nsystem:     ", "\nuser:       ",
		"\nstacksnap:  stacksnap 9.9\n", "\noptions:    -d 1s --main\n", "\ntime:       20",
	} {
		if !strings.Contains("\n"+manifest, want) {
			t.Errorf("the manifest does not have %q:\n%s", want, manifest)
		}
	}
}

func checkLine(t *testing.T, manifest string, fields ...string) {
	t.Helper()
	for line := range strings.Lines(manifest) {
		if strings.Join(strings.Fields(line), " ") == strings.Join(fields, " ") {
			return
		}
	}
	t.Errorf("the manifest has no line %v:\n%s", fields, manifest)
}

func TestCollectTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	fine, refused := start(t, "fine", "idle"), start(t, "refused", "idle")
	b.env = []string{"FAKE_REFUSED=" + refused.String()}
	archive := filepath.Join(t.TempDir(), "it is here.tgz")
	// The stand-in saves before it is refused; an empty recording is none.
	r := b.run("collect.sh", "-o", archive, "--no-reports", "fine", "refused", "none such")
	if r.code != 1 || strings.TrimSpace(r.out) != archive || !strings.Contains(r.err, "2 of the processes") {
		t.Errorf("exit %d, %s\n%s", r.code, r.out, r.err)
	}
	files := unpack(t, archive)
	checkLine(t, files["manifest.txt"], fine.String(), "0", "fine")
	checkLine(t, files["manifest.txt"], refused.String(), "4", "refused")
	checkLine(t, files["manifest.txt"], "-", "3", "none_such")
	if log := files["refused-"+refused.String()+".log"]; !strings.Contains(log, "not permitted") {
		t.Errorf("the log says %q", log)
	}
	if info, err := os.Stat(archive); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestCollectOfNothing(t *testing.T) {
	t.Parallel()
	g := start(t, "empty", "idle")
	for name, args := range map[string][]string{
		"none runs": {"none such", "999999999"}, "no recording": {g.String()},
	} {
		b := newBench(t)
		b.env = []string{"FAKE_EMPTY=yes", "FAKE_EXIT=4"}
		archive := filepath.Join(b.t.TempDir(), "a.tgz")
		r := b.run("collect.sh", append([]string{"-o", archive}, args...)...)
		if r.code != 3 || r.out != "" {
			t.Errorf("%s: exit %d\n%s%s", name, r.code, r.out, r.err)
		}
		if left, _ := os.ReadDir(filepath.Dir(archive)); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

func TestCollectCannotWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	g := start(t, "unwritten", "idle")
	for _, args := range [][]string{
		{"-o", "/no/such/folder/a.tgz", g.String()},
		{"--min-free", "999999999", g.String()},
	} {
		if r := b.run("collect.sh", args...); r.code != 1 || strings.Count(r.err, "\n") != 1 || len(b.calls()) != 0 {
			t.Errorf("%v: exit %d, called %v\n%s", args, r.code, b.calls(), r.err)
		}
	}
	if _, err := os.Stat("/no/such/folder"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
