package recorded

import (
	"stacksnap/images/object"
	"stacksnap/task/recording"
)

// Pruner picks out of a section what some addresses need: unwind/cfi's Pruner.
type Pruner interface {
	// Add picks what vmaddr needs.
	Add(vmaddr uint64)
	// Section returns what was picked. It grows at its end alone, until Whole.
	Section() object.Section
	// Whole tells that only all of the section will do, and the header with it.
	Whole() bool
}

// frames is the call frame information of one section of an image.
type frames struct {
	kind    object.Kind
	file    object.File
	picked  Pruner
	written int // bytes
	whole   bool
}

// newFrames returns nil when there is no such section that can be read.
func newFrames(file object.File, k object.Kind, prune PruneFunc) *frames {
	p, err := prune(file, k)
	if err != nil {
		return nil
	}
	return &frames{kind: k, file: file, picked: p}
}

// write hands over what was picked since the last time.
func (f *frames) write(w *recording.Writer, image int) {
	if f.whole {
		return
	}
	sec := f.picked.Section()
	s := recording.Section{Image: image, Name: sectionNames[f.kind], VMAddr: sec.VMAddr}
	if f.whole = f.picked.Whole(); f.whole {
		s.Restart, s.Data = true, sec.Data
		w.AddSection(&s)
		f.writeHeader(w, image)
		return
	}
	if s.Offset, s.Data = f.written, sec.Data[f.written:]; len(s.Data) > 0 {
		f.written = len(sec.Data)
		w.AddSection(&s)
	}
}

func (f *frames) writeHeader(w *recording.Writer, image int) {
	if f.kind != object.EHFrame {
		return
	}
	if sec, err := f.file.Section(object.EHFrameHdr); err == nil {
		w.AddSection(&recording.Section{
			Image: image, Name: sectionNames[object.EHFrameHdr], VMAddr: sec.VMAddr, Data: sec.Data,
		})
	}
}
