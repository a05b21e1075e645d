package cpython_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

var update = flag.Bool("update", false, "write the saved memory of each installed Python anew")

// TestSavedIsWhatIsRead reads a live process through a memory that keeps what was read,
// and that memory again. With -update it is written to testdata/saved.
func TestSavedIsWhatIsRead(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		g := start(t, py, "testdata/target.py", "OUT", "1", "finalizer_below", "latin", "astral")
		s := g.save(t)
		if _, frames, errs := s.read(s.Memory); len(errs) > 0 || !reflect.DeepEqual(frames, s.Frames) {
			t.Errorf("%v %v, not %v", frames, errs, s.Frames)
		}
		if *update {
			s.write(t, filepath.Join("testdata/saved", filepath.Base(py.command[0])+"-"+s.Version+".json.gz"))
		}
	})
}

// save reads all threads, and keeps what was read.
func (g *target) save(t *testing.T) *saved {
	t.Helper()
	for _, im := range g.images.Images {
		if p, _ := cpython.Find(im, g.memory); p == nil {
			continue
		}
		find := im.File.(object.DataFinder)
		s := &saved{Path: im.Path, Arch: im.File.Arch(), Slide: im.Slide, Handles: g.ids, Exported: map[string]uint64{}}
		s.Section, _, _ = find.SectionRange(".PyRuntime")
		for _, name := range []string{"_PyRuntime", "Py_Version"} {
			if at, ok := find.Exported(name); ok {
				s.Exported[name] = at
			}
		}
		k := &kept{of: g.memory, known: map[task.Addr]byte{}}
		var errs []error
		if s.Version, s.Frames, errs = s.read(k); len(errs) > 0 {
			t.Fatal(errs)
		}
		s.Memory = k.pieces()
		return s
	}
	t.Fatal("no CPython was found")
	return nil
}

func (s *saved) write(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(s); err != nil {
		t.Fatal(err)
	}
	z.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// kept is memory that keeps what is read.
type kept struct {
	of    task.Memory
	known map[task.Addr]byte
}

// ReadMemory implements [task.Memory].
func (k *kept) ReadMemory(p []byte, a task.Addr) (int, error) {
	n, err := k.of.ReadMemory(p, a)
	for i, b := range p[:n] {
		k.known[a+task.Addr(i)] = b
	}
	return n, err
}

func (k *kept) pieces() (all pieces) {
	var at []task.Addr
	for a := range k.known {
		at = append(at, a)
	}
	slices.SortFunc(at, func(a, b task.Addr) int { return cmp.Compare(a, b) })
	for i, a := range at {
		if i == 0 || at[i-1]+1 != a {
			all = append(all, piece{At: a})
		}
		last := &all[len(all)-1]
		last.Bytes = append(last.Bytes, k.known[a])
	}
	return all
}
