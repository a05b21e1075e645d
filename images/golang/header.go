package golang

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The layouts of the table, by the first version of Go that wrote them.
const (
	go12  = 12  // offsets are from the table's start, addresses are absolute
	go116 = 116 // separate parts for names and files
	go118 = 118 // addresses are relative to the start of code
	go120 = 120 // _func has the line of the function's start
)

// magics are the values of a table's first word (internal/abi, symtab.go).
var magics = map[uint32]int{0xfffffffb: go12, 0xfffffffa: go116, 0xfffffff0: go118, 0xfffffff1: go120}

const maxFunctions = 8 << 20

// ErrTable is wrapped by errors about a malformed table.
var ErrTable = errors.New("table of Go functions")

var errCut = fmt.Errorf("%w: cut off", ErrTable)

// layout is the decoded header of a table.
type layout struct {
	data    []byte // the whole table
	version int
	order   binary.ByteOrder
	word    int    // size of a pointer: 4 or 8 bytes
	quantum uint64 // size of the shortest instruction in bytes

	functions []byte // pairs of an address and an offset in info, then the end address of the last function
	info      []byte // struct _func
	infoAt    uint64 // offset from the table's start
	names     []byte // NUL-terminated strings
	units     []byte // u32 offsets in files; none in older versions
	files     []byte // NUL-terminated strings; in older versions u32 offsets in names
	values    []byte // pcdata tables
	count     int
	text      uint64 // textStart, which is 0 since Go 1.26
}

// parse reads the header: magic u32, two zeros, the instruction unit, the pointer
// size, and words that depend on the version.
func parse(data []byte) (*layout, error) {
	if len(data) < 16 {
		return nil, fmt.Errorf("%w: too short", ErrTable)
	}
	l := &layout{data: data, order: binary.LittleEndian, word: int(data[7]), quantum: uint64(data[6])}
	l.version = magics[binary.LittleEndian.Uint32(data)]
	if l.version == 0 {
		l.order, l.version = binary.BigEndian, magics[binary.BigEndian.Uint32(data)]
	}
	unit := l.quantum == 1 || l.quantum == 2 || l.quantum == 4
	if l.version == 0 || data[4]|data[5] != 0 || l.word != 4 && l.word != 8 || !unit {
		return nil, fmt.Errorf("%w: of an unknown version", ErrTable)
	}
	if l.version == go12 {
		return l, l.parse12(data)
	}
	return l, l.parseParts(data)
}

// IsTable reports whether data starts with the header of a non-empty table.
func IsTable(data []byte) bool {
	l, err := parse(data)
	return err == nil && l.count > 0
}

// parse12 reads a header of Go 1.2 to 1.15: the number of functions, the functions,
// and a u32 offset of the file table.
func (l *layout) parse12(data []byte) error {
	l.info, l.names, l.values = data, data, data
	if err := l.cut(data[8+l.word:], l.uint(data[8:], l.word)); err != nil {
		return err
	}
	size := uint64(len(data))
	at := uint64(8 + l.word + len(l.functions))
	if at+4 > size {
		return errCut
	}
	from := uint64(l.order.Uint32(data[at:]))
	if from+4 > size {
		return errCut
	}
	l.files = data[from:]
	l.files = l.files[:min(uint64(len(l.files)), 4*uint64(l.order.Uint32(l.files)))]
	return nil
}

// parseParts reads a header of Go 1.16 or later: the numbers of functions and files, the start of code
// (from Go 1.18 on), and the offsets of the parts.
func (l *layout) parseParts(data []byte) error {
	const parts = 5
	first := 2
	if l.version >= go118 {
		first = 3
	}
	if len(data) < 8+(first+parts)*l.word {
		return errCut
	}
	word := func(i int) uint64 { return l.uint(data[8+i*l.word:], l.word) }
	if first == 3 {
		l.text = word(2)
	}
	for i, part := range [parts]*[]byte{&l.names, &l.units, &l.files, &l.values, &l.info} {
		at := word(first + i)
		if at > uint64(len(data)) {
			return errCut
		}
		*part = data[at:]
	}
	l.infoAt = word(first + parts - 1)
	return l.cut(l.info, word(0))
}

// cut takes the table of n functions from the start of b.
func (l *layout) cut(b []byte, n uint64) error {
	if n > maxFunctions || (2*n+1)*uint64(l.field()) > uint64(len(b)) {
		return errCut
	}
	l.count, l.functions = int(n), b[:(2*n+1)*uint64(l.field())]
	return nil
}

// field returns the size of an address or offset in the table of functions.
func (l *layout) field() int {
	if l.version >= go118 {
		return 4
	}
	return l.word
}

// uint decodes four or eight bytes.
func (l *layout) uint(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(l.order.Uint32(b))
	}
	return l.order.Uint64(b)
}

// u32 decodes the word at offset at of a part. It reports false past the part's end.
func (l *layout) u32(part []byte, at uint64) (uint32, bool) {
	if at > uint64(len(part)) || uint64(len(part))-at < 4 {
		return 0, false
	}
	return l.order.Uint32(part[at:]), true
}
