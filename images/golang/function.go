package golang

// function is a struct _func (runtime/runtime2.go) and the range of its code.
type function struct {
	t     *Table
	at    uint64 // offset of the struct in the part info
	start uint64 // as a distance from the start of code
	size  uint64 // in bytes
}

// The uint32 fields of a _func after its address, by index.
const (
	fieldName = iota
	_         // deferreturn; before Go 1.12 another field
	_         // deferreturn, before Go 1.12 another
	_         // pcsp
	fieldPCFile
	fieldPCLine
	fieldPCData // number of pcdata tables
	fieldUnit   // since Go 1.16
)

// function returns the i-th function.
func (t *Table) function(i int) (function, bool) {
	f := t.begun(i)
	next := t.start(i + 1)
	if next <= f.start || f.at > uint64(len(t.info)) {
		return f, false
	}
	f.size = next - f.start
	if lines, ok := f.field(fieldPCLine); ok && lines != 0 {
		if end := t.end(lines); end != 0 {
			f.size = min(f.size, end) // the rest is padding
		}
	}
	return f, true
}

// begun returns the i-th function without its size. It is cheaper than function.
func (t *Table) begun(i int) function {
	return function{t: t, start: t.start(i), at: t.uint(t.functions[(2*i+1)*t.field():], t.field())}
}

// field returns field n.
func (f *function) field(n int) (uint32, bool) {
	return f.t.u32(f.t.info, f.at+uint64(f.t.field()+4*n))
}

// name returns the function's name, "" if it cannot be read.
func (f *function) name() string {
	at, ok := f.field(fieldName)
	if !ok {
		return ""
	}
	return text(f.t.names, uint64(at))
}

// fixed returns how many fields precede the variable ones. The last of them ends with
// the number of funcdata: a byte, before Go 1.12 all four bytes.
func (t *Table) fixed() int {
	switch t.version {
	case go12:
		return 8
	case go116, go118:
		return 9
	}
	return 10
}

// pcdata returns the value of the n-th pcdata table at a distance from the function's
// start, -1 if there is none.
func (f *function) pcdata(n int, distance uint64) int32 {
	at, ok := f.pcdataAt(n)
	if !ok {
		return -1
	}
	return f.t.value(at, distance)
}

// pcdataAt returns the offset of the n-th pcdata table.
func (f *function) pcdataAt(n int) (uint32, bool) {
	if count, ok := f.field(fieldPCData); !ok || uint64(n) >= uint64(count) {
		return 0, false
	}
	at, ok := f.field(f.t.fixed() + n)
	return at, ok && at != 0
}

// funcdata returns the n-th funcdata pointer, since Go 1.18 as an offset from gofunc.
// The pointers follow the pcdata offsets, aligned like the table. Before Go 1.12 the
// count is a word of its own.
func (f *function) funcdata(n int, wordCount bool) (uint64, bool) {
	tables, _ := f.field(fieldPCData)
	count, ok := f.funcdataCount(wordCount)
	if !ok || uint64(n) >= uint64(count) {
		return 0, false
	}
	at := f.at + uint64(f.t.field()) + 4*(uint64(f.t.fixed())+uint64(tables))
	if f.t.version >= go118 {
		v, ok := f.t.u32(f.t.info, at+4*uint64(n))
		return uint64(v), ok && v != 1<<32-1
	}
	word := uint64(f.t.word)
	at = (at+f.t.infoAt+word-1)/word*word - f.t.infoAt + word*uint64(n)
	if size := uint64(len(f.t.info)); at > size || size-at < word {
		return 0, false
	}
	v := f.t.uint(f.t.info[at:], f.t.word)
	return f.t.pointer(v), v != 0
}

func (f *function) funcdataCount(wordCount bool) (uint32, bool) {
	last := f.t.fixed() - 1
	if wordCount {
		return f.field(last)
	}
	at := f.at + uint64(f.t.field()+4*last) + 3
	if at >= uint64(len(f.t.info)) {
		return 0, false
	}
	return uint32(f.t.info[at]), true
}

// site returns the file and line of the code at a distance from the function's start;
// "" and 0 if they are not known.
func (f *function) site(distance uint64) (file string, line int) {
	files, _ := f.field(fieldPCFile)
	lines, _ := f.field(fieldPCLine)
	if files == 0 || lines == 0 {
		return "", 0
	}
	line = int(f.t.value(lines, distance))
	if line > 0 {
		file = f.file(f.t.value(files, distance))
	}
	if file == "" {
		return "", 0
	}
	return file, line
}

// file returns the name of a file by its number: in the compilation unit, before Go
// 1.16 in the program, starting from 1.
func (f *function) file(number int32) string {
	if number < 0 {
		return ""
	}
	if f.t.version == go12 {
		at, ok := f.t.u32(f.t.files, 4*uint64(number))
		if !ok || number == 0 {
			return ""
		}
		return text(f.t.names, uint64(at))
	}
	unit, ok := f.field(fieldUnit)
	if !ok || unit == 1<<32-1 {
		return ""
	}
	at, ok := f.t.u32(f.t.units, 4*(uint64(unit)+uint64(number)))
	if !ok || at == 1<<32-1 {
		return ""
	}
	return text(f.t.files, uint64(at))
}
