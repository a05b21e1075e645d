package dwarf

import (
	"slices"
	"sync"

	"stacksnap/images/object"
)

// Data is the debugging information of one file. It is safe for concurrent use.
type Data struct {
	// Related opens the other files that have a part of it. It is set before anything
	// is asked.
	Related Related

	mu       sync.Mutex
	open     Sections
	suffix   string // of the sections' names
	budget   *object.Budget
	sections [numSections]section

	started  bool
	rooted   bool     // the roots of all units were asked for their ranges
	listed   bool     // all units are known
	listedTo uint64   // as far as .debug_info was gone through
	units    []*unit  // by offset: those up to listedTo, and others that were asked for
	spans    spans    // of units
	owners   []uint64 // of spans: the unit's offset
	unranged []*unit  // units whose ranges only their functions tell
	tables   map[abbrevsKey]*abbrevs
	names    map[uint64]string // of functions, by the offset of an entry

	linked       *Data                // the file that has the addresses: of one of split units that of their skeletons, else itself
	files        map[string]*Data     // of split units, by path; nil: not there
	splits       map[uint64]splitUnit // by the offset of their skeleton
	packed       cuIndex
	sup          *Data // nil: none
	supplemented bool  // sup was asked for
}

// New returns what a file tells of its code. Each section is asked for once, when it
// is needed. The budget bounds what is read and kept; it may be nil.
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

// Frames returns the function that an address is in, last, and before it the calls
// that are inlined there, the innermost first. It returns nil where nothing is known
// of the address, and a frame without a function where only its line is.
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

// unitsWith returns the units that an address may be in, by their place in the file.
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

// maxUnits is how many units are looked at that have one address.
const maxUnits = 16

// framesIn asks the units, of which the first that knows a function is right.
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

// frames makes the frames of a function and of what is inlined in it at an address:
// the line table tells where the innermost stands, each call where its caller does. The
// names are in the file that has the function; the files of source are those of u.
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
