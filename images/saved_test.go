package images_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/internal/cachetest"
	"stacksnap/images/macho"
	"stacksnap/task"
	"stacksnap/task/machocore"
	"stacksnap/unwind"
)

// notedCores gives the whole cores whose notes list images.
func notedCores(t *testing.T, f func(t *testing.T, core []byte, whole *machocore.Process)) {
	paths, err := filepath.Glob("../task/machocore/testdata/*.core")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cores", err)
	}
	archs := map[task.Arch]bool{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := openCore(t, b)
		if len(p.Info().SavedImages) == 0 {
			continue
		}
		archs[p.Info().Arch] = true
		t.Run(filepath.Base(path), func(t *testing.T) { f(t, b, p) })
	}
	if !archs[task.ARM64] || !archs[task.AMD64] {
		t.Errorf("cores with notes of %v only", archs)
	}
}

func openCore(t *testing.T, b []byte) *machocore.Process {
	t.Helper()
	p, err := machocore.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reduce leaves out of a 64-bit core the segments that keep does not want, as
// process save-core --style stack does. What they hold stays in the file, where
// nothing points to it.
func reduce(core []byte, keep func(r task.Region) bool) []byte {
	const headerSize, segment64 = 32, 0x19
	le := binary.LittleEndian
	out := bytes.Clone(core)
	at, to, n := headerSize, headerSize, uint32(0)
	for range le.Uint32(core[16:]) {
		cmd := core[at:][:le.Uint32(core[at+4:])]
		at += len(cmd)
		if le.Uint32(cmd) == segment64 {
			start := task.Addr(le.Uint64(cmd[24:]))
			if !keep(task.Region{Start: start, End: start + task.Addr(le.Uint64(cmd[32:])), Prot: task.Prot(le.Uint32(cmd[60:]))}) {
				continue
			}
		}
		to += copy(out[to:], cmd)
		n++
	}
	clear(out[to:at])
	le.PutUint32(out[16:], n)
	le.PutUint32(out[20:], uint32(to-headerSize))
	return out
}

// styles are what may be kept of a process's memory.
func styles(t *testing.T, p task.Process) map[string]func(task.Region) bool {
	t.Helper()
	var s task.Snapshot
	if err := task.Take(p, &s); err != nil {
		t.Fatal(err)
	}
	stacks := func(r task.Region) bool {
		for i := range s.Threads {
			if sp := s.Threads[i].Registers.SP(); sp >= r.Start && sp < r.End {
				return true
			}
		}
		return false
	}
	modified := func(r task.Region) bool { return r.Prot&task.Write != 0 || stacks(r) }
	return map[string]func(task.Region) bool{"stack": stacks, "modified-memory": modified}
}

// extract writes the images of a process as the files that they were mapped
// from, but for what was written to since.
func extract(t *testing.T, p task.Process, m *images.Map) string {
	t.Helper()
	dir := t.TempDir()
	for i, im := range m.Images {
		var file []byte
		for _, s := range im.File.Segments() {
			if end := s.Offset + s.FileSize; uint64(len(file)) < end {
				file = append(file, make([]byte, end-uint64(len(file)))...)
			}
			if s.FileSize == 0 {
				continue
			}
			if err := task.ReadFull(p.Memory(), file[s.Offset:][:s.FileSize], im.Addr(s.VMAddr)); err != nil {
				t.Fatal(im.Path, s.Name, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// stacksOf prints every frame of every thread.
func stacksOf(t *testing.T, p task.Process, m *images.Map) string {
	t.Helper()
	var s task.Snapshot
	if err := task.Take(p, &s); err != nil {
		t.Fatal(err)
	}
	u := unwind.New(unwind.Options{CodeMask: p.Info().CodeMask})
	var b strings.Builder
	for i := range s.Threads {
		frames, stop := u.Walk(nil, &s.Threads[i], m, p.Memory())
		for _, f := range frames {
			loc := m.Locate(f.PC, f.Return)
			fmt.Fprintf(&b, "%v %s + %d", f.PC, loc.Raw, loc.Offset)
			if loc.Image != nil {
				fmt.Fprintf(&b, " (%s)", loc.Image.Path)
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%v\n\n", stop.Reason)
	}
	return b.String()
}

// imagesOf prints what a list of binaries shows, by address: notes need not have
// dyld's order.
func imagesOf(m *images.Map) string {
	var lines []string
	for _, im := range m.Images {
		lines = append(lines, fmt.Sprintf("%#016x %s %s main=%v\n", uint64(im.Load), im.Path, hex.EncodeToString(im.File.ID()), im.Main))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestSavedWithBinaries: a core of stacks alone gives, with the binaries, the
// stacks of the whole core.
func TestSavedWithBinaries(t *testing.T) {
	notedCores(t, func(t *testing.T, core []byte, whole *machocore.Process) {
		full, errs := images.Load(whole, nil, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		index, err := binaries.NewIndex(binaries.Places{Directories: []string{extract(t, whole, full)}})
		if err != nil {
			t.Fatal(err)
		}
		want := stacksOf(t, whole, full)
		for name, keep := range styles(t, whole) {
			p := openCore(t, reduce(core, keep))
			m, errs := images.Load(p, index, nil)
			if len(errs) > 0 {
				t.Error(name, errs)
			}
			if diff := cmp.Diff(imagesOf(full), imagesOf(m)); diff != "" {
				t.Errorf("%s: images (-whole +reduced)\n%s", name, diff)
			}
			if diff := cmp.Diff(want, stacksOf(t, p, m)); diff != "" {
				t.Errorf("%s: stacks (-whole +reduced)\n%s", name, diff)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestSavedWithCache: a core of stacks alone gives the stacks of the whole one, too,
// where a library of it is to be had in a shared cache only.
func TestSavedWithCache(t *testing.T) {
	notedCores(t, func(t *testing.T, core []byte, whole *machocore.Process) {
		full, _ := images.Load(whole, nil, nil)
		want := stacksOf(t, whole, full)
		for layoutName, layout := range cachetest.Layouts {
			dir := extract(t, whole, full)
			for i, im := range full.Images {
				if im.Path == "/usr/lib/libSystem.B.dylib" {
					intoCache(t, filepath.Join(dir, fmt.Sprint(i)), layout, im.Path)
				}
			}
			index, err := binaries.NewIndex(binaries.Places{Directories: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			for name, keep := range styles(t, whole) {
				p := openCore(t, reduce(core, keep))
				m, errs := images.Load(p, index, nil)
				if len(errs) > 0 {
					t.Error(layoutName, name, errs)
				}
				if diff := cmp.Diff(imagesOf(full), imagesOf(m)); diff != "" {
					t.Errorf("%s, %s: images (-whole +reduced)\n%s", layoutName, name, diff)
				}
				if diff := cmp.Diff(want, stacksOf(t, p, m)); diff != "" {
					t.Errorf("%s, %s: stacks (-whole +reduced)\n%s", layoutName, name, diff)
				}
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// intoCache puts a library into a cache in the same folder, in its place.
func intoCache(t *testing.T, path string, layout cachetest.Layout, name string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cachetest.Make(t, filepath.Dir(path), layout, []cachetest.Image{{File: b, VMAddr: cachetest.Start + 0x4_0000, Path: name}})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestSavedWithoutBinaries: the images are listed all the same, one line says
// what is missing, and each thread's PC is in its image, without a name.
func TestSavedWithoutBinaries(t *testing.T) {
	notedCores(t, func(t *testing.T, core []byte, whole *machocore.Process) {
		full, _ := images.Load(whole, nil, nil)
		for name, keep := range styles(t, whole) {
			p := openCore(t, reduce(core, keep))
			m, errs := images.Load(p, nil, nil)
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), "--binaries") {
				t.Errorf("%s: %v", name, errs)
			}
			if diff := cmp.Diff(imagesOf(full), imagesOf(m)); diff != "" {
				t.Errorf("%s: images (-whole +reduced)\n%s", name, diff)
			}
			var s task.Snapshot
			if err := task.Take(p, &s); err != nil {
				t.Fatal(err)
			}
			for i := range s.Threads {
				pc := s.Threads[i].Registers.PC()
				want, got := full.Locate(pc, false), m.Locate(pc, false)
				if got.Image == nil || got.Image.Path != want.Image.Path || got.Raw != "" || got.Offset != uint64(pc-want.Image.Load) {
					t.Errorf("%s: %v is %+v", name, pc, got)
				}
			}
			_ = stacksOf(t, p, m)
		}
	})
}

// TestSavedOtherBinaries: a file of another UUID is not taken.
func TestSavedOtherBinaries(t *testing.T) {
	notedCores(t, func(t *testing.T, core []byte, whole *machocore.Process) {
		index, err := binaries.NewIndex(binaries.Places{Directories: []string{"macho/testdata"}})
		if err != nil {
			t.Fatal(err)
		}
		p := openCore(t, reduce(core, styles(t, whole)["stack"]))
		m, errs := images.Load(p, index, nil)
		if len(errs) != 1 {
			t.Error(errs)
		}
		for _, im := range m.Images {
			if _, ok := im.File.(*macho.File); ok || im.File.HasSymbols() {
				t.Errorf("%s was read from somewhere", im.Path)
			}
		}
	})
}
