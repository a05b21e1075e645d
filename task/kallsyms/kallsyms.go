// Package kallsyms symbolizes addresses in the Linux kernel by /proc/kallsyms.
package kallsyms

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"stacksnap/task"
)

// Table has the functions of a kernel and its modules.
type Table struct {
	all     []symbol // by address, one at each
	names   []byte   // each ends with a newline
	modules []string // the first is the kernel itself
}

// symbol is a function.
type symbol struct {
	start  uint64
	name   uint32 // offset in names
	module uint16
}

// Limits.
const (
	maxText    = 256 << 20
	maxSymbols = 1 << 22
)

// A function ends where the next one starts. The last one of a module ends at the end
// of its page at the latest: modules have their own pages, and what follows may be
// another module, loaded since.
const (
	pageSize    = 4 << 10
	maxFunction = 1 << 20
)

// ErrHidden means that the kernel hides the addresses of its functions: with
// kptr_restrict (Documentation/admin-guide/sysctl/kernel.rst) they are all zero.
var ErrHidden = errors.New("the kernel hides where its functions are (kptr_restrict)")

// Read parses /proc/kallsyms: a line for each symbol, with its address in
// hexadecimal, its type as in nm(1) and its name, which a module in brackets may
// follow (s_show, kernel/kallsyms.c). It skips symbols of data and malformed lines.
func Read(r io.Reader) (*Table, error) {
	t := &Table{modules: []string{""}}
	index, hidden := map[string]uint16{"": 0}, 0
	lines := bufio.NewReader(io.LimitReader(r, maxText))
	for {
		line, err := lines.ReadSlice('\n')
		if s, name, module, ok := parse(line); ok && s.start == 0 {
			hidden++
		} else if ok && t.hasRoom(name) {
			s.module = t.moduleOf(index, module)
			t.add(s, name)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // not a line of the kernel's
		case err == nil:
		case !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("read the symbols of the kernel: %w", err)
		case len(t.all) == 0 && hidden > 0:
			return nil, ErrHidden
		default:
			t.sort()
			return t, nil
		}
	}
}

// parse parses a line. name and module are parts of it.
func parse(line []byte) (s symbol, name, module []byte, ok bool) {
	address, rest, _ := bytes.Cut(bytes.TrimRight(line, "\n"), []byte(" "))
	kind, rest, _ := bytes.Cut(rest, []byte(" "))
	start, err := strconv.ParseUint(string(address), 16, 64)
	if err != nil || len(kind) != 1 || !bytes.Contains([]byte("tTwW"), kind) {
		return s, nil, nil, false
	}
	name, module, _ = bytes.Cut(rest, []byte("\t["))
	ok = len(name) > 0 && len(name) <= task.MaxKernelName
	return symbol{start: start}, name, bytes.TrimSuffix(module, []byte("]")), ok
}

func (t *Table) hasRoom(name []byte) bool {
	return len(t.all) < maxSymbols && uint64(len(t.names)+len(name)) < math.MaxUint32
}

// moduleOf returns the number of a module; if there are too many, that of the kernel
// itself.
func (t *Table) moduleOf(index map[string]uint16, name []byte) uint16 {
	i, known := index[string(name)]
	if !known && len(t.modules) <= math.MaxUint16 {
		i = uint16(len(t.modules))
		t.modules = append(t.modules, string(name))
		index[string(name)] = i
	}
	return i
}

func (t *Table) add(s symbol, name []byte) {
	s.name = uint32(len(t.names))
	t.names = append(append(t.names, name...), '\n')
	t.all = append(t.all, s)
}

// sort sorts by address and keeps the first symbol at each, which is the one that the
// kernel itself uses (get_symbol_pos, kernel/kallsyms.c).
func (t *Table) sort() {
	slices.SortStableFunc(t.all, func(a, b symbol) int { return cmp.Compare(a.start, b.start) })
	t.all = slices.Clip(slices.CompactFunc(t.all, func(a, b symbol) bool { return a.start == b.start }))
	t.names = slices.Clip(t.names)
}

// Find returns the function at an instruction or, with isReturn, at a return address.
// It reports false if none is known.
func (t *Table) Find(a uint64, isReturn bool) (task.KernelFrame, bool) {
	at := a
	if isReturn && at > 0 {
		at--
	}
	i, found := slices.BinarySearchFunc(t.all, at, func(s symbol, a uint64) int { return cmp.Compare(s.start, a) })
	if !found {
		i--
	}
	if i < 0 {
		return task.KernelFrame{}, false
	}
	s := &t.all[i]
	size := t.size(i)
	if at-s.start >= size {
		return task.KernelFrame{}, false
	}
	name, _, _ := bytes.Cut(t.names[s.name:], []byte("\n"))
	return task.KernelFrame{Name: string(name), Module: t.modules[s.module], Offset: a - s.start, Size: size}, true
}

// size returns the maximum size of a function.
func (t *Table) size(i int) uint64 {
	s := &t.all[i]
	page := pageSize - s.start%pageSize
	if i+1 == len(t.all) {
		return page
	}
	next := &t.all[i+1]
	if d := next.start - s.start; d < page || next.module == s.module && d <= maxFunction {
		return d
	}
	return page
}
