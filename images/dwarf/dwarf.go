package dwarf

import (
	"slices"
	"sync"

	"stacksnap/images/object"
)

// Data is the debugging information of one file. It is safe for concurrent use.
type Data struct {
	// Related opens the other files that have part of the information. Set it before
	// any query.
	Related Related

	mu       sync.Mutex
	open     Sections
	suffix   string // of section names
	budget   *object.Budget
	sections [numSections]section

	started  bool
	rooted   bool     // the roots of all units were read for their ranges
	listed   bool     // all units are in units
	listedTo uint64   // offset up to which .debug_info was listed
	units    []*unit  // by offset: those up to listedTo, and others that were needed
	spans    spans    // of units
	owners   []uint64 // offset of the unit, by span.of
	unranged []*unit  // units whose ranges have to be taken from their functions
	tables   map[abbrevsKey]*abbrevs
	names    map[uint64]string // of functions, by entry offset

	linked       *Data                // the file with the addresses: for split units that of their skeletons, else d itself
	files        map[string]*Data     // with split units, by path; nil: not found
	splits       map[uint64]splitUnit // by the offset of their skeleton
	packed       cuIndex
	sup          *Data // nil: none
	supplemented bool  // sup was looked for
}

// New returns the debugging information of a file. Each section is opened on first
// use. The budget limits what is read and kept; it may be nil.
func New(open Sections, budget *object.Budget) *Data {
	d := &Data{
		open: open, budget: budget,
		tables: map[abbrevsKey]*abbrevs{}, names: map[uint64]string{},
		files: map[string]*Data{}, splits: map[uint64]splitUnit{},
	}
	d.linked = d
	return d
}

func (d *Data) keep(n uint64) bool { return d.budget.Keep(n) }

// Frames returns the calls inlined at an address, the innermost first, and last the
// function itself. It returns nil if nothing is known of the address, and a frame
// without a function if only the line is.
func (d *Data) Frames(vmaddr uint64) []object.Source {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.started {
		d.started = true
		d.readARanges()
		d.spans.sort()
	}
	for {
		found := d.framesIn(d.unitsWith(vmaddr), vmaddr)
		if found != nil || !d.rangeMore() {
			return found
		}
	}
}

// unitsWith returns the units that may contain an address, by offset.
func (d *Data) unitsWith(vmaddr uint64) []*unit {
	var list []uint64
	for s := range d.spans.at(vmaddr) {
		if list = append(list, d.owners[s.of]); len(list) == maxUnits {
			break
		}
	}
	slices.Sort(list)
	var units []*unit
	for _, off := range slices.Compact(list) {
		if u, _ := d.unitAt(off); u != nil {
			units = append(units, u)
		}
	}
	return units
}

// maxUnits is how many units that contain one address are examined.
const maxUnits = 16

// framesIn returns the frames of the first unit that has a function at vmaddr.
func (d *Data) framesIn(units []*unit, vmaddr uint64) (found []object.Source) {
	for _, u := range units {
		in, full := d.full(u)
		in.scan(full)
		for s := range full.spans.at(vmaddr) {
			f := &full.functions[s.of]
			in.readCalls(full, f)
			return d.frames(u, in, f, s, vmaddr)
		}
		if at, ok := d.lineAt(u, vmaddr); ok && found == nil {
			found = []object.Source{d.frame(u, at)}
		}
	}
	return found
}

// frames returns the frames of a function f and the calls inlined in it at an
// address. The line table has the position in the innermost frame; each call has the
// position in its caller. names is the file with the functions' names; u has the
// source files.
func (d *Data) frames(u *unit, names *Data, f *function, s span, vmaddr uint64) []object.Source {
	at, _ := d.lineAt(u, vmaddr)
	var list []object.Source
	in := f.at(vmaddr)
	if len(in) > maxNested {
		at = in[maxNested].site
		in = in[:maxNested]
	}
	for _, c := range slices.Backward(in) {
		frame := d.frame(u, at)
		frame.Function = names.name(c.off)
		list = append(list, frame)
		at = c.site
	}
	frame := d.frame(u, at)
	frame.Function, frame.Low, frame.High = names.name(f.off), s.low, s.high
	return append(list, frame)
}

func (d *Data) lineAt(u *unit, vmaddr uint64) (site, bool) {
	t := d.load(u).lines
	if t == nil {
		return site{}, false
	}
	return d.site(t, vmaddr)
}

func (d *Data) frame(u *unit, at site) object.Source {
	return object.Source{File: d.path(u, at.file), Line: int(at.line), Column: int(at.column)}
}
