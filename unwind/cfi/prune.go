package cfi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sort"

	"stacksnap/images/object"
	"stacksnap/unwind/rule"
)

// Pruner copies from a section of call frame information the entries that cover given
// addresses, so that they can be kept without the file. The copy is a section of its
// own with absolute pointers, and yields the same rows for these addresses. A Pruner
// is not safe for concurrent use.
type Pruner struct {
	from   *table
	to     section
	cies   map[int]int // offset in from → in to
	picked []picked    // by start
	none   []uint64    // addresses that no FDE covers, sorted
	whole  bool
}

// picked is a copied FDE, of [start, end), and its offset in the copy.
type picked struct {
	start, end uint64
	off        int
}

// NewPruner returns a Pruner with an empty copy. kind is [object.EHFrame] or
// [object.DebugFrame]. The error is the file's.
func NewPruner(file object.File, kind object.Kind) (*Pruner, error) {
	sec, err := file.Section(kind)
	if err != nil {
		return nil, err
	}
	p := &Pruner{from: newTable(file, kind, sec), cies: map[int]int{}}
	p.to = p.from.section
	p.to.Data = nil
	return p, nil
}

// Section returns the copied section. A later Add appends to its data and changes nothing
// before that, unless Whole becomes true.
func (p *Pruner) Section() object.Section {
	if p.whole {
		return p.from.Section
	}
	return p.to.Section
}

// Whole reports whether the section is malformed or not understood at an address that
// was added. Section then returns the original section, for which the file's
// [object.EHFrameHdr] is needed as well.
func (p *Pruner) Whole() bool { return p.whole }

// Add copies the entries that cover vmaddr.
func (p *Pruner) Add(vmaddr uint64) {
	if p.whole || p.isNone(vmaddr) {
		return
	}
	f, err := p.from.find(vmaddr)
	switch {
	case err != nil && p.from.err == nil && errors.Is(err, rule.ErrNone):
		p.whole = !p.addNone(vmaddr)
	case err != nil:
		p.whole = true
	default:
		p.whole = !p.addFDE(f, vmaddr)
	}
}

func (p *Pruner) isNone(vmaddr uint64) bool {
	_, found := slices.BinarySearch(p.none, vmaddr)
	return found
}

// addNone records that no FDE covers vmaddr. It reports false if a copied FDE does.
func (p *Pruner) addNone(vmaddr uint64) bool {
	if i := p.above(vmaddr); i > 0 && vmaddr < p.picked[i-1].end {
		return false
	}
	i, _ := slices.BinarySearch(p.none, vmaddr)
	p.none = slices.Insert(p.none, i, vmaddr)
	return true
}

// above returns the index of the first picked FDE that starts above vmaddr.
func (p *Pruner) above(vmaddr uint64) int {
	return sort.Search(len(p.picked), func(i int) bool { return p.picked[i].start > vmaddr })
}

// addFDE copies f, which covers vmaddr, unless it was copied before. It reports false
// if the copy has another row for vmaddr.
func (p *Pruner) addFDE(f *fde, vmaddr uint64) bool {
	i := p.above(f.start)
	if i == 0 || p.picked[i-1].start != f.start {
		if i > 0 && p.picked[i-1].end > f.start || i < len(p.picked) && p.picked[i].start < f.end {
			return false // FDEs overlap
		}
		if j, _ := slices.BinarySearch(p.none, f.start); j < len(p.none) && p.none[j] < f.end {
			return false
		}
		i++
		p.picked = slices.Insert(p.picked, i-1, picked{f.start, f.end, p.copyFDE(f)})
	}
	return p.same(f, p.picked[i-1].off, vmaddr)
}

// same reports whether the copied FDE at off and f have the same row for vmaddr.
func (p *Pruner) same(f *fde, off int, vmaddr uint64) bool {
	g, err := p.to.fdeAt(off)
	if err != nil {
		return false
	}
	a, errA := p.from.rowAt(f, vmaddr)
	b, errB := p.to.rowAt(g, vmaddr)
	if errA != nil || errB != nil {
		return false // errors name offsets, which differ
	}
	return g.start == f.start && g.end == f.end && sameCIE(f.cie, g.cie) && p.sameRow(a, b)
}

func sameCIE(a, b *cie) bool {
	return a.ra == b.ra && a.signal == b.signal && a.golang == b.golang
}

// sameRow reports whether rows are equal, including the expressions that they refer
// to.
func (p *Pruner) sameRow(a, b *row) bool {
	if a.signed != b.signed || !p.sameColumn(a.cfa, b.cfa) {
		return false
	}
	for i := range a.columns {
		if !p.sameColumn(a.columns[i], b.columns[i]) {
			return false
		}
	}
	return true
}

func (p *Pruner) sameColumn(a, b column) bool {
	if a.kind != expression && a.kind != valExpression {
		return a == b
	}
	if a.kind != b.kind {
		return false
	}
	x, y := p.from.block(a), p.to.block(b)
	return bytes.Equal(x.data[x.pos:], y.data[y.pos:])
}

// copyFDE appends f, and its CIE unless copied before, and returns f's offset.
func (p *Pruner) copyFDE(f *fde) int {
	ci, ok := p.cies[f.cie.off]
	if !ok {
		ci = p.copyCIE(f.cie)
		p.cies[f.cie.off] = ci
	}
	off, b := p.begin()
	if p.to.eh {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(b)-ci))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(ci))
	}
	b = appendPointer(b, f.start, f.cie.pointerSize)
	b = appendPointer(b, f.end-f.start, f.cie.pointerSize)
	if !f.cie.golang {
		b = append(b, 0) // no augmentation data
	}
	p.end(off, append(b, f.program.data[f.program.pos:]...))
	return off
}

// copyCIE appends an equivalent CIE with absolute pointers. One of Go's linker keeps
// its form. Otherwise the version is 3, or 4 if the pointer size is not the
// section's.
func (p *Pruner) copyCIE(ci *cie) int {
	off, b := p.begin()
	if p.to.eh {
		b = append(b, 0, 0, 0, 0)
	} else {
		b = append(b, 0xff, 0xff, 0xff, 0xff)
	}
	version := byte(3)
	if ci.pointerSize != p.to.pointerSize {
		version = 4
	}
	b = append(append(b, version), ci.letters()...)
	b = append(b, 0)
	if version == 4 {
		b = append(b, byte(ci.pointerSize), 0)
	}
	b = binary.AppendUvarint(b, ci.codeAlign)
	b = appendSLEB(b, ci.dataAlign)
	b = binary.AppendUvarint(b, ci.ra)
	if !ci.golang {
		b = append(b, 1, encAbsolute) // the size of the augmentation data, and R
	}
	p.end(off, append(b, ci.program.data[ci.program.pos:]...))
	return off
}

// letters returns the augmentation string.
func (ci *cie) letters() string {
	switch {
	case ci.golang:
		return ""
	case ci.signal:
		return "zRS"
	}
	return "zR"
}

// begin appends an entry header without its length.
func (p *Pruner) begin() (off int, b []byte) {
	return len(p.to.Data), append(p.to.Data, 0, 0, 0, 0)
}

// end pads the entry that begins at off, and sets its length.
func (p *Pruner) end(off int, b []byte) {
	for len(b)%8 != 0 {
		b = append(b, opNop)
	}
	binary.LittleEndian.PutUint32(b[off:], uint32(len(b)-off-4))
	p.to.Data = b
}

func appendPointer(b []byte, v uint64, size int) []byte {
	if size == 4 {
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(b, v)
}

// appendSLEB appends a signed LEB128.
func appendSLEB(b []byte, v int64) []byte {
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if done := v == 0 && low&0x40 == 0 || v == -1 && low&0x40 != 0; done {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
