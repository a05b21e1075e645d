package recorded

import (
	"iter"
	"sync"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// PruneFunc starts picking from one section of a file: unwind/cfi's NewPruner.
type PruneFunc func(object.File, object.Kind) (Pruner, error)

// Saver writes snapshots with what their walks and names needed. It notes what
// the files and the memory that it gives out are asked, so these are to be used
// from the start of the capture: what was found out before and is only
// remembered (by an unwinder's cache, say) is not asked again.
//
// Its methods are called by one goroutine; what it gives out is as safe for
// concurrent use as what it was given.
type Saver struct {
	w       *recording.Writer
	memory  *recording.Reads
	prune   PruneFunc
	numbers map[imageKey]*notes
	scratch []byte

	mu    sync.Mutex // guards all notes
	dirty []*notes

	placed recording.Map // what was told of it last

	in   *images.Map
	seen map[task.Addr]bool // pcs in that map
}

// imageKey is what makes two images one in the recording: all that is told of
// them. Files without an id are the same only when they are one.
type imageKey struct {
	told string
	file object.File
}

// NewSaver starts saving to w what is captured of a process with memory m.
func NewSaver(w *recording.Writer, m task.Memory, prune PruneFunc) *Saver {
	return &Saver{
		w: w, memory: recording.NewReads(m), prune: prune,
		numbers: map[imageKey]*notes{}, seen: map[task.Addr]bool{},
	}
}

// Memory returns the memory to walk with.
func (s *Saver) Memory() task.Memory { return s.memory }

// Place tells what is mapped from the next snapshot on: the images, and of the
// regions those with code. It returns the images to make the map of; of their further
// methods files have those alone that walks ask.
func (s *Saver) Place(placed []object.Placed, regions iter.Seq2[task.Region, error]) []object.Placed {
	return s.place(placed, recording.SharedCache{}, regions)
}

// PlaceMap is Place of the images of a map, and returns the map to use instead.
func (s *Saver) PlaceMap(m *images.Map, regions iter.Seq2[task.Region, error]) *images.Map {
	placed := make([]object.Placed, len(m.Images))
	for i, im := range m.Images {
		placed[i] = im.Placed
	}
	if g := m.Generated(); g != nil {
		placed = append(placed, g.Placed)
	}
	var cache recording.SharedCache
	if m.Cache != nil {
		cache = recording.SharedCache(*m.Cache)
	}
	out := images.NewMap(s.place(placed, cache, regions))
	out.Cache = m.Cache
	return out
}

func (s *Saver) place(placed []object.Placed, cache recording.SharedCache, regions iter.Seq2[task.Region, error]) []object.Placed {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := recording.Map{Cache: cache}
	out := make([]object.Placed, len(placed))
	for i, p := range placed {
		n := s.notesOf(&p)
		m.Images = append(m.Images, n.number)
		if out[i] = p; p.File != nil {
			out[i].File = &watched{p.File, n}
		}
	}
	s.placed = m
	s.SetRegions(regions)
	return out
}

// SetRegions tells of the regions with code anew, from the next snapshot on.
func (s *Saver) SetRegions(regions iter.Seq2[task.Region, error]) {
	s.placed.Regions = nil
	for r, err := range regions {
		if err == nil && r.Prot&task.Execute != 0 {
			s.placed.Regions = append(s.placed.Regions, r)
		}
	}
	s.w.SetMap(&s.placed)
}

// notesOf finds or makes the notes of an image.
func (s *Saver) notesOf(p *object.Placed) *notes {
	im := describe(p)
	s.scratch = im.Append(s.scratch[:0])
	key := imageKey{told: string(s.scratch)}
	if p.File != nil && len(im.ID) == 0 {
		key.file = p.File
	}
	if n, ok := s.numbers[key]; ok {
		return n
	}
	n := &notes{
		saver: s, number: s.w.AddImage(&im),
		sources: map[uint64]bool{}, sections: map[object.Kind]bool{},
	}
	s.numbers[key] = n
	return n
}

func describe(p *object.Placed) recording.Image {
	im := recording.Image{Path: p.Path, Load: p.Load, Slide: p.Slide, Main: p.Main, Note: p.Note, Generated: p.Generated}
	im.Variant, im.BundleID, im.BundleVersion, im.BundleBuild = p.Variant, p.Bundle.ID, p.Bundle.Version, p.Bundle.Build
	if p.Err != nil {
		im.Error = p.Err.Error()
	}
	if p.File == nil {
		return im
	}
	im.Read, im.Arch, im.ID, im.Symbols = true, p.File.Arch(), p.File.ID(), p.File.HasSymbols()
	for _, g := range p.File.Segments() {
		im.Segments = append(im.Segments, recording.Segment{
			Name: g.Name, VMAddr: g.VMAddr, Size: g.Size, Offset: g.Offset, InFile: g.FileSize, Prot: g.Prot,
		})
	}
	return im
}

// Save writes a snapshot that was walked in m, a map of what Place returned last,
// and named. Pcs are those of its frames; those of stacks that are the same as
// in the snapshot before may be left out.
func (s *Saver) Save(sample *recording.Sample, m *images.Map, pcs iter.Seq[task.Addr]) error {
	if m != s.in {
		s.in = m
		clear(s.seen)
	}
	for pc := range pcs {
		if !s.seen[pc] {
			s.seen[pc] = true
			s.need(m, pc)
			s.need(m, pc-1) // if it is a return address
		}
	}
	s.Flush()
	s.w.AddReads(s.memory)
	return s.w.AddSnapshot(sample)
}

// Flush writes what files have answered since the last snapshot.
func (s *Saver) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.dirty {
		n.write(s.w)
	}
	s.dirty = s.dirty[:0]
}

// need asks everything about an address that a later reading may ask.
func (s *Saver) need(m *images.Map, a task.Addr) {
	m.Locate(a, false)
	im, ok := m.Find(a)
	if !ok {
		return
	}
	w, ok := im.File.(*watched)
	if !ok {
		return
	}
	vmaddr := im.VMAddr(a)
	w.FunctionStart(vmaddr)
	w.notes.needFrames(w.File, vmaddr)
}

// needFrames picks the call frame information of vmaddr.
func (n *notes) needFrames(file object.File, vmaddr uint64) {
	n.saver.mu.Lock()
	defer n.saver.mu.Unlock()
	if n.frames == nil {
		n.frames = []*frames{}
		for _, k := range []object.Kind{object.EHFrame, object.DebugFrame} {
			if f := newFrames(file, k, n.saver.prune); f != nil {
				n.frames = append(n.frames, f)
			}
		}
	}
	for _, f := range n.frames {
		f.picked.Add(vmaddr)
		n.change()
	}
}
