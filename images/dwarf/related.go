package dwarf

import "iter"

// Sections opens the sections of a file by name: "info" for .debug_info or
// __debug_info, "info.dwo" for .debug_info.dwo. It returns nil if there is no such
// section.
type Sections func(name string) Section

// Related opens the other files that have part of a file's debugging information.
// Each function may be nil, and is called on demand.
type Related struct {
	// Split yields the files that may contain the split unit (.dwo) of a name, which
	// is relative to the directory where the compiler ran. The file at which the loop
	// ends is kept open.
	Split func(dir, name string) iter.Seq[Sections]
	// Package opens the package of split units (.dwp); nil if there is none. It is
	// called once.
	Package func() Sections
	// Supplement opens the supplementary file, in which dwz has put what several
	// files have in common; nil if there is none. It is called once.
	Supplement func() Sections
}

// supplement returns the supplementary file, nil if there is none. A supplementary
// file has none of its own.
func (d *Data) supplement() *Data {
	if d.supplemented {
		return d.sup
	}
	d.supplemented = true
	if d.Related.Supplement != nil && d.keep(dataBytes) {
		if sections := d.Related.Supplement(); sections != nil {
			d.sup = New(sections, d.budget)
		}
	}
	return d.sup
}
