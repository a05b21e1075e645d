package dwarf

import (
	"slices"
	"sync"

	"stacksnap/images/object"
)

// Data is the debugging information of one file. It is safe for concurrent use.
type Data struct {
	mu       sync.Mutex
	open     func(name string) Section
	budget   *object.Budget
	sections [numSections]section

	started  bool
	units    []unit   // by offset
	spans    spans    // of units
	sets     []uint64 // of .debug_aranges: the unit's offset; while the units are listed
	unranged []int    // units whose ranges only their functions tell
	tables   map[abbrevsKey]*abbrevs
	names    map[uint64]string // of functions, by the offset of an entry
}

// New returns what a file tells of its code. Open returns its sections by name,
// "info" for .debug_info or __debug_info, nil where there is none; each is asked for
// once, when it is needed. The budget bounds what is read and kept; it may be nil.
func New(open func(name string) Section, budget *object.Budget) *Data {
	return &Data{
		open: open, budget: budget,
		tables: map[abbrevsKey]*abbrevs{}, names: map[uint64]string{},
	}
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
		d.readUnits()
	}
	if found := d.framesIn(d.unitsAt(vmaddr), vmaddr); found != nil || len(d.unranged) == 0 {
		return found
	}
	d.rangeUnits()
	return d.framesIn(d.unitsAt(vmaddr), vmaddr)
}

// unitsAt returns the units that an address may be in, by their place in the file.
func (d *Data) unitsAt(vmaddr uint64) []int32 {
	var list []int32
	for s := range d.spans.at(vmaddr) {
		if list = append(list, s.of); len(list) == maxUnits {
			break
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// maxUnits is how many units are looked at that have one address.
const maxUnits = 16

// framesIn asks the units, of which the first that knows a function is right.
func (d *Data) framesIn(units []int32, vmaddr uint64) (found []object.Source) {
	for _, n := range units {
		u := &d.units[n]
		d.scan(u)
		for s := range u.spans.at(vmaddr) {
			return d.frames(u, &u.functions[s.of], s, vmaddr)
		}
		if at, ok := d.lineAt(u, vmaddr); ok && found == nil {
			found = []object.Source{d.frame(u, at)}
		}
	}
	return found
}

// rangeUnits looks for the functions of units that do not tell their ranges.
func (d *Data) rangeUnits() {
	for _, n := range d.unranged {
		u := &d.units[n]
		d.scan(u)
		for _, s := range u.spans.list {
			d.addSpan(&d.spans, span{s.low, s.high, int32(n)})
		}
	}
	d.unranged = nil
	d.spans.sort()
}

// frames makes the frames of a function and of what is inlined in it at an address:
// the line table tells where the innermost stands, each call where its caller does.
func (d *Data) frames(u *unit, f *function, s span, vmaddr uint64) []object.Source {
	d.readCalls(u, f)
	at, _ := d.lineAt(u, vmaddr)
	var list []object.Source
	in := f.at(vmaddr)
	if len(in) > maxNested {
		at = in[maxNested].site
		in = in[:maxNested]
	}
	for _, c := range slices.Backward(in) {
		frame := d.frame(u, at)
		frame.Function = d.name(c.off)
		list = append(list, frame)
		at = c.site
	}
	frame := d.frame(u, at)
	frame.Function, frame.Low, frame.High = d.name(f.off), s.low, s.high
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
