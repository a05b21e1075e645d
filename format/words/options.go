package words

import "stacksnap/format/profile"

// Options are the caller's choices for formats that people read.
type Options struct {
	// Color adds escape sequences for colour. The caller must know that the output is a
	// terminal that shows them.
	Color bool
	// ASCII restricts the output to ASCII.
	ASCII bool
	// Width is the number of columns that lines should fit into; 0: any number. Lines that
	// cannot be broken, such as paths, may be longer.
	Width int
	// Header writes the facts on the process and the capture first, not last.
	Header bool
	// Alike is the number of threads with the same stack from which they are one entry; 0: never.
	Alike int
	// Addresses gives each frame a line of its own, and adds to the trees of samples the addresses of
	// frames, where they are in their functions, and how the time of each was spent; and the images
	// after them.
	Addresses bool
	// Least is the least share of a thread's samples, in percent, of the calls in a tree of
	// samples, unless the profile's view has a bound of its own; 0: any.
	Least float64
	// SelfCalls shows each call of a function by itself in a tree of samples.
	SelfCalls bool
	// FoldIdle merges the reports on idle processes that are equal.
	FoldIdle bool
}

// Folded is a profile with the threads put together that the options want to be one entry.
// Groups of threads stay as they are.
func (o *Options) Folded(p *profile.Profile) *profile.Profile {
	if o.Alike == 0 || p.View != nil && p.View.By != profile.ByThread {
		return p
	}
	return p.FoldAlike(o.Alike)
}
