package profile

import (
	"cmp"
	"slices"

	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/object"
	"stacksnap/task"
)

// AddSymbols names the functions of a profile that was read from a report. It finds each
// image's file in from by its ID, and assumes it at the address in the report. Functions
// that have a name keep it, and get source lines and inlined calls. It returns false if
// symbol tables were left out because together they are too large.
func (p *Profile) AddSymbols(from *binaries.Index) bool {
	budget := object.NewBudget(object.MaxKept, object.MaxRead)
	m := images.NewMap(images.WithSymbols(p.placed(), from, budget))
	defer m.Close() // they were only read
	s := &sources{map[*Image]*images.Image{}, map[placed][]Location{}}
	for i, im := range p.Images {
		if _, bare := m.Images[i].File.(*bareFile); !bare {
			s.files[im] = m.Images[i]
			im.Symbols = im.Symbols || m.Images[i].File.HasSymbols()
		}
	}
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Function == "" && s.files[n.Image] != nil {
				n.nameBy(m, s.files[n.Image])
			}
		}
		moved := t.Timeline.moves()
		t.Roots = s.withSource(t.Roots, moved)
		t.Timeline = t.Timeline.moved(moved)
	}
	return !budget.Reached()
}

// nameBy names a function, if the map has a name for it in that image. In a report, images
// may overlap.
func (n *Node) nameBy(m *images.Map, in *images.Image) {
	if loc := m.Locate(n.PC, n.Return); loc.Function != "" && loc.Image == in {
		image, kernel := n.Image, n.Kernel
		n.Location = newLocation(loc)
		n.Image, n.Kernel = image, kernel
	}
}

// placed returns the images as files; only the facts in the report are known of them.
func (p *Profile) placed() []object.Placed {
	list := make([]object.Placed, len(p.Images))
	for i, im := range p.Images {
		list[i] = object.Placed{Path: im.Path, Load: im.Load, Slide: uint64(im.Load), Main: im.Main, File: &bareFile{im, cmp.Or(im.Arch, p.Target.Arch)}}
	}
	return list
}

// bareFile is an image as a file that begins at vmaddr 0 and has no symbols.
type bareFile struct {
	of   *Image
	arch task.Arch // the process's, if the report does not have the image's
}

func (f *bareFile) Arch() task.Arch { return f.arch }
func (f *bareFile) ID() []byte      { return f.of.ID }

// Segments implements [object.File] with one segment of code.
func (f *bareFile) Segments() []object.Segment {
	if f.of.End <= f.of.Load {
		return nil
	}
	return []object.Segment{{Name: "__TEXT", Size: uint64(f.of.End - f.of.Load), Prot: task.Read | task.Execute}}
}

func (f *bareFile) Symbol(uint64) (object.Symbol, bool) { return object.Symbol{}, false }
func (f *bareFile) HasSymbols() bool                    { return false }
func (f *bareFile) FunctionStart(uint64) (uint64, bool) { return 0, false }
func (f *bareFile) Close() error                        { return nil }

// Section implements [object.File].
func (f *bareFile) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}

// Unnamed returns the images with functions that have no name, sorted by the number of
// these, largest first.
func (p *Profile) Unnamed() []*Image {
	found := map[*Image]map[task.Addr]bool{}
	for _, t := range p.Threads {
		for _, n := range preorder(t.Roots) {
			if n.Function != "" || n.Image == nil || n.Image.Generated {
				continue
			}
			if found[n.Image] == nil {
				found[n.Image] = map[task.Addr]bool{}
			}
			found[n.Image][n.Area()] = true
		}
	}
	var list []*Image
	for _, im := range p.Images {
		if len(found[im]) > 0 {
			list = append(list, im)
		}
	}
	slices.SortStableFunc(list, func(a, b *Image) int { return cmp.Compare(len(found[b]), len(found[a])) })
	return list
}
