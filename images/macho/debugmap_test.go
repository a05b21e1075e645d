package macho

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/images/object"
)

// linkTime is when the object files of the fixtures were written, as the tests have it.
var linkTime = time.Unix(1_700_000_000, 500_000_000)

// stabs gives the symbol table's entries for debuggers of a little-endian 64-bit image
// to edit, and then rewrites their names: the table of strings is written anew, at the
// end of the image.
func stabs(t testing.TB, image []byte, edit func(n *nlist, name string) string) []byte {
	t.Helper()
	f, err := NewFile(bytes.NewReader(image), int64(len(image)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	image = bytes.Clone(image)
	at := f.nlists.offset
	names := bytes.Clone(image[f.strings.offset:][:f.strings.size])
	f.eachSymbol(func(i uint32, n *nlist) bool {
		if n.typ&nStab == 0 {
			return true
		}
		name := edit(n, cString(names[n.strx:]))
		n.strx = uint32(len(names))
		names = append(append(names, name...), 0)
		b := image[at+uint64(i)*16:]
		binary.LittleEndian.PutUint32(b, n.strx)
		b[4], b[5] = n.typ, n.sect
		binary.LittleEndian.PutUint64(b[8:], n.value)
		return true
	})
	command := bytes.Index(image, binary.LittleEndian.AppendUint32([]byte{lcSymtab, 0, 0, 0}, 24))
	binary.LittleEndian.PutUint32(image[command+16:], uint32(len(image)))
	binary.LittleEndian.PutUint32(image[command+20:], uint32(len(names)))
	return append(image, names...)
}

// linked writes the fixture with a debug map into a folder, with the object files that
// it is to name, and returns where it is. Edit may change the entries of the map.
func linked(t testing.TB, edit func(n *nlist, name string) string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"mapped.o", "objects.a"} {
		b := fixture(t, name)
		if name == "objects.a" {
			b = redated(b, linkTime)
		}
		write(t, filepath.Join(dir, name), b, linkTime)
	}
	image := stabs(t, fixture(t, "mapped"), func(n *nlist, name string) string {
		if n.typ == stabObject {
			n.value, name = uint64(linkTime.Unix()), filepath.Join(dir, path.Base(name))
		}
		if edit != nil {
			name = edit(n, name)
		}
		return name
	})
	program := filepath.Join(dir, "program")
	write(t, program, image, linkTime.Add(time.Second))
	return program
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t testing.TB, path string, b []byte, written time.Time) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, written, written); err != nil {
		t.Fatal(err)
	}
}

// redated gives all members of an archive one date.
func redated(b []byte, to time.Time) []byte {
	b = bytes.Clone(b)
	for i := len(archiveMagic); i+memberHeader <= len(b); {
		m, _, err := readMember(bytes.NewReader(b), int64(i), int64(len(b)))
		if err != nil {
			break
		}
		copy(b[i+16:], fmt.Sprintf("%-12d", to.Unix()))
		i = int(m.offset + m.size + m.size&1)
	}
	return b
}

// openMapped opens a program to be asked for its source.
func openMapped(t testing.TB, program string) *File {
	t.Helper()
	f, err := Open(program, Want{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	f.SeekDSYM(program)
	return f
}

// told writes frames in a line, the innermost first.
func told(frames []object.Source) string {
	var list []string
	for _, f := range frames {
		list = append(list, fmt.Sprintf("%s %s:%d:%d", f.Function, f.File, f.Line, f.Column))
	}
	return strings.Join(list, " < ")
}

// The answers for the fixture: each from its address up to the next one's. They are
// those of llvm-symbolizer for the dSYM that dsymutil makes of it, but for the line of
// what fills up functions.
var mappedAnswers = []struct {
	at   uint64
	want string
}{
	{0x100000490, "shared /src/mapped.c:11:0"},
	{0x100000496, "shared /src/mapped.c:12:17"},
	{0x100000498, "half /src/mapped.c:3:15 < shared /src/mapped.c:12:10"},
	{0x10000049b, "half /src/mapped.c:4:9 < shared /src/mapped.c:12:10"},
	{0x10000049e, "half /src/mapped.c:4:11 < shared /src/mapped.c:12:10"},
	{0x1000004a7, "shared /src/mapped.c:13:13"},
	{0x1000004c0, "hidden /src/mapped.c:8:0"},
	{0x1000004c4, "half /src/mapped.c:3:15 < hidden /src/mapped.c:8:61"},
	{0x1000004d6, "hidden /src/mapped.c:8:54"},
	{0x1000004e0, "main /src/mapped.c:16:0"},
	{0x10000050e, "shared /src/mapped.c:12:17 < main /src/mapped.c:18:52"},
	{0x100000510, "half /src/mapped.c:3:15 < shared /src/mapped.c:12:10 < main /src/mapped.c:18:52"},
	{0x100000536, "main /src/mapped.c:18:2"},
	{0x100000537, ""},
	{0x100000540, "far /src/objects.c:7:0"},
	{0x10000054c, "far /src/objects.c:7:23"},
	{0x100000550, "hidden /src/objects.c:2:0"},
	{0x10000055a, "hidden /src/objects.c:4:11"},
	{0x10000055e, ""},
	{0x100000560, "further /src/objects.c:7:0"},
	{0x100000570, "hidden /src/objects.c:2:0"},
	{0x10000057e, "hidden /src/objects.c:4:2"},
	{0x10000057f, ""},
	{0x100000600, ""},
}

// objectOf tells in which object file an address of the fixture was.
func objectOf(at uint64) string {
	switch {
	case at < 0x100000540:
		return "mapped.o"
	case at < 0x100000560:
		return "a-member-with-a-long-name.o"
	}
	return "b.o"
}

// expect compares the answers of a file, of which those from some object files are not
// to be there.
func expect(t *testing.T, f *File, without ...string) {
	t.Helper()
	for _, a := range mappedAnswers {
		want := a.want
		if slices.Contains(without, objectOf(a.at)) {
			want = ""
		}
		if got := told(f.Source(a.at)); got != want {
			t.Errorf("%#x: %q, want %q", a.at, got, want)
		}
	}
}

// TestDebugMap reads the lines of a program from the object file and the archive that
// it was linked from, two members of which have functions of one name.
func TestDebugMap(t *testing.T) {
	f := openMapped(t, linked(t, nil))
	expect(t, f)
	if note := f.SourceNote(); note != "" {
		t.Error(note)
	}
	for _, a := range []uint64{0x100000550, 0x10000055d} {
		got := f.Source(a)
		if len(got) != 1 || got[0].Low != 0x100000550 || got[0].High != 0x10000055e {
			t.Errorf("%#x: %+v", a, got)
		}
	}
	if got := f.Source(0x100000510); len(got) != 3 || got[0].High != 0 || got[2].Low != 0x1000004e0 {
		t.Errorf("%+v", got)
	}
	if err := f.Close(); err != nil || f.Source(0x100000490) != nil || f.SourceNote() != "" {
		t.Errorf("a closed file is read: %v", err)
	}
}

// TestDebugMapUnasked reads no object file of code that was not asked for, nor of a file
// of which it is not known where it is.
func TestDebugMapUnasked(t *testing.T) {
	program := linked(t, nil)
	f := openMapped(t, program)
	if f.Source(0x100000490) == nil {
		t.Fatal("no source")
	}
	if m := f.debugMap(); m.opened != 1 || len(m.stores.byPath) != 1 {
		t.Errorf("%d objects are open, in %d files", m.opened, len(m.stores.byPath))
	}
	g, err := Open(program, Want{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.Source(0x100000490) != nil {
		t.Error("a file without a path has a map")
	}
}

// TestDebugMapRefused believes no object file that is not the one which was linked, says
// so, and still reads the others.
func TestDebugMapRefused(t *testing.T) {
	const later = time.Second
	members := []string{"a-member-with-a-long-name.o", "b.o"}
	for name, c := range map[string]struct {
		change  func(t *testing.T, dir string)
		edit    func(n *nlist, name string) string
		note    string
		without []string
	}{
		"missing": {
			change: func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "mapped.o")) },
			note:   "program: no lines of code from DIR/mapped.o: it is missing", without: []string{"mapped.o"},
		},
		"newer": {
			change: func(t *testing.T, dir string) {
				write(t, filepath.Join(dir, "mapped.o"), fixture(t, "mapped.o"), linkTime.Add(later))
			},
			note: "program: no lines of code from DIR/mapped.o: it has changed since that was linked", without: []string{"mapped.o"},
		},
		"older": {
			change: func(t *testing.T, dir string) {
				write(t, filepath.Join(dir, "mapped.o"), fixture(t, "mapped.o"), linkTime.Add(-later))
			},
			note: "program: no lines of code from DIR/mapped.o: it has changed since that was linked", without: []string{"mapped.o"},
		},
		"cut": {
			change: func(t *testing.T, dir string) {
				write(t, filepath.Join(dir, "mapped.o"), fixture(t, "mapped.o")[:300], linkTime)
			},
			note: "program: no lines of code from DIR/mapped.o: it cannot be read as an object file", without: []string{"mapped.o"},
		},
		"a folder": {
			edit:    renamed("mapped.o", "."),
			note:    "program: no lines of code from DIR: a folder, not a regular file",
			without: []string{"mapped.o"},
		},
		"another file of the time": { // has none of the functions
			change:  func(t *testing.T, dir string) { write(t, filepath.Join(dir, "mapped.o"), farObject(t), linkTime) },
			note:    "program: no lines of code from DIR/mapped.o: it has changed since that was linked",
			without: []string{"mapped.o"},
		},
		"no object file": {
			change: func(t *testing.T, dir string) {
				write(t, filepath.Join(dir, "mapped.o"), fixture(t, "mapped"), linkTime)
			},
			note: "program: no lines of code from DIR/mapped.o: the file has no such architecture or UUID", without: []string{"mapped.o"},
		},
		"of another architecture": {
			change: func(t *testing.T, dir string) {
				b := fixture(t, "mapped.o")
				binary.LittleEndian.PutUint32(b[4:], cpuARM64)
				write(t, filepath.Join(dir, "mapped.o"), b, linkTime)
			},
			note: "program: no lines of code from DIR/mapped.o: the file has no such architecture or UUID", without: []string{"mapped.o"},
		},
		"no folder": {
			edit:    func(n *nlist, name string) string { return strings.TrimPrefix(name, "/") },
			note:    "program: no lines of code from REL/mapped.o: the linker was told to leave out its folder; nor from 2 more of its object files",
			without: append(members, "mapped.o"),
		},
		"no such member": {
			edit: renamed("objects.a(b.o)", "objects.a(c.o)"),
			note: "program: no lines of code from DIR/objects.a(c.o): it is missing", without: []string{"b.o"},
		},
		"an archive that is cut": {
			change: func(t *testing.T, dir string) {
				write(t, filepath.Join(dir, "objects.a"), redated(fixture(t, "objects.a"), linkTime)[:3000], linkTime)
			},
			note:    "program: no lines of code from DIR/objects.a(a-member-with-a-long-name.o): it is a damaged archive; nor from 1 more of its object files",
			without: members,
		},
		"a newer archive": {
			change: func(t *testing.T, dir string) {
				write(t, filepath.Join(dir, "objects.a"), redated(fixture(t, "objects.a"), linkTime.Add(later)), linkTime)
			},
			note:    "program: no lines of code from DIR/objects.a(a-member-with-a-long-name.o): it has changed since that was linked; nor from 1 more of its object files",
			without: members,
		},
		"two of a name": {
			change: func(t *testing.T, dir string) {
				b := redated(fixture(t, "objects.a"), linkTime)
				write(t, filepath.Join(dir, "objects.a"), append(b, b[len(archiveMagic):]...), linkTime)
			},
			note:    "program: no lines of code from DIR/objects.a(a-member-with-a-long-name.o): the archive has several of that name; nor from 1 more of its object files",
			without: members,
		},
	} {
		t.Run(name, func(t *testing.T) {
			program := linked(t, c.edit)
			dir := filepath.Dir(program)
			if c.change != nil {
				c.change(t, dir)
			}
			f := openMapped(t, program)
			if f.SourceNote() != "" {
				t.Error("it is told of what nobody asked for")
			}
			expect(t, f, c.without...)
			want := strings.NewReplacer("DIR", dir, "REL", dir[1:]).Replace(c.note)
			if got := f.SourceNote(); got != want {
				t.Errorf("note %q, want %q", got, want)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// renamed gives an object file of the map another name.
func renamed(from, to string) func(n *nlist, name string) string {
	return func(n *nlist, name string) string {
		if n.typ == stabObject && path.Base(name) == from {
			return filepath.Join(path.Dir(name), to)
		}
		return name
	}
}

// farObject is the first object file in the archive.
func farObject(t *testing.T) []byte {
	t.Helper()
	b := fixture(t, "objects.a")
	var c cost
	list, err := readArchive(bytes.NewReader(b), int64(len(b)), &c)
	if err != nil || len(list["a-member-with-a-long-name.o"]) != 1 {
		t.Fatal(list, err)
	}
	m := list["a-member-with-a-long-name.o"][0]
	return b[m.offset:][:m.size]
}
