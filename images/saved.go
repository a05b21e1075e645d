package images

import (
	"stacksnap/images/binaries"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

// backable is a saved process that takes from elsewhere what it does not hold.
type backable interface{ Back(task.Memory) }

// backing is memory made of the binaries that a core's notes name.
func backing(p task.Process, from *binaries.Index) fileMemory {
	var m fileMemory
	noter, ok := p.(task.Noter)
	if !ok {
		return m
	}
	for _, im := range noter.NotedImages() {
		f, err := from.MachO(im.Path, macho.Want{Arch: p.Info().Arch, ID: im.ID})
		if err != nil {
			continue // it is not among the binaries
		}
		if slide, ok := slideOf(im, f); ok {
			m = append(m, placedFile{f, slide})
		}
	}
	return m
}

func slideOf(im task.NotedImage, f *macho.File) (uint64, bool) {
	if im.HasSlide {
		return im.Slide, true
	}
	text, ok := f.TextVMAddr()
	return uint64(im.Load) - text, ok && im.Load != 0
}

// fileMemory is what files have at the addresses they were mapped to, as far as
// nobody can have written there.
type fileMemory []placedFile

type placedFile struct {
	*macho.File
	slide uint64
}

// ReadMemory implements task.Memory.
func (m fileMemory) ReadMemory(p []byte, a task.Addr) (int, error) {
	for _, f := range m {
		vmaddr := uint64(a) - f.slide
		for _, s := range f.Segments() {
			if s.Prot&task.Write == 0 && s.Prot != 0 && vmaddr-s.VMAddr < s.Size {
				return readFile(f, p[:min(uint64(len(p)), s.VMAddr+s.Size-vmaddr)], vmaddr, len(p), a)
			}
		}
	}
	return 0, &task.FaultError{Addr: a}
}

func readFile(f placedFile, p []byte, vmaddr uint64, wanted int, a task.Addr) (int, error) {
	n, err := f.ReadCode(p, vmaddr)
	if n < wanted {
		return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
	}
	return n, nil
}

var _ object.File = (*macho.File)(nil)
