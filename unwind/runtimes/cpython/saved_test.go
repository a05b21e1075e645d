package cpython_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// saved is what was read of a live process, and what was found in it.
type saved struct {
	Path     string
	Arch     task.Arch
	Section  uint64            // vmaddr of .PyRuntime; 0: none
	Exported map[string]uint64 // vmaddrs
	Slide    uint64
	Handles  map[task.Addr]task.ThreadID
	Memory   pieces
	Version  string
	Frames   map[task.ThreadID][]task.ManagedFrame
}

// pieces is memory of which some ranges are known, lowest first and apart.
type pieces []piece

type piece struct {
	At    task.Addr
	Bytes []byte
}

// ReadMemory implements [task.Memory].
func (m pieces) ReadMemory(p []byte, a task.Addr) (int, error) {
	i, found := slices.BinarySearchFunc(m, a, func(p piece, a task.Addr) int { return cmp.Compare(p.At, a) })
	if !found {
		i--
	}
	if i < 0 || a-m[i].At >= task.Addr(len(m[i].Bytes)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, m[i].Bytes[a-m[i].At:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

// image returns the image of the interpreter.
func (s *saved) image() *images.Image {
	return &images.Image{Placed: object.Placed{Path: s.Path, Slide: s.Slide, File: savedFile{saved: s}}}
}

// read reads all threads as they are read of a live process.
func (s *saved) read(m task.Memory) (version string, frames map[task.ThreadID][]task.ManagedFrame, errs []error) {
	p, err := cpython.Find(s.image(), m)
	if err != nil || p == nil {
		return "", nil, []error{err}
	}
	chains, err := p.Chains(m, s.thread)
	if err != nil {
		errs = append(errs, err)
	}
	frames = map[task.ThreadID][]task.ManagedFrame{}
	for id, chain := range chains {
		frames[id], err = p.Frames(nil, id, copyChain(m, chain), m)
		frames[id] = withoutShims(frames[id])
		if err != nil {
			errs = append(errs, err)
		}
	}
	return p.Version(), frames, errs
}

func (s *saved) thread(handle task.Addr) (task.ThreadID, bool) {
	id, ok := s.Handles[handle]
	return id, ok
}

// savedFile is the interpreter's file.
type savedFile struct {
	object.File
	saved *saved
}

func (f savedFile) Arch() task.Arch { return f.saved.Arch }

func (f savedFile) SectionRange(name string) (vmaddr, size uint64, ok bool) {
	return f.saved.Section, 1, name == ".PyRuntime" && f.saved.Section != 0
}

func (f savedFile) Exported(name string) (vmaddr uint64, ok bool) {
	vmaddr, ok = f.saved.Exported[name]
	return vmaddr, ok
}

// copyChain copies a chain, as a capture does in the stop.
func copyChain(m task.Memory, c task.Chain) []task.Object {
	var objects []task.Object
	at, size := c.At, c.Size
	for i := 0; at != 0 && len(objects) < 5000; i++ {
		o := task.Object{At: at, Bytes: make([]byte, size)}
		if n, _ := m.ReadMemory(o.Bytes, at); n < size {
			break
		}
		objects = append(objects, o)
		link := c.Links[min(i, len(c.Links)-1)]
		at, size = o.Pointer(link.Offset), link.Size
	}
	return objects
}

// openSaved reads the files that TestSavedIsWhatIsRead wrote.
func openSaved(t testing.TB) map[string]*saved {
	t.Helper()
	paths, err := filepath.Glob("testdata/saved/*.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no saved memory: %v", err)
	}
	all := map[string]*saved{}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		s := new(saved)
		if err := json.NewDecoder(z).Decode(s); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		file.Close()
		all[filepath.Base(path)] = s
	}
	return all
}

// withoutShims forgets where shims are, which saved frames do not have.
func withoutShims(frames []task.ManagedFrame) []task.ManagedFrame {
	for i := range frames {
		frames[i].Shim = 0
	}
	return frames
}
