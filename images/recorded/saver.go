package recorded

import (
	"iter"
	"sync"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// PruneFunc returns a Pruner for a section of a file: unwind/cfi's NewPruner.
type PruneFunc func(object.File, object.Kind) (Pruner, error)

// Saver writes snapshots together with the file contents and memory that unwinding
// and symbolizing them needed. It records every look-up through the files and the
// memory that it returns, so use these from the start of a capture: a look-up that
// was cached before is not seen.
//
// Its methods are for one goroutine. What it returns is as safe for concurrent use as
// what it was given.
type Saver struct {
	w       *recording.Writer
	memory  *recording.Reads
	prune   PruneFunc
	numbers map[imageKey]*notes
	scratch []byte

	mu    sync.Mutex // guards all notes
	dirty []*notes

	placed recording.Map // the map that was written last

	in   *images.Map
	seen map[task.Addr]bool // pcs looked up in that map
}

// imageKey identifies an image in the recording by all that is written of it. Files
// without an ID are the same only if they are the same value.
type imageKey struct {
	told string
	file object.File
}

// NewSaver returns a Saver that writes to w the captures of a process with memory m.
func NewSaver(w *recording.Writer, m task.Memory, prune PruneFunc) *Saver {
	return &Saver{
		w: w, memory: recording.NewReads(m), prune: prune,
		numbers: map[imageKey]*notes{}, seen: map[task.Addr]bool{},
	}
}

// Memory returns the memory to unwind with.
func (s *Saver) Memory() task.Memory { return s.memory }

// Place sets what is mapped from the next snapshot on: the images, and the regions
// with code. Build the map from the images that it returns: they are the same, but
// their files record what is read of them. Beside those of [object.File], these files
// have only the methods that unwinding and symbolizing call.
func (s *Saver) Place(placed []object.Placed, regions iter.Seq2[task.Region, error]) []object.Placed {
	return s.place(placed, recording.SharedCache{}, regions)
}

// PlaceMap does what Place does, for all images of m. Use the map that it returns
// instead of m.
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

// SetRegions replaces the regions with code, from the next snapshot on.
func (s *Saver) SetRegions(regions iter.Seq2[task.Region, error]) {
	s.placed.Regions = nil
	for r, err := range regions {
		if err == nil && r.Prot&task.Execute != 0 {
			s.placed.Regions = append(s.placed.Regions, r)
		}
	}
	s.w.SetMap(&s.placed)
}

// notesOf returns the notes of an image.
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

// Save writes a snapshot that was unwound and symbolized in m, a map of the images
// that Place returned last. pcs are the pcs of its frames. The pcs of stacks that
// have not changed since the last snapshot may be left out.
func (s *Saver) Save(sample *recording.Sample, m *images.Map, pcs iter.Seq[task.Addr]) error {
	if m != s.in {
		s.in = m
		clear(s.seen)
	}
	for pc := range pcs {
		if !s.seen[pc] {
			s.seen[pc] = true
			s.need(m, pc)
			s.need(m, pc-1) // in case it is a return address
		}
	}
	s.Flush()
	s.w.AddReads(s.memory)
	return s.w.AddSnapshot(sample)
}

// Flush writes the answers of files since the last snapshot.
func (s *Saver) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.dirty {
		n.write(s.w)
	}
	s.dirty = s.dirty[:0]
}

// need looks up everything about an address that a reader of the recording may look
// up.
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

// needFrames copies the call frame information for vmaddr.
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
