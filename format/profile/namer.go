package profile

import (
	"cmp"
	"slices"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// site is a place in the code: two frames are at the same one when their *site
// is the same pointer.
type site struct {
	Location
	pc       task.Addr
	isReturn bool
}

// place is an address as a walk gives it.
type place struct {
	pc       task.Addr
	isReturn bool
	isKernel bool
}

// imageKey tells images apart, over all maps of a process.
type imageKey struct {
	path      string
	load, end task.Addr
	id        string
}

// maxSites bounds the places that are named: a JIT compiler makes ever new code.
const maxSites = 1 << 19

// namer names each address once for each map.
type namer struct {
	current *images.Map
	places  map[place][]*site // of the current map; the outermost function first
	all     map[site]*site    // of every map
	images  map[imageKey]*Image
	files   map[*Image]*images.Image // the last that is one, where it can tell the source
	seen    map[*Image]bool          // a frame lies in it
}

func newNamer() namer {
	return namer{
		places: map[place][]*site{},
		all:    map[site]*site{},
		images: map[imageKey]*Image{},
		files:  map[*Image]*images.Image{},
		seen:   map[*Image]bool{},
	}
}

// use makes m the map in which addresses are named.
func (n *namer) use(m *images.Map) {
	n.current = m
	clear(n.places)
}

// sites returns the functions at an address: the one that has the frame, then
// those inlined into it, from the outermost in.
func (n *namer) sites(pc task.Addr, isReturn, isKernel bool) []*site {
	key := place{pc, isReturn, isKernel}
	if s, ok := n.places[key]; ok {
		return s
	}
	if len(n.all) >= maxSites || len(n.places) >= maxSites {
		return []*site{further}
	}
	var found []*site
	for _, loc := range n.locate(pc, isReturn) {
		s := site{n.location(loc), pc, isReturn}
		s.Kernel = isKernel
		found = append(found, n.intern(s))
	}
	n.places[key] = found
	return found
}

// inKernel returns the place of a function of the kernel, which has no address.
func (n *namer) inKernel(f *task.KernelFrame) *site {
	name := f.Name
	if f.Module != "" {
		name += " [" + f.Module + "]"
	}
	s := site{Location: Location{Function: name, Raw: name, Offset: f.Offset, Kernel: true}, isReturn: true}
	if _, known := n.all[s]; !known && len(n.all) >= maxSites {
		return further
	}
	return n.intern(s)
}

// locate asks the map, which knows one function an address.
func (n *namer) locate(pc task.Addr, isReturn bool) []images.Location {
	if n.current == nil {
		return []images.Location{{}}
	}
	return []images.Location{n.current.Locate(pc, isReturn)}
}

func (n *namer) intern(s site) *site {
	if same, ok := n.all[s]; ok {
		return same
	}
	n.all[s] = &s
	return &s
}

func newLocation(l images.Location) Location {
	return Location{
		Function: l.Function, Raw: l.Raw, Overload: l.Overload, Offset: l.Offset, Start: l.Start,
		Inlined: l.Inlined, File: l.File, Line: l.Line, Column: l.Column,
	}
}

func (n *namer) location(l images.Location) Location {
	loc := newLocation(l)
	if l.Image != nil {
		loc.Image = n.image(l.Image)
		if l.Image.File != nil && object.TellsSource(l.Image.File) {
			n.files[loc.Image] = l.Image
		}
		n.seen[loc.Image] = true
	}
	return loc
}

// image returns the model's image of a map's. One that stays from map to map is
// the same.
func (n *namer) image(im *images.Image) *Image {
	own := newImage(im)
	key := imageKey{own.Path, own.Load, own.End, string(own.ID)}
	if same, ok := n.images[key]; ok {
		return same
	}
	n.images[key] = own
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

// codeEnd leaves out what lies behind the code: in Apple's shared cache an
// image's data is gigabytes away, with other images between.
func codeEnd(im *images.Image) task.Addr {
	if im.Generated {
		return 0 // wherever its code is, it is the same one
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

// located returns the images in which a frame lies, lowest address first.
func (n *namer) located() []*Image {
	list := make([]*Image, 0, len(n.seen))
	for im := range n.seen {
		list = append(list, im)
	}
	return sortedImages(list)
}

// mapped returns the images of the last map, lowest address first.
func (n *namer) mapped() []*Image {
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
