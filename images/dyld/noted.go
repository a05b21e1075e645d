package dyld

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"

	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

const (
	textSegment = "__TEXT"
	// maxNoted is how many images in a core's notes are used.
	maxNoted = maxImages
	// maxNotedText is the maximum size of a __TEXT whose size is unknown. A longer
	// distance to the next image contains a gap.
	maxNotedText = 64 << 20
	notSaved     = "not in the core"
)

// noted has the images in a saved process's notes.
type noted struct {
	images []task.SavedImage
	byLoad map[task.Addr]int
	starts []task.Addr // of all segments, sorted
	absent []string    // paths of the images that have only a note
}

func newNoted(p task.Process) noted {
	list := p.Info().SavedImages
	n := noted{images: list[:min(len(list), maxNoted)], byLoad: map[task.Addr]int{}}
	for i := range n.images {
		load := loadOf(&n.images[i])
		if _, twice := n.byLoad[load]; twice || load == 0 {
			continue
		}
		n.byLoad[load] = i
		n.starts = append(n.starts, load)
		for _, s := range n.images[i].Segments {
			n.starts = append(n.starts, s.Addr)
		}
	}
	slices.Sort(n.starts)
	return n
}

// loadOf returns the address of an image's header, 0 if its note does not have it.
func loadOf(im *task.SavedImage) task.Addr {
	if im.Load != 0 {
		return im.Load
	}
	for _, s := range im.Segments {
		if s.Name == textSegment {
			return s.Addr
		}
	}
	return 0
}

// openNoted opens the file of an image in the notes. Without an ID to compare,
// another build could be mistaken for it.
func (b *builder) openNoted(im *task.SavedImage) (f *macho.File, text uint64, ok bool) {
	if b.loader.Open == nil || im.ID == nil {
		return nil, 0, false
	}
	f, err := b.loader.Open(im.Path, macho.Want{Arch: b.process.Info().Arch, ID: im.ID})
	if err != nil {
		return nil, 0, false
	}
	f.Limit(b.loader.Budget)
	if text, ok = f.TextVMAddr(); ok && bytes.Equal(f.ID(), im.ID) {
		return f, text, true
	}
	_ = f.Close() // read-only
	return nil, 0, false
}

// loadBySlide returns the address of an image's header if its note has only the slide
// and its file is available, else 0.
func (b *builder) loadBySlide(im *task.SavedImage) task.Addr {
	if !im.HasSlide {
		return 0
	}
	f, text, ok := b.openNoted(im)
	if !ok {
		return 0
	}
	_ = f.Close() // read-only
	return task.Addr(text + im.Slide)
}

// at returns the note of the image at load.
func (n *noted) at(load task.Addr) (*task.SavedImage, bool) {
	i, ok := n.byLoad[load]
	if !ok {
		return nil, false
	}
	return &n.images[i], true
}

// addNoted adds the images in the notes that are missing from the list.
func (b *builder) addNoted() {
	for i := range b.noted.images {
		im := &b.noted.images[i]
		load := loadOf(im)
		if load == 0 {
			load = b.loadBySlide(im)
		}
		if load == 0 || b.seen[load] {
			continue
		}
		b.noted.byLoad[load] = i
		b.add(load, im.Path, nil)
	}
}

// placeNoted places an image with an unreadable header by its note, with its file if
// that is available.
func (b *builder) placeNoted(p *object.Placed) bool {
	im, ok := b.noted.at(p.Load)
	if !ok {
		return false
	}
	if p.Path == "" {
		p.Path = im.Path
	}
	p.Main = im.Main
	if f, text, ok := b.openNoted(im); ok {
		p.File, p.Slide = f, uint64(p.Load)-text
		return true
	}
	f := &notedFile{arch: b.process.Info().Arch, id: im.ID}
	p.Note, p.Slide, p.File = notSaved, uint64(p.Load), f
	if im.HasSlide {
		p.Slide = im.Slide
	}
	if end, ok := b.noted.textEnd(p.Load); ok {
		f.text = []object.Segment{{
			Name: textSegment, VMAddr: p.VMAddr(p.Load), Size: uint64(end - p.Load), Prot: task.Read | task.Execute,
		}}
	}
	b.noted.absent = append(b.noted.absent, imageName(p.Path, p.Load))
	return true
}

// notedMain returns the index of the program if no image's header says which one it
// is. That is the image marked in the notes, or else the first in the notes, unless
// it is named like a library: debuggers list the program first. It returns -1 if
// there is none.
func (b *builder) notedMain() int {
	for i := range b.images {
		if b.images[i].Main {
			return i
		}
	}
	if len(b.noted.images) == 0 {
		return -1
	}
	first := loadOf(&b.noted.images[0])
	return slices.IndexFunc(b.images, func(p object.Placed) bool {
		_, bare := p.File.(*notedFile)
		return bare && p.Load == first && path.Ext(p.Path) != ".dylib" && path.Base(p.Path) != "dyld"
	})
}

// textEnd returns an upper bound of the end of the __TEXT at load: the next segment's
// start, because notes have only starts.
func (n *noted) textEnd(load task.Addr) (task.Addr, bool) {
	i, found := slices.BinarySearchFunc(n.starts, load, func(s, load task.Addr) int { return cmp.Compare(s, load) })
	for found && i < len(n.starts) && n.starts[i] == load {
		i++
	}
	if i == len(n.starts) || n.starts[i]-load > maxNotedText {
		return 0, false
	}
	return n.starts[i], true
}

// err returns one error about all images that have only a note.
func (n *noted) err() error {
	switch len(n.absent) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("the core does not hold the image %s: with its file in a folder given by --binaries, its functions have names", n.absent[0])
	}
	return fmt.Errorf("the core does not hold %d images (%s, …): with their files in a folder given by --binaries, their functions have names",
		len(n.absent), n.absent[0])
}

// notedFile is a file known only from a note: its ID and roughly the range of its
// code. Its vmaddrs are relative to its first byte, unless the note has the slide.
type notedFile struct {
	arch task.Arch
	id   []byte
	text []object.Segment
}

var _ object.File = (*notedFile)(nil)

func (f *notedFile) Arch() task.Arch                     { return f.arch }
func (f *notedFile) ID() []byte                          { return f.id }
func (f *notedFile) Segments() []object.Segment          { return f.text }
func (f *notedFile) Symbol(uint64) (object.Symbol, bool) { return object.Symbol{}, false }
func (f *notedFile) HasSymbols() bool                    { return false }
func (f *notedFile) FunctionStart(uint64) (uint64, bool) { return 0, false }
func (f *notedFile) Close() error                        { return nil }

func (f *notedFile) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}
