package profile

import (
	"cmp"
	"iter"
	"slices"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// site is a place in the code. Frames are at the same place if their *site pointers are
// equal.
type site struct {
	Location
	pc       task.Addr
	isReturn bool
	round    int   // the last map that has the site
	before   *site // the site at this address in another map; nil: none
}

// place is an address from a walk.
type place struct {
	pc       task.Addr
	isReturn bool
	isKernel bool
}

// imageKey identifies an image across all maps of a process.
type imageKey struct {
	path      string
	load, end task.Addr
	id        string
}

// maxSites is the most places that get a name, since a JIT compiler makes new code without
// end.
const maxSites = 1 << 19

// symbolizer names each address once for each map.
type symbolizer struct {
	current  *images.Map
	round    int             // number of the current map, counted from 1
	places   map[place]*site // the last site found at each place
	kernel   map[task.KernelFrame]*site
	managed  map[managedPlace]*site
	count    int // number of sites
	images   map[imageKey]*Image
	own      map[*images.Image]*Image // images of the current map
	files    map[*Image]*images.Image // the last file of each image that can report source lines
	seen     map[*Image]bool          // images in which a frame lies
	runtimes map[string]*Image        // the image of what each runtime runs
}

func newSymbolizer() symbolizer {
	return symbolizer{
		places: map[place]*site{},
		kernel: map[task.KernelFrame]*site{}, managed: map[managedPlace]*site{}, runtimes: map[string]*Image{},
		images: map[imageKey]*Image{},
		own:    map[*images.Image]*Image{},
		files:  map[*Image]*images.Image{},
		seen:   map[*Image]bool{},
	}
}

// use makes m the current map.
func (n *symbolizer) use(m *images.Map) {
	n.current = m
	n.round++
	clear(n.own)
}

// site returns the site of an address in the current map. Inlined calls are resolved later.
func (n *symbolizer) site(pc task.Addr, isReturn, isKernel bool) *site {
	key := place{pc, isReturn, isKernel}
	last := n.places[key]
	for s := last; s != nil; s = s.before {
		if s.round == n.round {
			return s
		}
	}
	if n.count >= maxSites {
		return further
	}
	return n.settle(key, n.locate(key), last)
}

// settle returns the site for a location in the current map. It makes one unless there is
// one among last and its predecessors.
func (n *symbolizer) settle(key place, loc Location, last *site) *site {
	for s := last; s != nil; s = s.before {
		if s.Location == loc {
			s.round = n.round
			return s
		}
	}
	n.count++
	n.places[key] = &site{loc, key.pc, key.isReturn, n.round, last}
	return n.places[key]
}

// sites iterates over the sites of all maps.
func (n *symbolizer) sites() iter.Seq[*site] {
	return func(yield func(*site) bool) {
		for _, s := range n.places {
			for ; s != nil; s = s.before {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// locate returns the location of an address in the current map.
func (n *symbolizer) locate(at place) Location {
	var loc Location
	if n.current != nil {
		loc = n.location(n.current.Locate(at.pc, at.isReturn))
	}
	loc.Kernel = at.isKernel
	return loc
}

// inKernel returns the site of a function of the kernel, which has no address.
func (n *symbolizer) inKernel(f *task.KernelFrame) *site {
	key := task.KernelFrame{Name: f.Name, Module: f.Module, Offset: f.Offset}
	if known := n.kernel[key]; known != nil {
		return known
	}
	if n.count >= maxSites {
		return further
	}
	name := f.Name
	if f.Module != "" {
		name += " [" + f.Module + "]"
	}
	n.count++
	n.kernel[key] = &site{Location: Location{Function: name, Raw: name, Offset: f.Offset, Kernel: true}, isReturn: true}
	return n.kernel[key]
}

func newLocation(l images.Location) Location {
	return Location{
		Function: l.Function, Raw: l.Raw, Overload: l.Overload, Offset: l.Offset, Start: l.Start,
		Inlined: l.Inlined, File: l.File, Line: l.Line, Column: l.Column,
	}
}

func (n *symbolizer) location(l images.Location) Location {
	loc := newLocation(l)
	if l.Image != nil {
		loc.Image = n.image(l.Image)
		if l.Image.File != nil && object.ReportsSource(l.Image.File) {
			n.files[loc.Image] = l.Image
		}
		n.seen[loc.Image] = true
	}
	return loc
}

// image returns the model's image for an image of the map. An image that is in several maps
// is always the same.
func (n *symbolizer) image(im *images.Image) *Image {
	if same, ok := n.own[im]; ok {
		return same
	}
	own := newImage(im)
	key := imageKey{own.Path, own.Load, own.End, string(own.ID)}
	if same, ok := n.images[key]; ok {
		own = same
	}
	n.images[key], n.own[im] = own, own
	return own
}

func newImage(im *images.Image) *Image {
	own := &Image{Path: im.Path, Load: im.Load, End: codeEnd(im), Main: im.Main, Note: im.Note, Generated: im.Generated}
	own.Variant, own.Bundle = im.Variant, im.Bundle
	if im.Err != nil {
		own.Err = im.Err.Error()
	}
	if im.File != nil {
		own.ID, own.Arch, own.Symbols = im.File.ID(), im.File.Arch(), im.File.HasSymbols()
	}
	return own
}

// codeEnd returns the end of an image's code. In Apple's shared cache, an image's data is
// gigabytes away, with other images in between.
func codeEnd(im *images.Image) task.Addr {
	if im.Generated {
		return 0 // it is the same image at any address
	}
	var end task.Addr
	for _, r := range im.Ranges {
		if r.Prot&task.Execute != 0 {
			end = max(end, r.End)
		}
	}
	if end == 0 {
		return im.End()
	}
	return end
}

// located returns the images that contain a frame, lowest address first.
func (n *symbolizer) located() []*Image {
	list := make([]*Image, 0, len(n.seen))
	for im := range n.seen {
		list = append(list, im)
	}
	return sortedImages(list)
}

// mapped returns the images of the last map, lowest address first.
func (n *symbolizer) mapped() []*Image {
	if n.current == nil {
		return nil
	}
	list := make([]*Image, 0, len(n.current.Images))
	for _, im := range n.current.Images {
		list = append(list, n.image(im))
	}
	return sortedImages(list)
}

func sortedImages(list []*Image) []*Image {
	slices.SortFunc(list, func(a, b *Image) int {
		return cmp.Or(cmp.Compare(a.Load, b.Load), cmp.Compare(a.End, b.End), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// managedPlace is a place in a managed function, run by a native function at pc. How the
// function was called does not matter.
type managedPlace struct {
	runtime, function, file string
	line                    int
	pc                      task.Addr
}

// siteOf returns the site of a frame.
func (n *symbolizer) siteOf(f *unwind.Frame) *site {
	if f.Managed == nil {
		return n.site(f.PC, f.Return, f.Kernel)
	}
	m := f.Managed
	key := managedPlace{m.Runtime, m.Function, m.File, m.Line, f.PC}
	if known := n.managed[key]; known != nil {
		return known
	}
	if n.count >= maxSites {
		return further
	}
	n.count++
	loc := Location{Image: n.runtime(m.Runtime), Function: m.Function, Raw: m.Function, File: m.File, Line: m.Line}
	n.managed[key] = &site{Location: loc, pc: f.PC, isReturn: f.Return}
	return n.managed[key]
}

// runtime returns the image of what a runtime runs.
func (n *symbolizer) runtime(name string) *Image {
	im := n.runtimes[name]
	if im == nil {
		im = &Image{Path: name, Runtime: true, Symbols: true}
		n.runtimes[name] = im
		n.seen[im] = true
	}
	return im
}
