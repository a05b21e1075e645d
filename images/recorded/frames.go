package recorded

import (
	"stacksnap/images/object"
	"stacksnap/task/recording"
)

// Pruner copies the parts of a section that given addresses need; see unwind/cfi.
type Pruner interface {
	// Add copies what vmaddr needs.
	Add(vmaddr uint64)
	// Section returns the copy. It only grows at its end, until Whole.
	Section() object.Section
	// Whole reports whether the whole section is needed, and its header.
	Whole() bool
}

// frames is the call frame information in one section of an image.
type frames struct {
	kind    object.Kind
	file    object.File
	picked  Pruner
	written int // bytes written so far
	whole   bool
}

// newFrames returns nil if the file has no such section, or an unreadable one.
func newFrames(file object.File, k object.Kind, prune PruneFunc) *frames {
	p, err := prune(file, k)
	if err != nil {
		return nil
	}
	return &frames{kind: k, file: file, picked: p}
}

// write writes what was copied since the last call.
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
