package cfi

import (
	"encoding/binary"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// builder writes a frame section.
type builder struct {
	b    []byte
	eh   bool
	wide bool // 64-bit DWARF
}

// entry adds an entry and returns its offset. cie is −1 for a CIE.
func (b *builder) entry(cie int, body ...byte) int {
	off := len(b.b)
	idSize := 4
	if b.wide && !b.eh {
		idSize = 8
	}
	if b.wide {
		b.b = binary.LittleEndian.AppendUint32(b.b, 0xffffffff)
		b.b = binary.LittleEndian.AppendUint64(b.b, uint64(idSize+len(body)))
	} else {
		b.b = binary.LittleEndian.AppendUint32(b.b, uint32(idSize+len(body)))
	}
	id := uint64(cie)
	if b.eh {
		if id = 0; cie >= 0 {
			id = uint64(len(b.b) - cie)
		}
	}
	b.b = append(b.b, binary.LittleEndian.AppendUint64(nil, id)[:idSize]...)
	b.b = append(b.b, body...)
	return off
}

// cie adds a CIE of version 1 with code × 1, data × −8 and return address 16.
func (b *builder) cie(augmentation string, data []byte, program ...byte) int {
	body := append([]byte{1}, augmentation...)
	body = append(body, 0, 1, 0x78, 16)
	if augmentation != "" && augmentation[0] == 'z' {
		body = append(body, byte(len(data)))
	}
	body = append(body, data...)
	return b.entry(-1, append(body, program...)...)
}

// fde adds an FDE with addresses of 8 bytes.
func (b *builder) fde(cie int, start, size uint64, program ...byte) int {
	body := binary.LittleEndian.AppendUint64(nil, start)
	body = binary.LittleEndian.AppendUint64(body, size)
	return b.entry(cie, append(body, program...)...)
}

// section returns what was built, at 0x5000.
func (b *builder) section() *section {
	return &section{Section: object.Section{VMAddr: 0x5000, Data: b.b}, eh: b.eh, pointerSize: 8}
}

// file is an object.File with sections only.
type file struct {
	arch     task.Arch
	sections map[object.Kind]object.Section
	segments []object.Segment
	symbols  map[uint64]string
}

func (f *file) Arch() task.Arch                     { return f.arch }
func (f *file) ID() []byte                          { return nil }
func (f *file) Segments() []object.Segment          { return f.segments }
func (f *file) HasSymbols() bool                    { return false }
func (f *file) FunctionStart(uint64) (uint64, bool) { return 0, false }
func (f *file) Close() error                        { return nil }

func (f *file) Symbol(v uint64) (object.Symbol, bool) {
	name, ok := f.symbols[v]
	return object.Symbol{Name: name, VMAddr: v}, ok
}

func (f *file) Section(k object.Kind) (object.Section, error) {
	s, ok := f.sections[k]
	if !ok {
		return s, object.ErrNoSection
	}
	return s, nil
}

func (f *file) image() *images.Image { return &images.Image{Placed: object.Placed{File: f}} }
