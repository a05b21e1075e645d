package elfcore_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"stacksnap/task/elfcore"
)

// The machines of <elf.h>.
const (
	machine386     = 3
	machineARM     = 40
	machineX86_64  = 62
	machineAArch64 = 183
)

// image is an ELF core to be built.
type image struct {
	machine  uint16
	size     int // of a word: 4 or 8
	notes    []note
	segments []segment
	many     bool // PN_XNUM
}

type note struct {
	kind uint32
	body []byte
}

// segment is a PT_LOAD; memory is the number of bytes in memory, that of data
// when it is 0.
type segment struct {
	addr   uint64
	memory uint64
	flags  uint32
	data   []byte
}

// words puts little-endian numbers of size bytes one after the other.
func words(size int, v ...uint64) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, binary.LittleEndian.AppendUint64(nil, x)[:size]...)
	}
	return b
}

func (im *image) bytes() []byte {
	head, prog := 64, 56
	if im.size == 4 {
		head, prog = 52, 32
	}
	count := len(im.segments) + 1
	var notes []byte
	for _, n := range im.notes {
		notes = append(notes, words(4, 5, uint64(len(n.body)), uint64(n.kind))...)
		notes = append(notes, "CORE\x00\x00\x00\x00"...)
		notes = append(notes, n.body...)
		notes = append(notes, make([]byte, -len(n.body)&3)...)
	}
	sections := head + prog*count
	at := sections + 64
	progs := im.program(4, 0, uint64(at), 0, uint64(len(notes)), 0)
	body := notes
	for _, s := range im.segments {
		progs = append(progs, im.program(1, s.flags, uint64(at+len(body)), s.addr, uint64(len(s.data)), max(s.memory, uint64(len(s.data))))...)
		body = append(body, s.data...)
	}
	out := im.header(head, prog, count, sections)
	out = append(out, progs...)
	out = append(out, im.section(count)...)
	return append(out, body...)
}

func (im *image) program(kind, flags uint32, offset, addr, file, memory uint64) []byte {
	if im.size == 4 {
		return append(words(4, uint64(kind), offset, addr, 0, file, memory, uint64(flags)), words(4, 0)...)
	}
	return append(words(4, uint64(kind), uint64(flags)), words(8, offset, addr, 0, file, memory, 0)...)
}

func (im *image) header(head, prog, count, sections int) []byte {
	class := byte(2)
	if im.size == 4 {
		class = 1
	}
	b := append([]byte("\x7fELF"), class, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(b, words(2, 4, uint64(im.machine))...)
	b = append(b, words(4, 1)...)
	b = append(b, words(im.size, 0, uint64(head), uint64(sections))...)
	if im.many {
		count = 0xffff
	}
	b = append(b, words(4, 0)...)
	return append(b, words(2, uint64(head), uint64(prog), uint64(count), 0, 0, 0)...)
}

// section is the first section header, where the number of program headers
// stands in sh_info when there are many.
func (im *image) section(count int) []byte {
	b := make([]byte, 64)
	if im.size == 4 {
		binary.LittleEndian.PutUint32(b[28:], uint32(count))
	} else {
		binary.LittleEndian.PutUint32(b[44:], uint32(count))
	}
	return b
}

// status is an NT_PRSTATUS whose registers are 1, 2, 3… in their order.
func status(size, regs int, tid uint32) note {
	at, times := 112, 48
	if size == 4 {
		at, times = 72, 40
	}
	b := make([]byte, at)
	pid := 32
	if size == 4 {
		pid = 24
	}
	binary.LittleEndian.PutUint32(b[pid:], tid)
	copy(b[times:], words(size, 3, 250_000, 1, 500_000))
	for i := range regs {
		b = append(b, words(size, uint64(i+1))...)
	}
	return note{1, append(b, 0, 0, 0, 0)}
}

// info is an NT_PRPSINFO.
func info(size int, pid, parent uint32, name string) note {
	at, fname, total := 24, 40, 136
	if size == 4 {
		at, fname, total = 12, 28, 124
	}
	b := make([]byte, total)
	binary.LittleEndian.PutUint32(b[at:], pid)
	binary.LittleEndian.PutUint32(b[at+4:], parent)
	copy(b[fname:], name)
	return note{3, b}
}

// file is an entry of NT_FILE.
type file struct {
	start, end, page uint64
	path             string
}

func files(size int, pageSize uint64, list ...file) note {
	b := words(size, uint64(len(list)), pageSize)
	for _, f := range list {
		b = append(b, words(size, f.start, f.end, f.page)...)
	}
	for _, f := range list {
		b = append(b, f.path+"\x00"...)
	}
	return note{0x46494c45, b}
}

func aux(size int, pairs ...uint64) note {
	return note{6, words(size, append(pairs, 0, 0)...)}
}

func open(t *testing.T, b []byte) *elfcore.Process {
	t.Helper()
	p, err := elfcore.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
