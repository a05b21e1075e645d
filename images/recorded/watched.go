package recorded

import (
	"errors"

	"stacksnap/images/object"
	"stacksnap/task/recording"
)

// watched is a file whose answers are recorded.
type watched struct {
	object.File
	notes *notes
}

// notes are the recorded answers of one image. The Saver's lock guards them.
type notes struct {
	saver  *Saver
	number int // index of the image in the recording
	dirty  bool

	symbols, starts, data, thumbs answers

	sources     map[uint64]bool // vmaddrs that have an answer
	newSources  []recording.Source
	sections    map[object.Kind]bool // that were looked up
	newSections []recording.Section
	frames      []*frames
}

// answers are the answers to one kind of look-up.
type answers struct {
	asked map[uint64]bool // vmaddrs looked up
	fresh []recording.Answer
}

// note records an answer, unless it was recorded before.
func (n *notes) note(to *answers, a recording.Answer) {
	n.saver.mu.Lock()
	defer n.saver.mu.Unlock()
	if to.asked[a.Asked] {
		return
	}
	if to.asked == nil {
		to.asked = map[uint64]bool{}
	}
	to.asked[a.Asked] = true
	a.Image = n.number
	to.fresh = append(to.fresh, a)
	n.change()
}

// write passes the new answers to add.
func (s *answers) write(add func(*recording.Answer)) {
	for i := range s.fresh {
		add(&s.fresh[i])
	}
	s.fresh = s.fresh[:0]
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
	a := recording.Answer{Asked: vmaddr, Found: ok}
	if ok {
		a.VMAddr, a.Size, a.Name, a.Public = sym.VMAddr, sym.Size, sym.Name, sym.Public
	}
	w.notes.note(&w.notes.symbols, a)
	return sym, ok
}

// FunctionStart implements [object.File].
func (w *watched) FunctionStart(vmaddr uint64) (uint64, bool) {
	start, ok := w.File.FunctionStart(vmaddr)
	a := recording.Answer{Asked: vmaddr, Found: ok}
	if ok {
		a.VMAddr = start
	}
	w.notes.note(&w.notes.starts, a)
	return start, ok
}

// DataInCode implements [object.DataReporter].
func (w *watched) DataInCode(vmaddr uint64) (start, end uint64, ok bool) {
	if f, can := w.File.(object.DataReporter); can {
		start, end, ok = f.DataInCode(vmaddr)
	}
	if ok {
		w.notes.note(&w.notes.data, recording.Answer{Asked: vmaddr, Found: true, VMAddr: start, Size: end - start})
	}
	return start, end, ok
}

// Thumb implements [object.ThumbReporter].
func (w *watched) Thumb(vmaddr uint64) (thumb, known bool) {
	if f, can := w.File.(object.ThumbReporter); can {
		thumb, known = f.Thumb(vmaddr)
	}
	if known {
		w.notes.note(&w.notes.thumbs, recording.Answer{Asked: vmaddr, Found: true, Thumb: thumb})
	}
	return thumb, known
}

// DataSymbol implements [object.DataSymbolFinder]. The answer is not recorded: only captures
// of a live process use it.
func (w *watched) DataSymbol(name string) (vmaddr uint64, ok bool) {
	if f, can := w.File.(object.DataSymbolFinder); can {
		return f.DataSymbol(name)
	}
	return 0, false
}

// SymbolsOf implements [object.SymbolFinder]. The answer is not recorded, like that of
// DataSymbol.
func (w *watched) SymbolsOf(names ...string) []object.Symbol {
	return object.SymbolsOf(w.File, names...)
}

// GoFunctions implements [object.GoFunctionFinder]. The answer is not recorded, like that of
// DataSymbol.
func (w *watched) GoFunctions(names ...string) []object.Symbol {
	return object.GoFunctions(w.File, names...)
}

// Variable implements [object.VariableReporter]. The answer is not recorded here: it
// is part of the wait that it describes.
func (w *watched) Variable(vmaddr uint64) (object.Symbol, bool) {
	if f, can := w.File.(object.VariableReporter); can {
		return f.Variable(vmaddr)
	}
	return object.Symbol{}, false
}

// Source returns the file's answer and records it.
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

// SourceNote implements the method that [object.SourceNote] calls.
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

// noteSection records what a reader needs of a section. Call frame information is
// recorded by [frames], once it is known which parts are needed.
func (n *notes) noteSection(k object.Kind, sec object.Section, err error) {
	s := recording.Section{Image: n.number, Name: sectionNames[k], VMAddr: sec.VMAddr}
	switch {
	case err != nil:
		s.VMAddr, s.Error = 0, err.Error()
	case k == object.UnwindInfo, k == object.ExIdx:
		s.Data = sec.Data
	case k == object.GoPCLnTab: // only its presence
	default:
		return
	}
	n.newSections = append(n.newSections, s)
	n.change()
}

// write writes the new answers.
func (n *notes) write(w *recording.Writer) {
	n.dirty = false
	n.symbols.write(w.AddSymbol)
	n.starts.write(w.AddStart)
	n.data.write(w.AddData)
	n.thumbs.write(w.AddThumb)
	for i := range n.newSections {
		w.AddSection(&n.newSections[i])
	}
	for i := range n.newSources {
		w.AddSource(&n.newSources[i])
	}
	n.newSources, n.newSections = n.newSources[:0], n.newSections[:0]
	for _, f := range n.frames {
		f.write(w, n.number)
	}
}
