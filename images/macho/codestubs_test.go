package macho

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// sectionOf returns a section of a fixture.
func sectionOf(t *testing.T, f *File, name string) *Section {
	t.Helper()
	for i := range f.sections {
		if f.sections[i].Name == name {
			return &f.sections[i]
		}
	}
	t.Fatalf("no %s", name)
	return nil
}

func checkStub(t *testing.T, f *File, at uint64, want string, start uint64) {
	t.Helper()
	if sym, ok := f.Symbol(at); sym.Name != want && ok || ok != (want != "") || ok && sym.VMAddr != start {
		t.Errorf("%#x: got %+v, %v; want %q", at, sym, ok, want)
	}
}

// firstStub is what the first of the fixture's stubs is for.
var firstStub = map[string]string{"arm64": "objc_msgSend", "x86_64": "objc_msgSendSuper2"}

// TestStubsOfStrippedFiles: stubs have names in files and in memory, whatever way
// pointers are fixed up.
func TestStubsOfStrippedFiles(t *testing.T) {
	for _, path := range objcFixtures(t) {
		b := readFixture(t, path)
		file := thin(t, without(b, lcSymtab))
		for _, f := range []*File{file, mapped(t, without(b, lcSymtab, lcDysymtab), signature).open(t)} {
			s := sectionOf(t, f, "__objc_stubs")
			checkStub(t, f, s.VMAddr, "objc_msgSend$more", s.VMAddr)
			checkStub(t, f, s.VMAddr+s.Size-1, "objc_msgSend$more", s.VMAddr)
		}
		whole := thin(t, bytes.ReplaceAll(b, []byte("__stubs\x00\x00\x00\x00\x00\x00\x00\x00\x00"), []byte("__auth_stubs\x00\x00\x00\x00")))
		stubs := sectionOf(t, whole, "__auth_stubs")
		checkStub(t, whole, stubs.VMAddr+stubs.StubSize()-1, "DYLD-STUB$$"+firstStub[whole.Variant()], stubs.VMAddr)
	}
}

// TestStubHelperOfStrippedFiles: what a lazy symbol is asked for by is named after it,
// and what comes before all of these is not.
func TestStubHelperOfStrippedFiles(t *testing.T) {
	for arch, first := range map[string]uint64{"arm64": 24, "x86_64": 16} {
		b := readFixture(t, "testdata/objc/classic."+arch+".dylib")
		f := thin(t, without(b, lcSymtab))
		s := sectionOf(t, f, "__stub_helper")
		checkStub(t, f, s.VMAddr, "", 0)
		checkStub(t, f, s.VMAddr+first-1, "", 0)
		checkStub(t, f, s.VMAddr+first, "stub helper for "+firstStub[arch], s.VMAddr+first)
		checkStub(t, f, s.VMAddr+first+9, "stub helper for "+firstStub[arch], s.VMAddr+first)
		none := thin(t, without(b, lcSymtab, lcDyldInfoOnly))
		checkStub(t, none, s.VMAddr+first, "", 0)
	}
}

// TestSelectorStubOfTheSharedCache: there a stub has the selector's address, not that of a
// pointer to it.
func TestSelectorStubOfTheSharedCache(t *testing.T) {
	b := readFixture(t, "testdata/objc/chained.arm64.dylib")
	f := thin(t, b)
	s := sectionOf(t, f, "__objc_stubs")
	_, selector := f.selectorStubARM64(s, s.VMAddr)
	if selector>>12 != s.VMAddr>>12 {
		t.Fatalf("the selector at %#x is not in the page of the stub", selector)
	}
	binary.LittleEndian.PutUint32(b[s.Offset:], 0x90000001)                              // adrp x1, this page
	binary.LittleEndian.PutUint32(b[s.Offset+4:], 0x91000021|uint32(selector&0xfff)<<10) // add x1, x1, offset
	checkStub(t, thin(t, without(b, lcSymtab)), s.VMAddr+8, "objc_msgSend$more", s.VMAddr)
	binary.LittleEndian.PutUint32(b[s.Offset+4:], 0xd503201f) // nop
	checkStub(t, thin(t, without(b, lcSymtab)), s.VMAddr+8, "", 0)
}

// TestSelectorStubsAMD64: stubs follow one another, or are aligned.
func TestSelectorStubsAMD64(t *testing.T) {
	for _, size := range []uint64{13, 16} {
		code := make([]byte, 4*size+0x100)
		for k := range uint64(4) {
			copy(code[k*size:], []byte{0x48, 0x8b, 0x35, 0, 0, 0, 0, 0xff, 0x25})
			binary.LittleEndian.PutUint32(code[k*size+3:], uint32(4*size+8*k-(k*size+7)))
			binary.LittleEndian.PutUint64(code[4*size+8*k:], 4*size+0x20+4*k)
			copy(code[4*size+0x20+4*k:], []byte{'s', 'e', byte('a' + k), 0})
		}
		f := &File{src: codeSource(code), header: header{cpu: cpuX86_64, is64: true, order: binary.LittleEndian}}
		f.pointer = f.readPointers
		f.sections = []Section{{Size: 4 * size}}
		for at := range 4 * size {
			sym, ok := f.selectorStub(at, 0)
			if want := "objc_msgSend$se" + string(rune('a'+at/size)); !ok || sym.Name != want || sym.VMAddr != at/size*size {
				t.Errorf("%d: got %+v, %v; want %s", at, sym, ok, want)
			}
		}
	}
}

// codeSource has bytes at vmaddr 0.
type codeSource []byte

func (c codeSource) readLinkEdit([]byte, uint64) (int, error)          { return 0, errNotMapped }
func (c codeSource) readSection([]byte, *Section, uint64) (int, error) { return 0, errNotMapped }
func (c codeSource) readVM(p []byte, vmaddr uint64) (int, error) {
	if vmaddr >= uint64(len(c)) {
		return 0, errNotMapped
	}
	return copy(p, c[vmaddr:]), nil
}
