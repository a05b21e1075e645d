package dwarf

import "sort"

// The opcodes of line programs (DWARF 5, tables 7.25 and 7.26).
const (
	lnsCopy           = 1
	lnsAdvancePC      = 2
	lnsAdvanceLine    = 3
	lnsSetFile        = 4
	lnsSetColumn      = 5
	lnsConstAddPC     = 8
	lnsFixedAdvancePC = 9

	lneEndSequence = 1
	lneSetAddress  = 2
	lneDefineFile  = 3
)

// machine runs a line program.
type machine struct {
	t *lines
	c *cursor
	state
	ended   bool // the row ends its sequence
	defined func(file)
}

// state has the registers of the machine that are used.
type state struct {
	address uint64
	op      uint64
	site
}

// mark is where a program can be resumed: after a row.
type mark struct {
	state
	at uint64 // offset in .debug_line
}

// sequence is rows with ascending addresses.
type sequence struct{ marks, ends int32 } // in lines.marks

const (
	markRows      = 256 // rows between two marks
	markBytes     = 48
	sequenceBytes = 48
)

// reset sets the registers to their values at the start of a sequence.
func (m *machine) reset() {
	m.state = state{site: site{file: 1, line: 1}}
	m.ended = false
}

// next runs to the next row. It reports false at the end of the program.
func (m *machine) next() bool {
	if m.ended {
		m.reset()
	}
	for m.c.more() {
		opcode := uint64(m.c.u8())
		row := false
		switch {
		case opcode >= m.t.opcodeBase:
			opcode -= m.t.opcodeBase
			m.advance(opcode / m.t.lineRange)
			m.addLine(m.t.lineBase + int64(opcode%m.t.lineRange))
			row = true
		case opcode == 0:
			row = m.extended()
		default:
			row = m.standard(opcode)
		}
		if row && m.c.err == nil {
			return true
		}
	}
	return false
}

// advance advances by n operations.
func (m *machine) advance(n uint64) {
	if m.t.maxOps == 1 {
		m.address += n * m.t.minLength
		return
	}
	n += m.op
	m.address += n / m.t.maxOps * m.t.minLength
	m.op = n % m.t.maxOps
}

func (m *machine) addLine(n int64) { m.line = uint32(int64(m.line) + n) }

// standard runs a standard opcode, and reports whether it makes a row.
func (m *machine) standard(opcode uint64) (row bool) {
	c := m.c
	switch opcode {
	case lnsCopy:
		return true
	case lnsAdvancePC:
		m.advance(c.uleb())
	case lnsAdvanceLine:
		m.addLine(c.sleb())
	case lnsSetFile:
		m.file = uint32(min(c.uleb(), 1<<32-1))
	case lnsSetColumn:
		m.column = number(c.uleb())
	case lnsConstAddPC:
		m.advance((255 - m.t.opcodeBase) / m.t.lineRange)
	case lnsFixedAdvancePC:
		m.address += uint64(c.u16())
		m.op = 0
	default: // not needed, or unknown
		for range m.t.opcodeLengths[opcode] {
			c.skipLEB()
		}
	}
	return false
}

// extended runs an extended opcode, and reports whether it makes a row.
func (m *machine) extended() (row bool) {
	c := m.c
	length := c.uleb()
	end := c.offset() + length
	if length > c.end-min(c.offset(), c.end) {
		c.fail(errEnd)
		return false
	}
	if length == 0 {
		return false
	}
	switch c.u8() {
	case lneEndSequence:
		m.ended, row = true, true
	case lneSetAddress:
		if n := int(length) - 1; n >= 1 && n <= 8 {
			m.address, m.op = c.uint(n), 0
		}
	case lneDefineFile:
		f := file{name: value{formString, c.offset()}}
		c.skipString()
		f.readRest(c)
		if m.defined != nil {
			m.defined(f)
		}
	}
	c.seek(end)
	return row
}

// run returns a machine at an offset of the program.
func (d *Data) run(t *lines, at, window uint64) *machine {
	m := &machine{t: t, c: d.cursor(secLine, at, t.end, window)}
	m.reset()
	return m
}

// index runs the program once, and keeps its sequences and marks in them.
func (d *Data) index(t *lines) {
	if t.indexed {
		return
	}
	t.indexed = true
	m := d.run(t, t.program, farWindow)
	m.defined = func(f file) { d.addFile(m.c, t, f) }
	for m.c.err == nil {
		if !d.indexSequence(t, m) {
			break
		}
	}
	t.spans.sort()
}

// indexSequence runs to the end of a sequence. If addresses decrease in it, the rest
// is ignored.
func (d *Data) indexSequence(t *lines, m *machine) bool {
	s := sequence{marks: int32(len(t.marks))}
	var first, high uint64
	broken := false
	for rows := 0; m.next(); rows++ {
		if rows == 0 {
			first, high = m.address, m.address
		}
		if broken = broken || m.address < high; !broken {
			high = m.address
		}
		if m.ended {
			s.ends = int32(len(t.marks))
			if first < high && d.keep(sequenceBytes) {
				d.addSpan(&t.spans, span{first, high, int32(len(t.sequences))})
				t.sequences = append(t.sequences, s)
			} else {
				t.marks = t.marks[:s.marks]
			}
			return true
		}
		if !broken && rows%markRows == 0 {
			if !d.keep(markBytes) {
				return false
			}
			t.marks = append(t.marks, mark{m.state, m.c.offset()})
		}
	}
	return false
}

// site returns the source position of an address.
func (d *Data) site(t *lines, vmaddr uint64) (site, bool) {
	d.index(t)
	for span := range t.spans.at(vmaddr) {
		s := t.sequences[span.of]
		marks := t.marks[s.marks:s.ends]
		i := sort.Search(len(marks), func(i int) bool { return marks[i].address > vmaddr }) - 1
		if i < 0 {
			continue
		}
		found := marks[i].state
		m := d.run(t, marks[i].at, nearWindow)
		for m.state = found; m.next() && !m.ended && m.address >= found.address && m.address <= vmaddr; {
			found = m.state
		}
		return found.site, true
	}
	return site{}, false
}
