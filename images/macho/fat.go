package macho

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"stacksnap/task"
)

// maxSlices is the maximum number of architectures in a fat file. A Java class has
// the same magic number; in it this field is at least 45 << 16.
const maxSlices = 64

// ErrNoSlice is returned for a file without the wanted slice.
var ErrNoSlice = errors.New("the file has no such architecture or UUID")

// Want selects a slice of a file. The zero Want selects the first.
type Want struct {
	Arch task.Arch // UnknownArch: any
	ID   []byte    // LC_UUID; nil: any
}

func (w *Want) matches(f *File) bool {
	return (w.Arch == task.UnknownArch || f.Arch() == w.Arch) && (w.ID == nil || bytes.Equal(w.ID, f.uuid))
}

// thinFiles returns the thin files in a file: itself, or those in its fat_header.
func thinFiles(r io.ReaderAt, size int64) ([]*io.SectionReader, error) {
	var b [8]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return nil, malformed("shorter than a header: %v", err)
	}
	for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
		magic, n := order.Uint32(b[:]), order.Uint32(b[4:])
		switch {
		case magic != magicFat && magic != magicF64:
		case n > maxSlices:
			return nil, malformed("a fat header of %d architectures", n)
		default:
			return fatSlices(r, size, int(n), magic == magicF64, order)
		}
	}
	return []*io.SectionReader{io.NewSectionReader(r, 0, size)}, nil
}

// Slices returns the Mach-O files in a file of size bytes: itself, or one for each
// architecture in a fat file. The error is about the unreadable ones.
func Slices(r io.ReaderAt, size int64) (files []*File, err error) {
	parts, err := thinFiles(r, size)
	for _, part := range parts {
		f, bad := newThin(part)
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		files = append(files, f)
	}
	return files, err
}

// fatSlices decodes n fat_arch (or fat_arch_64) entries: cputype, cpusubtype, offset,
// size, align (and in the latter a reserved word). Apple's tools write them in
// big-endian order, whatever the order of the slices.
func fatSlices(r io.ReaderAt, size int64, n int, is64 bool, order binary.ByteOrder) ([]*io.SectionReader, error) {
	entry := 20
	if is64 {
		entry = 32
	}
	b := make([]byte, n*entry)
	if _, err := r.ReadAt(b, 8); err != nil {
		return nil, malformed("a fat header that is cut off: %v", err)
	}
	var parts []*io.SectionReader
	for i := range n {
		c := cursor{data: b[i*entry:][8:entry], order: order}
		offset, length := c.word(is64), c.word(is64)
		if offset > uint64(size) || length > uint64(size)-offset {
			continue // a truncated file still has its first slices
		}
		parts = append(parts, io.NewSectionReader(r, int64(offset), int64(length)))
	}
	return parts, nil
}

// choose opens the first slice that matches want.
func choose(parts []*io.SectionReader, want Want) (*File, error) {
	var bad error
	for _, part := range parts {
		f, err := newThin(part)
		if err != nil {
			bad = errors.Join(bad, err)
			continue
		}
		if want.matches(f) {
			return f, nil
		}
	}
	if bad != nil {
		return nil, bad
	}
	return nil, fmt.Errorf("%v %x: %w", want.Arch, want.ID, ErrNoSlice)
}
