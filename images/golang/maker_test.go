package golang

import (
	"bytes"
	"encoding/binary"
	"io"

	"stacksnap/task"
)

// maker makes a table of a layout, and all that is about it in a file: functions of
// funcSize bytes, each of which calls the next in its first instructions.
//
//	from 0x00: line 10
//	from 0x10: line 20, of a call inlined at 0x08
//	from 0x20: line 30, of a call inlined in that at 0x18
//	from 0x30: line 40, up to 0x38; then padding
type maker struct {
	version int
	scheme
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
	word int
	arch task.Arch

	names, files, units, values, info, tree []byte
}

const (
	funcSize = 0x40
	codeEnd  = 0x38
	textAt   = 0x401000
	tableAt  = 0x500000
	treeAt   = 0x600000
	padding  = 8 // before the first offset of a part that means something
)

func (m *maker) u32(b []byte, v int) []byte { return m.order.AppendUint32(b, uint32(v)) }

func (m *maker) ptr(b []byte, v int) []byte {
	if m.word == 4 {
		return m.u32(b, v)
	}
	return m.order.AppendUint64(b, uint64(v))
}

// intern appends a string to a part and returns its offset there.
func intern(part *[]byte, s string) int {
	at := len(*part)
	*part = append(append(*part, s...), 0)
	return at
}

// table appends a table of values that change every 0x10 bytes, up to the end of the
// code.
func (m *maker) table(list ...int) int {
	at, last := len(m.values), -1
	for i, v := range list {
		size := 0x10
		if i == len(list)-1 {
			size = codeEnd - 0x10*i
		}
		m.values = binary.AppendUvarint(m.values, uint64((v-last)<<1^(v-last)>>31))
		m.values = binary.AppendUvarint(m.values, uint64(size))
		last = v
	}
	m.values = append(m.values, 0)
	return at
}

// file makes the table and a File of functions.
func (m *maker) file(functions ...string) (data []byte, f File) {
	header := 8 + 8*m.word
	if m.version == go12 {
		m.names = make([]byte, header+(2*len(functions)+1)*m.word+4)
	} else {
		m.names, m.files, m.values, m.units = make([]byte, padding), make([]byte, padding), make([]byte, padding), make([]byte, padding)
	}
	outer, inner := intern(&m.names, "inlined.outer"), intern(&m.names, "inlined.inner")
	m.addFiles()
	m.addTree(outer, inner)
	var names []int
	for _, name := range functions {
		names = append(names, intern(&m.names, name))
	}
	if m.version == go12 {
		return m.file12(names), m.surroundings(len(names), nil)
	}
	functab, _ := m.addFunctions(names, 0)
	for _, part := range []*[]byte{&m.names, &m.units, &m.files, &m.values} {
		*part = append(*part, make([]byte, -len(*part)&7)...)
	}
	return m.joined(len(names), append(functab, m.info...)), m.surroundings(len(names), m.moduledata(header))
}

func (m *maker) addFiles() {
	if m.version != go12 {
		at := intern(&m.files, "/src/a.go")
		m.units = m.u32(m.u32(m.units, -1), at)
		return
	}
	m.files = m.u32(m.u32(m.u32(nil, 3), 0), intern(&m.names, "/src/a.go"))
}

// fileNumber is that of /src/a.go in its unit, or the table of files.
func (m *maker) fileNumber() int {
	if m.version == go12 {
		return 2
	}
	return 1
}

func (m *maker) addTree(names ...int) {
	for i, name := range names {
		b := make([]byte, m.size)
		if m.parentPC != 0 {
			m.order.PutUint32(b[m.parentPC:], uint32(8+0x10*i))
		} else {
			m.order.PutUint32(b, uint32(i-1))
			m.order.PutUint32(b[4:], uint32(m.fileNumber()))
			m.order.PutUint32(b[8:], uint32(10+10*i))
		}
		m.order.PutUint32(b[m.name:], uint32(name))
		m.tree = append(m.tree, b...)
	}
}

// addFunctions makes struct _func of each, behind what stands before them.
func (m *maker) addFunctions(names []int, before int) (functab []byte, size int) {
	field, base := m.word, textAt
	if m.version >= go118 {
		field, base = 4, 0
	}
	put := func(b []byte, v int) []byte {
		if field == 4 {
			return m.u32(b, v)
		}
		return m.ptr(b, v)
	}
	size = (2*len(names) + 1) * field
	first := before + size
	if m.version == go12 {
		first = before // info stands at its end
	}
	n := m.fileNumber()
	files, lines, calls := m.table(n), m.table(10, 20, 30, 40), m.table(-1, 0, 1, -1)
	for i, name := range names {
		for (first+len(m.info))%m.word != 0 {
			m.info = append(m.info, 0)
		}
		functab = put(put(functab, base+i*funcSize), first+len(m.info))
		m.info = m.addFunction(put(m.info, base+i*funcSize), first, name, files, lines, calls)
	}
	return put(functab, base+len(names)*funcSize), size
}

func (m *maker) addFunction(b []byte, first, name, files, lines, calls int) []byte {
	for _, v := range []int{name, 0, 0, 0, files, lines, m.pcdata + 1} {
		b = m.u32(b, v)
	}
	if m.version != go12 {
		b = m.u32(b, padding/4)
	}
	if m.version == go120 {
		b = m.u32(b, 1)
	}
	if m.wordCount {
		b = m.u32(b, m.funcdata+1)
	} else {
		b = append(b, 7, 0, 0, byte(m.funcdata+1))
	}
	for range m.pcdata {
		b = m.u32(b, 0)
	}
	b = m.u32(b, calls)
	if m.version >= go118 {
		for range m.funcdata {
			b = m.u32(b, -1)
		}
		return m.u32(b, padding)
	}
	for (first+len(b))%m.word != 0 {
		b = append(b, 0)
	}
	for range m.funcdata {
		b = m.ptr(b, 0)
	}
	return m.ptr(b, treeAt+padding)
}

// joined puts a header before the parts.
func (m *maker) joined(count int, functions []byte) []byte {
	magic := map[int]int{go116: 0xfffffffa, go118: 0xfffffff0, go120: 0xfffffff1}[m.version]
	b := append(m.u32(nil, magic), 0, 0, 1, byte(m.word))
	b = m.ptr(m.ptr(b, count), 1)
	at := 8 + 8*m.word
	if m.version >= go118 {
		b = m.ptr(b, 0)
	}
	for _, part := range [][]byte{m.names, m.units, m.files, m.values, functions} {
		b = m.ptr(b, at)
		at += len(part)
	}
	b = append(b, make([]byte, 8+8*m.word-len(b))...)
	return append(b, bytes.Join([][]byte{m.names, m.units, m.files, m.values, functions}, nil)...)
}

// file12 makes a table whose offsets are all from its start.
func (m *maker) file12(names []int) []byte {
	for len(m.names)%m.word != 0 {
		m.names = append(m.names, 0)
	}
	m.values = make([]byte, len(m.names))
	values := len(m.names)
	m.values = m.values[:values]
	functab, _ := m.addFunctions(names, values+64) // the tables of values have less
	b := append(m.u32(nil, 0xfffffffb), 0, 0, 1, byte(m.word))
	b = append(m.ptr(b, len(names)), functab...)
	b = m.u32(b, values+64+len(m.info))
	b = append(append(b, m.names[len(b):]...), m.values[values:]...)
	b = append(b, make([]byte, values+64-len(b))...)
	return append(append(b, m.info...), m.files...)
}

// moduledata is the start of the struct of that name, behind something else.
func (m *maker) moduledata(header int) []byte {
	words := make([]int, moduleWords)
	units := tableAt + header + len(m.names)
	words[0], words[moduleNames], words[moduleUnits], words[moduleFiles] = tableAt, tableAt+header, units, units+len(m.units)
	words[moduleText] = textAt
	words[moduleFunc120], words[moduleFunc118] = treeAt, tableAt
	if m.version == go118 {
		words[moduleFunc118], words[moduleFunc120] = treeAt, 7
	}
	b := make([]byte, 3*m.word)
	for _, w := range words {
		b = m.ptr(b, w)
	}
	return b
}

// surroundings is what the file has besides the table: code and inlined calls.
func (m *maker) surroundings(count int, module []byte) File {
	var code []byte
	for i := range count {
		f := make([]byte, funcSize)
		for j := 0; j < 10; j++ {
			f[5*j] = 0xe8
			binary.LittleEndian.PutUint32(f[5*j+1:], uint32(((i+1)%count-i)*funcSize-5*j-5))
		}
		code = append(code, f...)
	}
	tree := append(make([]byte, padding), m.tree...)
	read := func(p []byte, vmaddr uint64) (int, error) {
		for at, b := range map[uint64][]byte{textAt: code, treeAt: tree} {
			if vmaddr >= at && vmaddr-at < uint64(len(b)) {
				return copy(p, b[vmaddr-at:]), nil
			}
		}
		return 0, io.ErrUnexpectedEOF
	}
	f := File{Arch: m.arch, VMAddr: tableAt, Code: read}
	if module != nil {
		f.Data = func(yield func([]byte) bool) { _ = yield([]byte{1}) && yield(module) }
	}
	return f
}
