// Package golang reads the table of functions that Go's linker puts into every
// program, stripped ones too (.gopclntab; runtime/symtab.go, struct pcHeader,
// since Go 1.18).
package golang

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/images/object"
)

// The magic numbers of the layouts that are read: those of Go 1.18 and of 1.20.
const (
	magic118 = 0xfffffff0
	magic120 = 0xfffffff1
)

const (
	maxFunctions = 8 << 20
	maxName      = 4 << 10 // bytes; those of instantiated generics are long
)

// ErrTable is wrapped by what is wrong with a table.
var ErrTable = errors.New("table of Go functions")

// Table is a table of functions. It does not change once made.
type Table struct {
	data      []byte
	functions []byte // pairs of u32: distance from text, and from info; then the end of the last
	info      []byte // struct _func
	names     []byte // strings, ended by NUL
	count     int
	header    uint64 // textStart, which is 0 since Go 1.26
	text      uint64 // the vmaddr that distances are from
}

// parse reads the header: magic u32, two zeros, the instruction unit, the pointer
// size; nfunc, nfiles, textStart, and the offsets of funcnametab, cutab, filetab,
// pctab and functab, a word each.
func parse(data []byte) (*Table, error) {
	const words = 8
	if len(data) < 8+8*words {
		return nil, fmt.Errorf("%w: too short", ErrTable)
	}
	le := binary.LittleEndian
	if m := le.Uint32(data); m != magic118 && m != magic120 || data[4]|data[5] != 0 || data[7] != 8 {
		return nil, fmt.Errorf("%w: of an unknown version", ErrTable)
	}
	word := func(i int) uint64 { return le.Uint64(data[8+8*i:]) }
	t := &Table{data: data, header: word(2)}
	size, n := uint64(len(data)), word(0)
	if n > maxFunctions || word(3) > size || word(7) > size || (2*n+1)*4 > size-word(7) {
		return nil, fmt.Errorf("%w: cut off", ErrTable)
	}
	t.count, t.names, t.info = int(n), data[word(3):], data[word(7):]
	t.functions = t.info[:(2*n+1)*4]
	return t, nil
}

// start returns where the i-th function starts, 0 ≤ i ≤ count, as a distance.
func (t *Table) start(i int) uint64 {
	return uint64(binary.LittleEndian.Uint32(t.functions[8*i:]))
}

// size is the distance of where the last function ends.
func (t *Table) size() uint64 { return t.start(t.count) }

// at returns the last function that starts at or below a distance, -1 for none.
func (t *Table) at(distance uint64) int {
	lo, hi := 0, t.count
	for lo < hi {
		if mid := (lo + hi) / 2; t.start(mid) <= distance {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// name returns the name of the i-th function, "" when it cannot be read: struct
// _func begins with the distance again and the offset of the name, u32 each.
func (t *Table) name(i int) string {
	at := uint64(binary.LittleEndian.Uint32(t.functions[8*i+4:]))
	if at+8 > uint64(len(t.info)) {
		return ""
	}
	from := uint64(binary.LittleEndian.Uint32(t.info[at+4:]))
	if from >= uint64(len(t.names)) {
		return ""
	}
	b := t.names[from:]
	b = b[:min(len(b), maxName)]
	end := bytes.IndexByte(b, 0)
	return string(b[:max(end, 0)])
}

// Symbol returns the function that vmaddr is in. What lies between functions is
// in none of them as far as the table tells: the last of them ends where the next
// one starts.
func (t *Table) Symbol(vmaddr uint64) (object.Symbol, bool) {
	if t == nil || vmaddr < t.text || vmaddr-t.text >= t.size() {
		return object.Symbol{}, false
	}
	i := t.at(vmaddr - t.text)
	if i < 0 {
		return object.Symbol{}, false
	}
	s := object.Symbol{Name: t.name(i), VMAddr: t.text + t.start(i), Size: t.start(i+1) - t.start(i)}
	return s, s.Name != ""
}
