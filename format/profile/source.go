package profile

import (
	"slices"

	"stacksnap/images"
	"stacksnap/images/object"
)

// withSource returns the trees with what debugging information tells of their nodes:
// where each is in the source, and the calls that were inlined there, as nodes of their
// own below that of the frame, to the innermost of which its own samples and its callees
// belong. The nodes that are given are left as they are. This is done when a profile is
// made, not while samples are taken: it may read much.
func (s *sources) withSource(roots []*Node) []*Node {
	if len(s.files) == 0 {
		return roots
	}
	return s.all(roots)
}

// sources asks for each address once.
type sources struct {
	files map[*Image]*images.Image
	known map[placed][]Location
}

// placed is an address in an image, which may lie where another one was.
type placed struct {
	place
	image *Image
}

// SourceNotes tells of images that do not know the source of what they were asked for
// when the profile was made, though they tell where it would be.
func (b *Builder) SourceNotes() (lines []string) {
	for _, im := range b.names.located() {
		if file := b.names.files[im]; file != nil && file.File != nil {
			if line := object.SourceNote(file.File); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func (n *namer) sources() *sources {
	return &sources{n.files, map[placed][]Location{}}
}

func (s *sources) all(nodes []*Node) []*Node {
	list := slices.Clone(nodes)
	for i, n := range list {
		list[i] = s.node(n)
	}
	return list
}

// node returns a copy of a node and all below it. One whose children have nothing to
// show of their own is followed in a loop: a stack may be very deep.
func (s *sources) node(n *Node) *Node {
	first, last := s.expand(n)
	for len(last.Children) == 1 {
		inner, end := s.expand(last.Children[0])
		last.Children = []*Node{inner}
		last = end
	}
	last.Children = s.all(last.Children)
	return first
}

// expand returns a copy of a node, and the innermost of the nodes that it became, which
// has the children.
func (s *sources) expand(n *Node) (first, last *Node) {
	outer := *n
	list := s.at(n)
	if len(list) == 0 {
		return &outer, &outer
	}
	outer.Location = merged(n, list[0])
	first, last = &outer, &outer
	for _, loc := range list[1:] {
		inner := &Node{Location: loc, PC: n.PC, Return: n.Return, By: n.By, Why: n.Why, Count: n.Count, Self: n.Self, Spent: n.Spent, Children: last.Children}
		last.Self, last.Children = 0, []*Node{inner}
		last = inner
	}
	return first, last
}

// merged is a node's location with what the source has of it. A symbol goes before the
// name that the debugging information has: it may tell a part of a function.
func merged(n *Node, source Location) Location {
	loc := n.Location
	loc.File, loc.Line, loc.Column = source.File, source.Line, source.Column
	if loc.Function == "" && source.Function != "" {
		loc.Function, loc.Raw = source.Function, source.Raw
		loc.Offset, loc.Start = uint64(n.PC-source.Start), 0
	}
	return loc
}

// at returns the source at a node's address, the function that has the frame first.
func (s *sources) at(n *Node) []Location {
	key := placed{place{n.PC, n.Return}, n.Image}
	if list, ok := s.known[key]; ok {
		return list
	}
	file := s.files[n.Image]
	if file == nil || n.Function == Trampoline || n.Function == Further {
		return nil
	}
	var list []Location
	for _, l := range file.Source(n.PC, n.Return) {
		loc := newLocation(l)
		loc.Image = n.Image
		list = append(list, loc)
	}
	s.known[key] = list
	return list
}

// WithoutInlined returns the profile with inlined calls counted as the function that
// they were inlined into. p is left as it is.
func (p *Profile) WithoutInlined() *Profile {
	plain := *p
	plain.Threads = make([]*Thread, len(p.Threads))
	for i, t := range p.Threads {
		entry := *t
		entry.Roots = withoutInlined(t.Roots)
		plain.Threads[i] = &entry
	}
	return &plain
}

func withoutInlined(nodes []*Node) []*Node {
	list := make([]*Node, len(nodes))
	for i, n := range nodes {
		first := outward(n)
		last := first
		for len(last.Children) == 1 {
			inner := outward(last.Children[0])
			last.Children = []*Node{inner}
			last = inner
		}
		last.Children = withoutInlined(last.Children)
		list[i] = first
	}
	return list
}

// outward returns a copy of a node that has the samples and callees of what is inlined
// in it. Of one address there is one such chain.
func outward(n *Node) *Node {
	outer := *n
	for len(outer.Children) == 1 && outer.Children[0].Inlined && outer.Children[0].PC == n.PC {
		outer.Self += outer.Children[0].Self
		outer.Children = outer.Children[0].Children
	}
	return &outer
}
