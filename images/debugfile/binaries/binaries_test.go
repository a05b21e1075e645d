package binaries

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

	"stacksnap/images/internal/machotest"
	"stacksnap/task"
	"stacksnap/task/needs"
)

const (
	cpuARM64, cpuI386, cpuPPC = 0x0100000c, 7, 18
	executable, dsym          = 2, 10
)

// thin is a Mach-O with a UUID of this byte, and so many symbols.
func thin(uuid byte, kind uint32, symbols int) *machotest.Image {
	im := &machotest.Image{Is64: true, CPU: cpuARM64, Type: kind, Base: 1 << 32, UUID: idOf(uuid)}
	for i := range symbols {
		im.Symbols = append(im.Symbols, machotest.Symbol{Name: fmt.Sprint("_f", i), Type: 0xf, Sect: 1, Value: im.Base + machotest.Text + uint64(i)})
	}
	return im
}

func idOf(b byte) []byte { return bytes.Repeat([]byte{b}, 16) }

// fat is a fat file whose header is in an order of its own.
func fat(order binary.AppendByteOrder, is64 bool, thin ...[]byte) []byte {
	magic, page := uint32(0xcafebabe), 0x10000
	if is64 {
		magic++
	}
	head, rest := order.AppendUint32(nil, magic), []byte(nil)
	head = order.AppendUint32(head, uint32(len(thin)))
	for i, b := range thin {
		head = append(head, make([]byte, 8)...) // cputype, cpusubtype
		if at := page * (i + 1); is64 {
			head = order.AppendUint64(order.AppendUint64(head, uint64(at)), uint64(len(b)))
			head = append(head, make([]byte, 4)...)
		} else {
			head = order.AppendUint32(order.AppendUint32(head, uint32(at)), uint32(len(b)))
		}
		head = append(head, make([]byte, 4)...)
		rest = append(append(rest, b...), make([]byte, page-len(b))...)
	}
	return append(append(head, make([]byte, page-len(head))...), rest...)
}

// elfWith is the header of an ELF file with a build-id in its one segment, of notes,
// and with a section of symbols where that is wanted.
func elfWith(id []byte, symbols int) []byte {
	const head, prog, section, notes = 64, 56, 64, 0x200
	le := binary.LittleEndian
	b := make([]byte, 0x400)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], 3)   // ET_DYN
	le.PutUint16(b[18:], 183) // EM_AARCH64
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[32:], head)
	le.PutUint64(b[40:], head+prog)
	for i, v := range []uint16{head, prog, 1, section, 3, 2} {
		le.PutUint16(b[52+2*i:], v)
	}
	le.PutUint32(b[head:], 4) // PT_NOTE
	le.PutUint64(b[head+8:], notes)
	note := le.AppendUint32(nil, 4)
	note = le.AppendUint32(note, uint32(len(id)))
	note = append(append(le.AppendUint32(note, 3), "GNU\x00"...), id...)
	copy(b[notes:], note)
	le.PutUint64(b[head+32:], uint64(len(note)))
	le.PutUint64(b[head+40:], uint64(len(note)))
	le.PutUint64(b[head+48:], 4)
	table := b[head+prog+section:]
	le.PutUint32(table[4:], 2) // SHT_SYMTAB
	le.PutUint64(table[24:], 0x300)
	le.PutUint64(table[32:], uint64(24*symbols))
	le.PutUint32(table[40:], 2)
	le.PutUint64(table[56:], 24)
	le.PutUint32(table[section+4:], 3) // SHT_STRTAB
	le.PutUint64(table[section+24:], 0x300)
	le.PutUint64(table[section+32:], 1)
	return b
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPlaces finds files by what they are, wherever they lie in what is searched: in
// bundles, in fat files of either order with slices of either order, in trees of
// build-ids, in links to folders; and of several with one ID the one with most symbols.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	big := thin(3, dsym, 3)
	big.Order, big.CPU, big.Is64 = binary.BigEndian, cpuPPC, false
	small := thin(4, dsym, 3)
	small.CPU, small.Is64 = cpuI386, false
	write(t, filepath.Join(dir, "a/App.xcarchive/dSYMs/App.app.dSYM/Contents/Resources/DWARF/App"), thin(1, dsym, 3).Encode())
	write(t, filepath.Join(dir, "a/App.xcarchive/Products/App.app/App"), thin(1, executable, 1).Encode())
	write(t, filepath.Join(dir, "a/stripped"), thin(2, executable, 0).Encode())
	write(t, filepath.Join(dir, "fat32"), fat(binary.BigEndian, false, big.Encode(), small.Encode(), thin(5, dsym, 3).Encode()))
	write(t, filepath.Join(dir, "fat64"), fat(binary.BigEndian, true, thin(6, dsym, 3).Encode(), thin(7, dsym, 3).Encode()))
	write(t, filepath.Join(dir, "swapped"), fat(binary.LittleEndian, false, thin(8, dsym, 3).Encode()))
	write(t, filepath.Join(dir, "text"), []byte("\xca\xfe\xba\xbe neither"))
	write(t, filepath.Join(dir, "tree/.build-id/09/"+hex.EncodeToString(idOf(9)[1:])+".debug"), elfWith(idOf(9), 1))
	write(t, filepath.Join(dir, "tree/.build-id/0a/"+hex.EncodeToString(idOf(10)[1:])+".debug"), elfWith(idOf(9), 1))
	write(t, filepath.Join(dir, "elf/one"), elfWith(idOf(11), 1))
	write(t, filepath.Join(dir, "elf/two"), elfWith(idOf(11), 4))
	if err := os.Symlink("elf", filepath.Join(dir, "link")); err != nil {
		needs.Symlinks(t, err)
	}
	all := map[byte]string{
		1: "App", 2: "", 3: "fat32", 4: "fat32", 5: "fat32", 6: "fat64", 7: "fat64", 8: "swapped",
		9: hex.EncodeToString(idOf(9)[1:]) + ".debug", 10: "", 11: "two", 12: "",
	}
	wantNames(t, Places{Symbols: []string{dir}}, all)
	wantNames(t, Places{Directories: []string{dir}}, all)
	wantNames(t, Places{Symbols: []string{filepath.Join(dir, "link")}}, map[byte]string{11: "two", 1: ""})
	wantNames(t, Places{Symbols: []string{filepath.Join(dir, "tree/.build-id")}}, map[byte]string{9: all[9], 11: ""})
	wantNames(t, Places{Symbols: []string{filepath.Join(dir, "fat64"), filepath.Join(dir, "elf/one")}}, map[byte]string{6: "fat64", 7: "fat64", 11: "one", 8: ""})
	wantNames(t, Places{Symbols: []string{filepath.Join(dir, "a/App.xcarchive/dSYMs/App.app.dSYM")}}, map[byte]string{1: "App", 6: ""})
}

// TestShortIDs: the first byte of an ID names a folder, the others the file in it.
func TestShortIDs(t *testing.T) {
	tree := t.TempDir()
	write(t, filepath.Join(tree, "ab/cd.debug"), elfWith([]byte{0xab, 0xcd}, 1))
	write(t, filepath.Join(tree, "ef.debug"), elfWith([]byte{0xef}, 1))
	write(t, filepath.Join(tree, "ef/.debug"), elfWith([]byte{0xef}, 1))
	for id, want := range map[string]int{"\xab\xcd": 1, "\xab": 0, "\xef": 0, "": 0} {
		if list := inTree(tree, []byte(id)); len(list) != want {
			t.Errorf("%x: %v", id, list)
		}
	}
}

func wantNames(t *testing.T, places Places, want map[byte]string) {
	t.Helper()
	x, err := NewIndex(places)
	if err != nil {
		t.Fatal(err)
	}
	for id, name := range want {
		paths := x.SymbolPaths(idOf(id))
		if name == "" && len(paths) > 0 || name != "" && (len(paths) == 0 || filepath.Base(paths[0]) != name) || x.HasSymbols(idOf(id)) != (name != "") {
			t.Errorf("%+v: %d is in %q, want %q", places, id, paths, name)
		}
	}
	if paths := x.SymbolPaths(nil); len(paths) > 0 {
		t.Errorf("%q of no ID", paths)
	}
}

// TestCodeAndSymbols are told apart: of a bundle the program has the code, the dSYM
// the symbols. The slice of the architecture is opened, and none that was exchanged.
func TestCodeAndSymbols(t *testing.T) {
	dir := t.TempDir()
	program, symbols := filepath.Join(dir, "b"), filepath.Join(dir, "a")
	write(t, program, thin(1, executable, 1).Encode())
	write(t, symbols, fat(binary.BigEndian, false, thin(2, dsym, 3).Encode(), thin(1, dsym, 3).Encode()))
	x, err := NewIndex(Places{Symbols: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if path, ok := x.Path(idOf(1)); path != program || !ok {
		t.Errorf("the code is in %q", path)
	}
	if path, ok := x.Path(idOf(2)); ok {
		t.Errorf("the code is in %q", path)
	}
	f, ok := x.Symbols(task.ARM64, idOf(1), nil)
	if !ok || !bytes.Equal(f.ID(), idOf(1)) {
		t.Fatal("it was not opened")
	}
	if s, ok := f.Symbol(1<<32 + machotest.Text + 2); !ok || s.Name != "f2" {
		t.Errorf("%+v", s)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := x.Symbols(task.AMD64, idOf(1), nil); ok {
		t.Error("a file of another architecture was taken")
	}
	write(t, symbols, thin(3, dsym, 3).Encode())
	write(t, program, thin(3, dsym, 3).Encode())
	if _, ok := x.Symbols(task.ARM64, idOf(1), nil); ok {
		t.Error("a file with another UUID was taken")
	}
}

// TestRemarks tells, once each, the named files that no report could use.
func TestRemarks(t *testing.T) {
	dir := t.TempDir()
	var named []string
	for i := range byte(6) {
		path := filepath.Join(dir, fmt.Sprint("file", i))
		write(t, path, fat(binary.BigEndian, false, thin(2*i+1, dsym, 3).Encode(), thin(2*i+2, dsym, 3).Encode()))
		named = append(named, path)
	}
	x, err := NewIndex(Places{Symbols: append(named, dir)})
	if err != nil {
		t.Fatal(err)
	}
	x.Reported(idOf(4)) // of the second
	x.Reported(nil)
	want := []string{
		fmt.Sprintf("%s (%x) is of no image in the report", named[0], idOf(1)),
		fmt.Sprintf("%s (%x) is of no image in the report", named[2], idOf(5)),
		fmt.Sprintf("%s (%x) is of no image in the report", named[3], idOf(7)),
		"nor are 2 more of the files that were named",
	}
	if got := x.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestRefused: what cannot be used is an error at once.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "text"), []byte("nothing"))
	write(t, filepath.Join(dir, "none"), thin(0, dsym, 1).Encode())
	noUUID := thin(0, dsym, 1)
	noUUID.UUID = nil
	write(t, filepath.Join(dir, "none"), noUUID.Encode())
	write(t, filepath.Join(dir, "x.dSYM/empty"), nil)
	for place, words := range map[string]string{
		"text": "no UUID and no build-id", "none": "no UUID and no build-id", "x.dSYM": "no debugging information", "nothing": "no such file",
	} {
		if _, err := NewIndex(Places{Symbols: []string{filepath.Join(dir, place)}}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", place, err)
		}
	}
	if _, err := NewIndex(Places{Directories: []string{filepath.Join(dir, "text")}}); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("%v", err)
	}
}
