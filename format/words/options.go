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
	// Alike is how many threads must have the same stack to share one entry; 0: they never do.
	Alike int
	// Addresses gives each frame a line of its own. Trees of samples then have the addresses of
	// frames, their offsets in their functions and how the time of each was spent, and the
	// images follow the trees.
	Addresses bool
	// Least is the least share, in percent of a thread's samples, that a call must have to be in
	// a tree of samples, unless the profile's view has a bound of its own; 0: any.
	Least float64
	// SelfCalls shows each call of a function by itself in a tree of samples.
	SelfCalls bool
	// FoldIdle merges the reports on idle processes that are equal.
	FoldIdle bool
}

// Folded returns a profile in which the threads that share an entry, according to the options,
// are merged. Groups of threads do not change.
func (o *Options) Folded(p *profile.Profile) *profile.Profile {
	if o.Alike == 0 || p.View != nil && p.View.By != profile.ByThread {
		return p
	}
	return p.FoldAlike(o.Alike)
}
