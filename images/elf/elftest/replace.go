// Package elftest modifies ELF files for tests.
package elftest

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"io"
	"testing"
)

// Section is a section to put into a file.
type Section struct {
	Name string
	Type elf.SectionType
	Data []byte

	Compressed bool // Data starts with a compression header
}

const (
	entrySize = 64 // of an Elf64_Shdr
	shoff     = 40 // in an Elf64_Ehdr
	shnum     = 60
	shstrndx  = 62
)

// Replace returns a copy of a 64-bit little-endian file in which sections replace
// those of the same name, or are added after the others. Their contents are appended
// to the file.
func Replace(t testing.TB, file []byte, sections ...Section) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		t.Fatalf("no 64-bit little-endian ELF file: %v", err)
	}
	r := replacement{out: bytes.Clone(file), names: []byte{0}}
	at := binary.LittleEndian.Uint64(file[shoff:])
	for i, s := range f.Sections {
		entry := bytes.Clone(file[at+uint64(i)*entrySize:][:entrySize])
		binary.LittleEndian.PutUint32(entry, r.name(s.Name))
		r.table = append(r.table, entry...)
	}
	for _, s := range sections {
		r.put(f, s)
	}
	r.end(int(binary.LittleEndian.Uint16(file[shstrndx:])))
	return r.out
}

// replacement is a file with its new section table and names.
type replacement struct{ out, table, names []byte }

func (r *replacement) name(s string) uint32 {
	at := len(r.names)
	r.names = append(append(r.names, s...), 0)
	return uint32(at)
}

// put appends a section's contents to the file and sets its table entry.
func (r *replacement) put(f *elf.File, s Section) {
	index := len(r.table) / entrySize
	for i, old := range f.Sections {
		if old.Name == s.Name {
			index = i
		}
	}
	if index == len(r.table)/entrySize {
		r.table = append(r.table, make([]byte, entrySize)...)
	}
	entry := r.table[index*entrySize:]
	binary.LittleEndian.PutUint32(entry, r.name(s.Name))
	binary.LittleEndian.PutUint32(entry[4:], uint32(s.Type))
	flags := uint64(0)
	if s.Compressed {
		flags = uint64(elf.SHF_COMPRESSED)
	}
	binary.LittleEndian.PutUint64(entry[8:], flags)
	r.place(index, s.Data)
}

// place appends the contents of section index.
func (r *replacement) place(index int, data []byte) {
	entry := r.table[index*entrySize:]
	binary.LittleEndian.PutUint64(entry[24:], uint64(len(r.out)))
	binary.LittleEndian.PutUint64(entry[32:], uint64(len(data)))
	r.out = append(r.out, data...)
}

// end appends the names and the table.
func (r *replacement) end(names int) {
	r.place(names, r.names)
	r.out = append(r.out, make([]byte, -len(r.out)&7)...)
	binary.LittleEndian.PutUint64(r.out[shoff:], uint64(len(r.out)))
	binary.LittleEndian.PutUint16(r.out[shnum:], uint16(len(r.table)/entrySize))
	r.out = append(r.out, r.table...)
}

// Claim returns a compression header (Elf64_Chdr) that claims a size, followed by
// packed.
func Claim(kind elf.CompressionType, size uint64, packed []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(kind))
	b = binary.LittleEndian.AppendUint64(b, size)
	b = binary.LittleEndian.AppendUint64(b, 1)
	return append(b, packed...)
}

// ZLIB compresses size bytes of r.
func ZLIB(r io.Reader, size int64) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed) // the level is valid
	_, _ = io.CopyN(z, r, size)                     // the buffer takes all
	_ = z.Close()
	return b.Bytes()
}

// ZSTD returns a frame of size zeros, rounded up (RFC 8878): four bytes for each
// block of 128 KB.
func ZSTD(size int64) []byte {
	const block = 128 << 10
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3} // magic, no options, a window of a block
	for ; size > 0; size -= block {
		head := uint32(1<<1 | block<<3) // one byte, repeated
		if size <= block {
			head |= 1 // the last
		}
		b = append(b, byte(head), byte(head>>8), byte(head>>16), 0)
	}
	return b
}

// Filler is a reader of bytes that compress to about a twentieth, as debugging
// information may, and are not zeros.
type Filler struct{ state, at uint32 }

// Read implements [io.Reader].
func (f *Filler) Read(p []byte) (int, error) {
	for i := range p {
		if f.at++; f.at%32 == 0 {
			f.state = f.state*1664525 + 1013904223
		}
		p[i] = byte(f.state >> 24)
	}
	return len(p), nil
}

// Pad returns a unit of debugging information of size bytes (12 or more), which shifts the units after
// it: a header, a null entry, and bytes of filler up to size.
func Pad(size uint32, filler io.Reader) io.Reader {
	head := binary.LittleEndian.AppendUint32(nil, size-4) // unit_length
	head = append(head, 4, 0, 0, 0, 0, 0, 8, 0)           // version, abbreviations, address size, null
	return io.MultiReader(bytes.NewReader(head), io.LimitReader(filler, int64(size)-int64(len(head))))
}
