package machotest

import (
	"encoding/binary"
)

// The offsets of an encoded image's parts from the vmaddr of __TEXT.
const (
	Text     = 0x1000 // __TEXT,__text: section 1
	Text2    = 0x1400 // __TEXT,__text2: section 2
	Stubs    = 0x1800 // __TEXT,__stubs: section 3, StubSize bytes each
	Data     = 0x2000 // __DATA,__data: section 4
	LinkEdit = 0x5000 // in memory; in the file at fileLinkEdit

	TextSize     = 0x400
	StubSize     = 6
	fileLinkEdit = 0x3000
	nStubs       = 4
)

// Symbol is an nlist.
type Symbol struct {
	Name  string
	Type  uint8
	Sect  uint8
	Desc  uint16
	Value uint64
}

// Image is a Mach-O to encode.
type Image struct {
	Order       binary.ByteOrder // nil: little-endian
	Is64        bool
	CPU         uint32
	Subtype     uint32
	Type        uint32
	Flags       uint32
	Base        uint64 // vmaddr of __TEXT
	UUID        []byte
	InstallName string
	Dylinker    string
	Symbols     []Symbol
	Starts      []byte // contents of LC_FUNCTION_STARTS
	DataInCode  []byte // contents of LC_DATA_IN_CODE
	Indirect    []uint32
}

// encoder appends fields in a byte order.
type encoder struct {
	b     []byte
	order binary.ByteOrder
	is64  bool
}

func (e *encoder) u32(vs ...uint32) {
	for _, v := range vs {
		e.b = append(e.b, 0, 0, 0, 0)
		e.order.PutUint32(e.b[len(e.b)-4:], v)
	}
}

func (e *encoder) word(vs ...uint64) {
	for _, v := range vs {
		if e.is64 {
			e.b = append(e.b, make([]byte, 8)...)
			e.order.PutUint64(e.b[len(e.b)-8:], v)
		} else {
			e.u32(uint32(v))
		}
	}
}

func (e *encoder) name(s string) {
	var b [16]byte
	copy(b[:], s)
	e.b = append(e.b, b[:]...)
}

// command appends a load command; body writes its body.
func (e *encoder) command(cmd uint32, body func()) {
	at := len(e.b)
	e.u32(cmd, 0)
	body()
	for len(e.b)%8 != 0 {
		e.b = append(e.b, 0)
	}
	e.order.PutUint32(e.b[at+4:], uint32(len(e.b)-at))
}

func (e *encoder) segment(name string, vmaddr, vmsize, off, size uint64, prot uint32, nsects uint32, sections func()) {
	cmd := uint32(0x1)
	if e.is64 {
		cmd = 0x19
	}
	e.command(cmd, func() {
		e.name(name)
		e.word(vmaddr, vmsize, off, size)
		e.u32(prot, prot, nsects, 0)
		if sections != nil {
			sections()
		}
	})
}

func (e *encoder) section(segment, name string, vmaddr, size uint64, off, flags, r1, r2 uint32) {
	e.name(name)
	e.name(segment)
	e.word(vmaddr, size)
	e.u32(off, 0, 0, 0, flags, r1, r2)
	if e.is64 {
		e.u32(0)
	}
}

// Encode returns the file.
func (im *Image) Encode() []byte {
	e := &encoder{order: im.Order, is64: im.Is64}
	if e.order == nil {
		e.order = binary.LittleEndian
	}
	linkedit, nlists, stringsAt, indirect := im.linkEdit(e)
	commands, n := im.commands(e, uint64(len(linkedit)), nlists, stringsAt, indirect)
	e.b = nil
	magic := uint32(0xfeedface)
	if im.Is64 {
		magic = 0xfeedfacf
	}
	e.u32(magic, im.CPU, im.Subtype, im.Type, n, uint32(len(commands)), im.Flags)
	if im.Is64 {
		e.u32(0)
	}
	file := make([]byte, fileLinkEdit)
	copy(file[copy(file, e.b):Text], commands)
	for i := Text; i < fileLinkEdit; i++ {
		file[i] = byte(i)
	}
	return append(file, linkedit...)
}

// linkEdit returns the bytes of __LINKEDIT and the offsets in it. The function starts
// come first, data in code last.
func (im *Image) linkEdit(e *encoder) (b []byte, nlists, stringsAt, indirect uint32) {
	e.b = append([]byte(nil), im.Starts...)
	for len(e.b)%8 != 0 {
		e.b = append(e.b, 0)
	}
	nlists = uint32(len(e.b))
	names := []byte{0}
	for _, s := range im.Symbols {
		e.u32(uint32(len(names)))
		names = append(append(names, s.Name...), 0)
		e.b = append(e.b, s.Type, s.Sect, 0, 0)
		e.order.PutUint16(e.b[len(e.b)-2:], s.Desc)
		e.word(s.Value)
	}
	indirect = uint32(len(e.b))
	e.u32(im.Indirect...)
	stringsAt = uint32(len(e.b))
	return append(append(e.b, names...), im.DataInCode...), nlists, stringsAt, indirect
}

func (im *Image) commands(e *encoder, size uint64, nlists, stringsAt, indirect uint32) ([]byte, uint32) {
	e.b = nil
	n := uint32(5)
	e.segment("__TEXT", im.Base, 0x2000, 0, 0x2000, 5, 3, func() {
		e.section("__TEXT", "__text", im.Base+Text, TextSize, Text, 0x80000400, 0, 0)
		e.section("__TEXT", "__text2", im.Base+Text2, TextSize, Text2, 0x80000400, 0, 0)
		e.section("__TEXT", "__stubs", im.Base+Stubs, nStubs*StubSize, Stubs, 0x80000408, 0, StubSize)
	})
	e.segment("__DATA", im.Base+Data, 0x3000, 0x2000, 0x1000, 3, 1, func() {
		e.section("__DATA", "__data", im.Base+Data, 0x1000, Data, 0, 0, 0)
	})
	e.segment("__LINKEDIT", im.Base+LinkEdit, (size+0xfff)&^0xfff, fileLinkEdit, size, 1, 0, nil)
	e.command(0x2, func() {
		e.u32(fileLinkEdit+nlists, uint32(len(im.Symbols)), fileLinkEdit+stringsAt, uint32(size)-stringsAt-uint32(len(im.DataInCode)))
	})
	e.command(0xb, func() {
		e.u32(make([]uint32, 12)...)
		e.u32(fileLinkEdit+indirect, uint32(len(im.Indirect)))
		e.u32(make([]uint32, 4)...)
	})
	if im.Starts != nil {
		n++
		e.command(0x26, func() { e.u32(fileLinkEdit, uint32(len(im.Starts))) })
	}
	if bytes := uint32(len(im.DataInCode)); bytes > 0 {
		n++
		e.command(0x29, func() { e.u32(fileLinkEdit+uint32(size)-bytes, bytes) })
	}
	if im.UUID != nil {
		n++
		e.command(0x1b, func() { e.b = append(e.b, im.UUID...) })
	}
	if im.InstallName != "" {
		n++
		e.command(0xd, func() { e.u32(24, 0, 0x10203, 0); e.b = append(append(e.b, im.InstallName...), 0) })
	}
	if im.Dylinker != "" {
		n++
		e.command(0xf, func() { e.u32(12); e.b = append(append(e.b, im.Dylinker...), 0) })
	}
	return e.b, n
}

// Fat returns a fat file of thin files, each at a page boundary. It takes their architectures from
// their headers, so all must be little-endian. is64 makes it a fat_arch_64 file.
func Fat(is64 bool, thin ...[]byte) []byte {
	e := &encoder{order: binary.BigEndian, is64: is64}
	magic := uint32(0xcafebabe)
	if is64 {
		magic++
	}
	e.u32(magic, uint32(len(thin)))
	at := uint64(0x1000)
	for _, b := range thin {
		e.u32(binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]))
		e.word(at, uint64(len(b)))
		e.u32(12)
		if is64 {
			e.u32(0)
		}
		at += (uint64(len(b)) + 0xfff) &^ 0xfff
	}
	file := e.b
	for _, b := range thin {
		file = append(file, make([]byte, -len(file)&0xfff)...)
		file = append(file, b...)
	}
	return file
}
