package recorded

import (
	"errors"

	"stacksnap/images/object"
	"stacksnap/task/recording"
)

// watched is a file whose answers are noted.
type watched struct {
	object.File
	notes *notes
}

// notes are what one image of the recording answered. Their saver's lock guards
// them.
type notes struct {
	saver  *Saver
	number int // of the image in the recording
	dirty  bool

	symbols, starts, sources map[uint64]bool // vmaddrs that were asked, or have an answer

	newSymbols  []recording.Answer
	newStarts   []recording.Answer
	newSources  []recording.Source
	sections    map[object.Kind]bool // that were asked for
	newSections []recording.Section
	frames      []*frames
}

// change marks n as having something to write.
func (n *notes) change() {
	if !n.dirty {
		n.dirty = true
		n.saver.dirty = append(n.saver.dirty, n)
	}
}

// Symbol implements [object.File].
func (w *watched) Symbol(vmaddr uint64) (object.Symbol, bool) {
	sym, ok := w.File.Symbol(vmaddr)
	n := w.notes
	n.saver.mu.Lock()
	defer n.saver.mu.Unlock()
	if !n.symbols[vmaddr] {
		n.symbols[vmaddr] = true
		a := recording.Answer{Image: n.number, Asked: vmaddr, Found: ok}
		if ok {
			a.VMAddr, a.Size, a.Name, a.Public = sym.VMAddr, sym.Size, sym.Name, sym.Public
		}
		n.newSymbols = append(n.newSymbols, a)
		n.change()
	}
	return sym, ok
}

// FunctionStart implements [object.File].
func (w *watched) FunctionStart(vmaddr uint64) (uint64, bool) {
	start, ok := w.File.FunctionStart(vmaddr)
	n := w.notes
	n.saver.mu.Lock()
	defer n.saver.mu.Unlock()
	if !n.starts[vmaddr] {
		n.starts[vmaddr] = true
		a := recording.Answer{Image: n.number, Asked: vmaddr, Found: ok}
		if ok {
			a.VMAddr = start
		}
		n.newStarts = append(n.newStarts, a)
		n.change()
	}
	return start, ok
}

// Source answers as the file does.
func (w *watched) Source(vmaddr uint64) []object.Source {
	frames := object.SourceOf(w.File, vmaddr)
	n := w.notes
	n.saver.mu.Lock()
	defer n.saver.mu.Unlock()
	if len(frames) > 0 && !n.sources[vmaddr] {
		n.sources[vmaddr] = true
		n.newSources = append(n.newSources, recording.Source{Image: n.number, Asked: vmaddr, Places: recordedSource(frames)})
		n.change()
	}
	return frames
}

// SourceNote does what [object.SourceNote] tells.
func (w *watched) SourceNote() string { return object.SourceNote(w.File) }

func recordedSource(frames []object.Source) []recording.Place {
	list := make([]recording.Place, len(frames))
	for i, f := range frames {
		list[i] = recording.Place(f)
	}
	return list
}

// Section implements [object.File].
func (w *watched) Section(k object.Kind) (object.Section, error) {
	sec, err := w.File.Section(k)
	n := w.notes
	n.saver.mu.Lock()
	defer n.saver.mu.Unlock()
	if int(k) < len(sectionNames) && !n.sections[k] && !errors.Is(err, object.ErrNoSection) {
		n.sections[k] = true
		n.noteSection(k, sec, err)
	}
	return sec, err
}

// noteSection keeps what a later reading needs of a section. Of call frame
// information that is not known yet: see [frames].
func (n *notes) noteSection(k object.Kind, sec object.Section, err error) {
	s := recording.Section{Image: n.number, Name: sectionNames[k], VMAddr: sec.VMAddr}
	switch {
	case err != nil:
		s.VMAddr, s.Error = 0, err.Error()
	case k == object.UnwindInfo, k == object.ExIdx:
		s.Data = sec.Data
	case k == object.GoPCLnTab: // only whether it is there
	default:
		return
	}
	n.newSections = append(n.newSections, s)
	n.change()
}

// write hands over what is new.
func (n *notes) write(w *recording.Writer) {
	n.dirty = false
	for i := range n.newSymbols {
		w.AddSymbol(&n.newSymbols[i])
	}
	for i := range n.newStarts {
		w.AddStart(&n.newStarts[i])
	}
	for i := range n.newSections {
		w.AddSection(&n.newSections[i])
	}
	for i := range n.newSources {
		w.AddSource(&n.newSources[i])
	}
	n.newSymbols, n.newStarts, n.newSources, n.newSections = n.newSymbols[:0], n.newStarts[:0], n.newSources[:0], n.newSections[:0]
	for _, f := range n.frames {
		f.write(w, n.number)
	}
}
