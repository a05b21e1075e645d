package dwarf

import "iter"

// Sections returns the sections of a file by name: "info" for .debug_info or
// __debug_info, "info.dwo" for .debug_info.dwo. It returns nil where there is none.
type Sections func(name string) Section

// Related opens the other files that have a part of a file's debugging information.
// Each of its functions may be nil, and is called when something is asked that needs it.
type Related struct {
	// Split gives the files that may have the split unit (.dwo) of a name, which is
	// relative to the folder in which the compiler ran; a file is kept if the loop ends
	// with it.
	Split func(dir, name string) iter.Seq[Sections]
	// Package opens the package of split units (.dwp), and returns nil where there is
	// none. It is called once.
	Package func() Sections
	// Supplement opens the supplementary file that dwz makes of what several files have
	// in common, and returns nil where there is none. It is called once.
	Supplement func() Sections
}

// supplement returns the supplementary file, nil where there is none. One of its own is
// not asked for.
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
