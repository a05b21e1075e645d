package profile

import (
	"runtime"
	"slices"
	"sync"

	"stacksnap/images"
	"stacksnap/images/object"
)

// withSource returns copies of the trees with source lines and inlined calls from debug
// information. An inlined call becomes a node below that of its frame; the innermost one
// gets the frame's own samples and its callees. moved records the new node for each old
// one. It is called when a profile is made rather than during sampling, as it may read
// much.
func (s *sources) withSource(roots []*Node, moved moves) []*Node {
	if len(s.files) > 0 {
		return s.all(roots, moved)
	}
	if moved != nil {
		for _, n := range preorder(roots) {
			moved.note(n, n)
		}
	}
	return roots
}

// sources reads the source of each address once.
type sources struct {
	files map[*Image]*images.Image
	known map[placed][]Location
}

// placed is an address in an image. Another image may have been at the same address.
type placed struct {
	place
	image *Image
}

// Calls returns the calls that a node of [Builder.Path] represents, the outermost first, with
// source lines from debug information: that of its own function, and those that are inlined
// there. The first call at an address reads that information, which may take a while.
func (b *Builder) Calls(n *Node) []*Node {
	if b.source == nil {
		b.source = &sources{b.names.files, map[placed][]Location{}}
	}
	first, last := b.source.expand(n)
	calls := []*Node{first}
	for at := first; at != last; {
		at = at.Children[0]
		calls = append(calls, at)
	}
	return calls
}

// SourceNotes returns notes on images whose source lines could not be read, and where they
// would be.
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

func (n *symbolizer) sources() *sources {
	s := &sources{n.files, map[placed][]Location{}}
	s.readAhead(n.byImage())
	if s.none() {
		s.files = nil // the trees stay as they are
	}
	return s
}

func (s *sources) all(nodes []*Node, moved moves) []*Node {
	list := slices.Clone(nodes)
	for i, n := range list {
		list[i] = s.node(n, moved)
	}
	return list
}

// node returns a copy of a node and the tree below it. It descends in a loop through nodes
// with one child, as a stack may be very deep.
func (s *sources) node(n *Node, moved moves) *Node {
	first, last := s.expand(n)
	moved.note(n, last)
	for len(last.Children) == 1 {
		inner, end := s.expand(last.Children[0])
		moved.note(last.Children[0], end)
		last.Children = []*Node{inner}
		last = end
	}
	last.Children = s.all(last.Children, moved)
	return first
}

// expand returns a copy of a node, and the innermost of its inlined calls, which gets the
// children.
func (s *sources) expand(n *Node) (first, last *Node) {
	outer := *n
	list := s.at(n)
	if len(list) == 0 {
		return &outer, &outer
	}
	outer.Location = merged(n, list[0])
	first, last = &outer, &outer
	for _, loc := range list[1:] {
		inner := &Node{Location: loc, PC: n.PC, Return: n.Return, By: n.By, Why: n.Why, Count: n.Count, Self: n.Self, States: n.States, Spent: n.Spent, Children: last.Children}
		last.Self, last.States, last.Spent, last.Children = 0, nil, Spent{}, []*Node{inner}
		last = inner
	}
	return first, last
}

// merged returns a node's location with its source line. A symbol takes precedence over the
// name in the debug information, as it may name a part of a function.
func merged(n *Node, source Location) Location {
	loc := n.Location
	loc.File, loc.Line, loc.Column = source.File, source.Line, source.Column
	if loc.Function == "" && source.Function != "" {
		loc.Function, loc.Raw = source.Function, source.Raw
		loc.Offset, loc.Start = uint64(n.PC-source.Start), 0
	}
	return loc
}

// at returns the source locations of a node's address: first that of the frame's function,
// then inlined calls.
func (s *sources) at(n *Node) []Location {
	key, ok := s.key(n)
	if !ok {
		return nil
	}
	list, ok := s.known[key]
	if !ok {
		list = s.read(key)
		s.known[key] = list
	}
	return list
}

// key returns the key for the source of a node; false if its image has no file, or if it
// has several addresses.
func (s *sources) key(n *Node) (placed, bool) {
	if s.files[n.Image] == nil || isMark(n.Function) || len(n.Also) > 0 {
		return placed{}, false
	}
	return placed{place{n.PC, n.Return, n.Kernel}, n.Image}, true
}

// isMark reports whether a name is a placeholder for a function.
func isMark(function string) bool { return function == Trampoline || function == Further }

func (s *sources) read(key placed) (list []Location) {
	for _, l := range s.files[key.image].Source(key.pc, key.isReturn) {
		loc := newLocation(l)
		loc.Image, loc.Kernel = key.image, key.isKernel
		list = append(list, loc)
	}
	return list
}

// readAhead reads the sources of all addresses, with several images in parallel. To
// decompress the debug information of one image may take longer than everything else.
func (s *sources) readAhead(byImage [][]placed) {
	if len(byImage) == 1 {
		for _, key := range byImage[0] {
			s.known[key] = s.read(key)
		}
		return
	}
	known := make([][][]Location, len(byImage))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, keys := range byImage {
		room <- struct{}{}
		group.Go(func() {
			for _, key := range keys {
				known[i] = append(known[i], s.read(key))
			}
			<-room
		})
	}
	group.Wait()
	for i, keys := range byImage {
		for k, key := range keys {
			s.known[key] = known[i][k]
		}
	}
}

// none reports whether nothing is known of any address, where all were read ahead.
func (s *sources) none() bool {
	for _, list := range s.known {
		if len(list) > 0 {
			return false
		}
	}
	return true
}

// byImage returns the addresses of each image that has a file.
func (n *symbolizer) byImage() (list [][]placed) {
	index := map[*Image]int{}
	for site := range n.sites() {
		if n.files[site.Image] == nil || isMark(site.Function) {
			continue
		}
		i, known := index[site.Image]
		if !known {
			i = len(list)
			index[site.Image] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], placed{place{site.pc, site.isReturn, site.Kernel}, site.Image})
	}
	return list
}

// WithoutInlined returns a profile in which inlined calls are counted as the function that
// contains them. p does not change.
func (p *Profile) WithoutInlined() *Profile { return p.withRoots(moves.withoutInlined) }

// withRoots returns a copy of a profile with other applied to the trees of each thread.
func (p *Profile) withRoots(other func(moves, []*Node) []*Node) *Profile {
	changed := *p
	changed.Threads = make([]*Thread, len(p.Threads))
	for i, t := range p.Threads {
		entry := *t
		moved := t.Timeline.moves()
		entry.Roots = other(moved, t.Roots)
		entry.Timeline = t.Timeline.moved(moved)
		changed.Threads[i] = &entry
	}
	return &changed
}

func (m moves) withoutInlined(nodes []*Node) []*Node {
	list := make([]*Node, len(nodes))
	for i, n := range nodes {
		first := m.outward(n)
		last := first
		for len(last.Children) == 1 {
			inner := m.outward(last.Children[0])
			last.Children = []*Node{inner}
			last = inner
		}
		last.Children = m.withoutInlined(last.Children)
		list[i] = first
	}
	return list
}

// outward returns a copy of a node with the samples and callees of the calls inlined in it.
// An address has only one chain of inlined calls.
func (m moves) outward(n *Node) *Node {
	outer := *n
	m.note(n, &outer)
	for len(outer.Children) == 1 && outer.Children[0].Inlined && outer.Children[0].PC == n.PC {
		inner := outer.Children[0]
		m.note(inner, &outer)
		outer.Self += inner.Self
		outer.States = outer.States.plus(inner.States, 1)
		outer.Spent.Add(inner.Spent)
		outer.Children = inner.Children
	}
	return &outer
}
