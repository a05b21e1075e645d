package apple

import (
	"cmp"
	"slices"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// branch is a line of the call graph, with the lines below it.
type branch struct {
	place
	count    int
	ran      int // samples in which it was innermost and the thread ran, where the report has that
	children []*branch
	at       []counted // addresses: of a leaf, or in a report that was opened
	more     bool      // there are further addresses, which are unknown
	level    int       // number of lines above
	height   int       // number of levels below
}

// counted is an address at which a function was innermost.
type counted struct {
	address profile.Address
	samples int // 0: not known
}

// forest makes the branches of one thread.
type forest struct {
	roots []*branch
	all   []*branch // parents before their children
	index map[edge]*branch
}

// edge identifies a branch below another one; above is nil for the outermost.
type edge struct {
	above *branch
	place place
}

// grow makes the sorted branches of a thread.
func grow(t *profile.Thread) *forest {
	cut := func(c *profile.Cut) place { return placeOf(cutNode(c), false) }
	return growBy(t, cut, func(f *forest, above *branch, n *profile.Node) *branch {
		if n.Self > 0 {
			f.leaf(above, n)
		}
		if n.Count > n.Self {
			return f.branch(above, placeOf(n, false), n.Count-n.Self)
		}
		return above
	})
}

// growBy makes the sorted branches of a thread. For missing callers it makes a branch
// with the place that cut returns; for each node it calls below, which makes the
// node's branch and returns it.
func growBy(t *profile.Thread, cut func(*profile.Cut) place, below func(f *forest, above *branch, n *profile.Node) *branch) *forest {
	f := &forest{index: map[edge]*branch{}}
	var path []*branch // above the node that comes next
	for depth, n := range t.Nodes() {
		path = path[:min(depth, len(path))]
		var above *branch
		if depth > 0 {
			above = path[depth-1]
		} else if n.Cut != nil {
			above = f.branch(nil, cut(n.Cut), n.Count)
		}
		path = append(path, below(f, above, n))
	}
	f.arrange()
	return f
}

// arrange omits the middle of deep stacks, and sorts siblings by samples.
func (f *forest) arrange() {
	f.measure()
	f.prune()
	f.sort()
}

// cutNode returns a node for missing callers.
func cutNode(c *profile.Cut) *profile.Node {
	return &profile.Node{Location: profile.Location{Function: "<stack cut here: " + c.Reason.String() + ">"}}
}

// branch returns the branch for a place, which it makes if needed, and adds samples
// to it.
func (f *forest) branch(above *branch, p place, samples int) *branch {
	e := edge{above, p}
	b := f.index[e]
	if b == nil {
		b = &branch{place: p}
		f.index[e], f.all = b, append(f.all, b)
		if above == nil {
			f.roots = append(f.roots, b)
		} else {
			b.level = above.level + 1
			above.children = append(above.children, b)
		}
	}
	b.count += samples
	return b
}

// leaf adds the samples in which a node was innermost.
func (f *forest) leaf(above *branch, n *profile.Node) {
	b := f.branch(above, placeOf(n, true), n.Self)
	if !b.leaf {
		return
	}
	b.add(profile.Address{PC: n.PC, Offset: n.Offset}, n.Self)
	for _, a := range n.Also {
		b.add(a, 0)
	}
	b.more = b.more || n.More
}

func (b *branch) add(a profile.Address, samples int) {
	i := slices.IndexFunc(b.at, func(c counted) bool { return c.address.PC == a.PC })
	if i < 0 {
		b.at = append(b.at, counted{a, samples})
		return
	}
	b.at[i].samples += samples
}

// sort sorts siblings by samples.
func (f *forest) sort() {
	slices.SortStableFunc(f.roots, before)
	for _, b := range f.all {
		slices.SortStableFunc(b.children, before)
		slices.SortStableFunc(b.at, func(x, y counted) int {
			switch {
			case x.samples == 0 || y.samples == 0: // keep the order of the report that was opened
				return cmp.Compare(y.samples, x.samples)
			}
			return cmp.Or(cmp.Compare(y.samples, x.samples), cmp.Compare(x.address.PC, y.address.PC))
		})
	}
}

// before compares siblings: by samples, then by name, image name and source position.
// For one function, branches with callees come first, then lower addresses.
func before(a, b *branch) int {
	return cmp.Or(
		cmp.Compare(a.rest(), b.rest()),
		cmp.Compare(b.count, a.count),
		strings.Compare(a.symbol(), b.symbol()),
		strings.Compare(imageName(a.image), imageName(b.image)),
		compareSource(&a.place, &b.place),
		cmp.Compare(b.calls(), a.calls()),
		cmp.Compare(a.pc, b.pc),
	)
}

// rest returns 1 for the placeholder of everything unknown, which comes last, else 0.
func (p *place) rest() int {
	if p.function == profile.Further {
		return 1
	}
	return 0
}

// calls returns 1 if the branch has callees, else 0.
func (b *branch) calls() int { return min(len(b.children), 1) }

func compareSource(a, b *place) int {
	source := func(p *place) string {
		l := label{file: notation.SourceFile(p.file), line: p.line}
		return l.String()
	}
	if a.file == b.file && a.line == b.line {
		return 0
	}
	return strings.Compare(source(a), source(b))
}

// text returns the line of a branch, without its count.
func (b *branch) text() string {
	if !b.leaf {
		return b.name()
	}
	var offsets []uint64
	var pcs []task.Addr
	for _, c := range b.at {
		offsets, pcs = append(offsets, c.address.Offset), append(pcs, c.address.PC)
	}
	l := b.label(offsets, pcs, b.more)
	return l.String()
}
