package capture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task"
)

// TestWhatMayBeGenerated: code of a file is named by that alone.
func TestWhatMayBeGenerated(t *testing.T) {
	for path, want := range map[string]bool{
		"": true, "[heap]": true, "[anon:v8]": true, "[anon_shmem:x]": true, "/memfd:doublemapper": true, "/dev/zero": true,
		"/usr/lib/libc.so.6": false, "[vdso]": false, "[stack]": false, "/tmp/x": false, "/home/memfd:x": false,
	} {
		if got := isGenerated(&task.Region{Path: path}); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// jitFiles has files that name generated code; an empty path: there is none.
type jitFiles struct {
	task.MapReader
	dump, perfMap string
}

func (m *jitFiles) OpenPerfMap() (*os.File, string, error) { return openNamed(m.perfMap) }

func (m *jitFiles) OpenJITDump(mapped []string) (*os.File, string, error) {
	if len(mapped) != 1 {
		return nil, "", os.ErrInvalid
	}
	return openNamed(m.dump)
}

func openNamed(path string) (*os.File, string, error) {
	f, err := os.Open(path)
	return f, path, err
}

// TestDumpBeforePerfMap: a dump goes before a perf map, unless it is none; what is not
// there is looked for again.
func TestDumpBeforePerfMap(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	empty, bad, perfMap := write("empty", ""), write("bad", strings.Repeat("no dump", 10)), write("map", "1000 10 f\n")
	for _, c := range []struct {
		files jitFiles
		want  string // path
		notes int
	}{
		{jitFiles{}, "", 0}, {jitFiles{perfMap: perfMap}, perfMap, 0}, {jitFiles{dump: empty, perfMap: perfMap}, empty, 0}, {jitFiles{dump: bad, perfMap: perfMap}, perfMap, 1}, {jitFiles{dump: bad}, bad, 1},
	} {
		notes := 0
		g := jitNames{maps: &c.files}
		l := &memoryMap{paths: []string{"/lib/x.so", "/x/jit-1.dump"}}
		for range 3 {
			g.update(l, func(string) { notes++ })
			g.sought = time.Time{} // long ago
		}
		if g.path != c.want || notes != c.notes || (g.reader == nil) != (c.want == "" || c.want == bad) {
			t.Errorf("%+v: %q, %d notes", c.files, g.path, notes)
		}
		if c.want == perfMap {
			if s, _ := g.names.Symbol(0x1001); s.Name != "f" {
				t.Errorf("%+v: names %+v", c.files, s)
			}
		}
		g.close()
	}
}

func TestDumpsOfALayout(t *testing.T) {
	l := &memoryMap{paths: []string{"", "/a/jit-1.dump", "/jit-2.dump", "jit-3.dump", "/a/jit-4.dumps", "/a/perf-5.map"}}
	if got := l.dumps(); !slices.Equal(got, []string{"/a/jit-1.dump", "/jit-2.dump"}) {
		t.Errorf("%q", got)
	}
}
