package elf

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// withDWARF is a file that has debugging information and no code.
const withDWARF = "../dwarf/testdata/nested-5.so"

func openSourced(t *testing.T, path string) *File {
	t.Helper()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := r.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(r, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func wantLeaf(t *testing.T, f *File) {
	t.Helper()
	got := f.Source(0x1040)
	if len(got) != 3 || got[0].Function != "leaf" || got[0].Line != 9 || got[2].Function != "trunk" || got[2].File != "/src/nested.c" {
		t.Errorf("%+v", got)
	}
}

func TestSource(t *testing.T) {
	f := openSourced(t, withDWARF)
	if !f.HasSource() {
		t.Error("no debugging information")
	}
	wantLeaf(t, f)
	if got := f.Source(0x5000); got != nil {
		t.Errorf("of no function: %+v", got)
	}
	if err := f.Close(); err != nil || f.Source(0x1040) != nil {
		t.Error("a closed file is read:", err)
	}
}

// TestSourceOfDebugFile takes it from the separate debug file.
func TestSourceOfDebugFile(t *testing.T) {
	bare, err := os.ReadFile("testdata/x86_64.so")
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(bytes.NewReader(bare), int64(len(bare)))
	if err != nil || f.HasSource() {
		t.Fatal("testdata/x86_64.so has debugging information:", err)
	}
	d := openSourced(t, withDWARF)
	f.findDebug = func(*File) *File { return d }
	wantLeaf(t, f)
}

// TestCompressedSource reads each way in which sections are compressed.
func TestCompressedSource(t *testing.T) {
	for _, how := range []string{"zlib", "zlib-gnu", "zstd"} {
		packed := filepath.Join(t.TempDir(), "packed.so")
		if out, err := exec.Command("objcopy", "--compress-debug-sections="+how, withDWARF, packed).CombinedOutput(); err != nil {
			t.Logf("skipped %s: objcopy: %v %s", how, err, out)
			continue
		}
		wantLeaf(t, openSourced(t, packed))
	}
}

// TestGNUCompressed refuses what is not "ZLIB" and a size: its bytes are neither
// debugging information nor call frame information.
func TestGNUCompressed(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("ZLIB")
	_ = binary.Write(&b, binary.BigEndian, uint64(3))
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte("abc"))
	_ = z.Close()
	f := &File{size: 100}
	for _, bad := range [][]byte{b.Bytes()[1:], b.Bytes()[:8], append([]byte("ZLIB"), make([]byte, 20)...)} {
		if s := f.inflatingGNU(sectionOf("info", bad)); s != nil {
			t.Errorf("%q is taken for a section of %d bytes", bad, s.Size())
		}
		if got, err := f.data(sectionOf("frame", bad)); err == nil || got != nil {
			t.Errorf("%q is taken for %q", bad, got)
		}
	}
	s := f.inflatingGNU(sectionOf("info", b.Bytes()))
	got := make([]byte, 3)
	if n, err := s.ReadAt(got, 0); n != 3 || err != nil || string(got) != "abc" || s.Size() != 3 {
		t.Errorf("%q, %v, of %d bytes", got[:n], err, s.Size())
	}
	if got, err := f.data(sectionOf("frame", b.Bytes())); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := f.data(sectionOf("frame", b.Bytes()[:b.Len()-6])); err == nil || got != nil {
		t.Errorf("%q of a section that is cut", got)
	}
}

func sectionOf(name string, b []byte) *elf.Section {
	return &elf.Section{SectionHeader: elf.SectionHeader{Name: zdebug + name, FileSize: uint64(len(b))}, ReaderAt: bytes.NewReader(b)}
}
