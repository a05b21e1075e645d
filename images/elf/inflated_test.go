package elf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/images/elf/elftest"
	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// sourced is a program with debugging information that is not compressed, and where its
// function work is.
func sourced(t *testing.T) (file []byte, work uint64) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tiny")
	out, err := exec.Command(needs.Tool(t, "gcc"), "-g", "-gz=none", "-O0", "-gdwarf-4", "-o", name, "testdata/sourced.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if file, err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	for _, s := range symbols {
		if s.Name == "work" {
			return file, s.Value
		}
	}
	t.Fatal("no function work: ", err)
	return nil, 0
}

// padded puts size bytes before the units of a file's debugging information, and
// compresses it.
func paddedInfo(t *testing.T, file []byte, size uint32) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Section(".debug_info").Data()
	if err != nil {
		t.Fatal(err)
	}
	aranges, err := f.Section(".debug_aranges").Data()
	if err != nil {
		t.Fatal(err)
	}
	all := int64(size) + int64(len(info))
	packed := elftest.ZLIB(io.MultiReader(elftest.Pad(size, new(elftest.Filler)), bytes.NewReader(info)), all)
	const unit = 6 // in .debug_aranges: where the unit is
	binary.LittleEndian.PutUint32(aranges[unit:], binary.LittleEndian.Uint32(aranges[unit:])+size)
	return elftest.Replace(t, file,
		elftest.Section{Name: ".debug_info", Type: elf.SHT_PROGBITS, Data: elftest.Claim(elf.COMPRESS_ZLIB, uint64(all), packed), Compressed: true},
		elftest.Section{Name: ".debug_aranges", Type: elf.SHT_PROGBITS, Data: aranges})
}

// TestLargeInflated finds lines in debugging information that is too large, inflated, to
// be kept in the memory.
func TestLargeInflated(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file, work := sourced(t)
	file = paddedInfo(t, file, 12<<20)
	f, err := NewFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := object.NewBudget(4<<20, object.MaxRead)
	f.Limit(b)
	got := f.Source(work + 8)
	if len(got) != 1 || got[0].Function != "work" || got[0].Line != 3 || f.SourceNote() != "" {
		t.Errorf("%+v, left out: %q", got, f.SourceNote())
	}
}

// TestBombs leaves out sections that claim, or give, more than is in them, says so, and
// still has the symbols.
func TestBombs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file, work := sourced(t)
	const size = 64 << 20
	zeros := elftest.ZLIB(zeroes{}, size)
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"zlib", "do not hold as much", elftest.Claim(elf.COMPRESS_ZLIB, size, zeros)},
		{"zstd", "do not hold as much", elftest.Claim(elf.COMPRESS_ZSTD, size, elftest.ZSTD(size))},
		{"zlib that claims little", "", elftest.Claim(elf.COMPRESS_ZLIB, 1000, zeros)},
		{"zlib that claims 8 EB", "do not hold as much", elftest.Claim(elf.COMPRESS_ZLIB, 1<<63, zeros)},
		{"zlib that claims more than it has", "cannot be decompressed", elftest.Claim(elf.COMPRESS_ZLIB, 1<<20, zeros[:100])},
		{"of an unknown kind", "cannot be decompressed", elftest.Claim(77, 1<<20, zeros)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, section := range []string{".debug_info", ".debug_line", ".debug_frame", ".debug_str"} {
				bad := elftest.Replace(t, file, elftest.Section{Name: section, Type: elf.SHT_PROGBITS, Data: c.data, Compressed: true})
				f, err := NewFile(bytes.NewReader(bad), int64(len(bad)))
				if err != nil {
					t.Fatal(err)
				}
				b := object.NewBudget(8<<20, object.MaxRead)
				f.Limit(b)
				f.name = "libshop.so"
				f.Source(work + 8)
				_, _ = f.Section(object.DebugFrame) // there may be none
				if s, ok := f.Symbol(work + 4); !ok || s.Name != "work" {
					t.Errorf("%s: no symbol", section)
				}
				lines := f.SourceNote()
				if told := strings.HasPrefix(lines, "libshop.so: "+section); told != (c.want != "") && section == ".debug_info" || !strings.Contains(lines, c.want) && section == ".debug_info" {
					t.Errorf("%s: left out: %q, want %q", section, lines, c.want)
				}
				_ = f.Close() // it was only read
			}
		})
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
