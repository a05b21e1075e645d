package macho

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/damage"
)

// TestHostileMaps reads maps that no linker makes: within bounds, and with no line that
// the object files do not have.
func TestHostileMaps(t *testing.T) {
	for name, edit := range map[string]func(n *nlist, name string) string{
		"no objects": func(n *nlist, name string) string {
			if n.typ == stabObject {
				n.typ = stabSource
			}
			return name
		},
		"no sizes": func(n *nlist, name string) string {
			if n.typ == stabFunction && n.sect == 0 {
				n.value = 0
			}
			return name
		},
		"sizes over the end": func(n *nlist, name string) string {
			if n.typ == stabFunction && n.sect == 0 {
				n.value = ^uint64(0)
			}
			return name
		},
		"only ends": func(n *nlist, name string) string {
			if n.typ == stabFunction {
				n.sect = 0
			}
			return name
		},
		"the program itself for an object": func(n *nlist, name string) string {
			if n.typ == stabObject {
				return filepath.Join(filepath.Dir(name), "program")
			}
			return name
		},
		"a device": func(n *nlist, name string) string {
			if n.typ == stabObject {
				return "/dev/zero"
			}
			return name
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := openMapped(t, linked(t, edit))
			for a := uint64(0x100000480); a < 0x100000600; a++ {
				if got := f.Source(a); got != nil {
					t.Fatalf("%#x: %+v", a, got)
				}
			}
		})
	}
	short := openMapped(t, linked(t, func(n *nlist, name string) string {
		if n.typ == stabFunction && n.sect == 0 {
			n.value = 4
		}
		return name
	}))
	if short.Source(0x1000004c3) == nil || short.Source(0x1000004c4) != nil {
		t.Error("a function does not have its size")
	}
	everything := openMapped(t, linked(t, func(n *nlist, name string) string {
		if n.typ == stabFunction && n.sect == 0 {
			n.value = 1 << 40 // each function reaches over all others
		}
		return name
	}))
	expect(t, everything)
	if got := everything.Source(0x100000600); got != nil {
		t.Errorf("%+v", got)
	}
}

// TestFunctionsAtOneAddress takes the one whose name is shown, where the symbol table
// has both, and none that the symbol table does not have there.
func TestFunctionsAtOneAddress(t *testing.T) {
	moved := func(n *nlist, name string) string {
		if n.typ == stabFunction && n.value == 0x100000540 {
			n.value = 0x100000560 // the linker found far to be equal to further
		}
		return name
	}
	program := linked(t, moved)
	f := openMapped(t, program)
	if got := told(f.Source(0x100000564)); !strings.HasPrefix(got, "further") {
		t.Error(got)
	}
	if got := f.Source(0x100000544); got != nil || len(f.debugMap().byAddress) != len(f.debugMap().functions)-1 {
		t.Errorf("%+v", got)
	}
	b := readFile(t, program)
	at := f.nlists.offset
	f.eachSymbol(func(i uint32, n *nlist) bool {
		if n.typ&nStab == 0 && n.value == 0x100000540 {
			binary.LittleEndian.PutUint64(b[at+uint64(i)*16+8:], 0x100000560)
		}
		return true
	})
	write(t, program, b, linkTime)
	f = openMapped(t, program)
	sym, _ := f.Symbol(0x100000564)
	if got := told(f.Source(0x100000564)); sym.Name == "" || !strings.HasPrefix(got, sym.Name+" ") || len(f.debugMap().byAddress) != len(f.debugMap().functions) {
		t.Errorf("%s: %s", sym.Name, got)
	}
}

// ask asks for addresses in and about the fixture.
func ask(t *testing.T, f *File) {
	for a := uint64(0x100000480); a < 0x1000005a0; a += 7 {
		for _, s := range f.Source(a) {
			if s.Line < 0 || s.Column < 0 || len(s.Function) > 1<<18 {
				t.Fatalf("%+v", s)
			}
		}
	}
	if note := f.SourceNote(); len(note) > 1<<14 { // who prints it makes it one line
		t.Errorf("%d bytes: %.100q", len(note), note)
	}
}

// TestDamagedMaps reads programs with a map, object files and archives that were good
// before without a panic, within a budget.
func TestDamagedMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	program := linked(t, nil)
	dir := filepath.Dir(program)
	good := map[string][]byte{
		"program": readFile(t, program), "mapped.o": fixture(t, "mapped.o"), "objects.a": redated(fixture(t, "objects.a"), linkTime),
	}
	names := []string{"program", "mapped.o", "objects.a"}
	for n := range 900 {
		name := names[n%3]
		bad := damage.Copy(r, good[name])
		if name == "program" { // its map is at its end
			at := len(good[name]) / 2
			bad = append(bytes.Clone(good[name][:at]), damage.Copy(r, good[name][at:])...)
		}
		write(t, filepath.Join(dir, name), bad, linkTime)
		if f, err := Open(program, Want{}); err == nil {
			f.Limit(object.NewBudget(16<<20, 16<<20))
			f.SeekDSYM(program)
			ask(t, f)
			_ = f.Close()
		}
		write(t, filepath.Join(dir, name), good[name], linkTime)
	}
	expect(t, openMapped(t, program))
}

// FuzzDebugMap edits a program with a map, one of its object files or an archive of them,
// and asks for the source.
func FuzzDebugMap(f *testing.F) {
	program := linked(f, nil)
	names := []string{"program", "mapped.o", "objects.a"}
	var good [][]byte
	for i, name := range names {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(program), name))
		if err != nil {
			f.Fatal(err)
		}
		good = append(good, b)
		f.Add(uint8(i), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		i := int(which) % len(names)
		path := filepath.Join(filepath.Dir(program), names[i])
		write(t, path, damage.Edit(good[i], edits), linkTime)
		defer write(t, path, good[i], linkTime)
		m, err := Open(program, Want{})
		if err != nil {
			return
		}
		m.Limit(object.NewBudget(16<<20, 16<<20))
		m.SeekDSYM(program)
		ask(t, m)
		_ = m.Close()
	})
}

// TestMapOverBudget leaves out what would cost too much.
func TestMapOverBudget(t *testing.T) {
	program := linked(t, nil)
	told := 0
	for keep := int64(0); keep < 64<<10; keep += 256 {
		f := openMapped(t, program)
		f.Limit(object.NewBudget(keep, 1<<20))
		if f.Source(0x100000510) != nil {
			told++
		}
	}
	for read := int64(0); read < 64<<10; read += 256 {
		f := openMapped(t, program)
		f.Limit(object.NewBudget(1<<20, read))
		if f.Source(0x100000510) != nil {
			told++
		}
	}
	if told == 0 || told == 512 {
		t.Errorf("%d of 512 were told", told)
	}
}

// TestDebugMapConcurrently asks from several goroutines, one of which closes the file.
func TestDebugMapConcurrently(t *testing.T) {
	f := openMapped(t, linked(t, nil))
	expect(t, f)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			ask(t, f)
			if n == 0 {
				_ = f.Close()
			}
			ask(t, f)
		})
	}
	all.Wait()
	if f.Source(0x100000510) != nil {
		t.Error("a closed file is read")
	}
}

// TestLongNoteIsCut shows only the end of a name that is longer than any path.
func TestLongNoteIsCut(t *testing.T) {
	f := openMapped(t, linked(t, renamed("mapped.o", strings.Repeat("x", 20_000)+"/end.o")))
	if f.Source(0x100000510) != nil {
		t.Error("there is no such file")
	}
	if note := f.SourceNote(); len(note) > maxShown+200 || !strings.Contains(note, "xx/end.o: ") {
		t.Errorf("%d bytes", len(note))
	}
}

// TestAmbiguousSymbol tells nothing of a function of whose name an object has several.
func TestAmbiguousSymbol(t *testing.T) {
	f := openMapped(t, linked(t, nil))
	if f.Source(0x100000510) == nil {
		t.Fatal("no source")
	}
	o := f.debugMap().objects[0].object
	o.symbols[maphash.String(o.seed, "_main")] = ambiguous
	if got := f.Source(0x100000510); got != nil || f.Source(0x1000004c0) == nil {
		t.Errorf("%+v", got)
	}
}

// TestManyObjects counts the object files that are opened.
func TestManyObjects(t *testing.T) {
	f := openMapped(t, linked(t, nil))
	m := f.debugMap()
	m.opened = maxObjects
	if f.Source(0x100000510) != nil || !strings.HasSuffix(f.SourceNote(), fmt.Sprintf("more than %d object files", maxObjects)) {
		t.Error(f.SourceNote())
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
