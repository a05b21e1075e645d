package images

import (
	"fmt"
	"slices"

	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/dyld"
	"stacksnap/images/elf"
	"stacksnap/images/object"
	"stacksnap/task"
)

// Files shares open files between maps. The zero value is ready for use, by many
// goroutines at once.
type Files struct{ elf elf.Opened }

// Load finds the images of a process. An image that cannot be read is in the map with
// its Err.
//
// from has binaries from elsewhere. If the ID is the same, they supply the contents
// that a core lacks and the symbols that an image lacks. Maps of Linux processes that
// are loaded with the same files share open files; the last user of a file closes it.
// from and files may be nil.
func Load(p task.Process, from *binaries.Index, files *Files) (*Map, []error) {
	budget := object.NewBudget(object.MaxKept, object.MaxRead)
	loaded, errs := load(p, from, files, budget)
	loaded.Images = WithSymbols(loaded.Images, from, loaded.Budget)
	return NewDarwinMap(loaded), errs
}

func load(p task.Process, from *binaries.Index, files *Files, budget *object.Budget) (loaded dyld.Loaded, errs []error) {
	switch os := p.Info().OS; os {
	case task.Darwin:
		return loadDarwin(p, from, budget)
	case task.Linux:
		loaded.Images, errs = loadLinux(p, from, files, budget)
		loaded.Budget = budget
		return loaded, errs
	default:
		return loaded, []error{fmt.Errorf("images of an unknown operating system (%d) cannot be found", os)}
	}
}

func loadLinux(p task.Process, from *binaries.Index, files *Files, budget *object.Budget) ([]object.Placed, []error) {
	loader := elf.Loader{Roots: []string{"/"}}
	if info := p.Info(); info.Live {
		loader = elf.LiveLoader(info.PID)
	} else if from != nil {
		loader.Roots = append(slices.Clone(from.Roots()), "/")
	}
	loader.Budget = budget
	if files != nil {
		loader.Opened = &files.elf
	}
	if from != nil {
		loader.ByID = func(id []byte) string {
			path, _ := from.Path(id)
			return path
		}
		loader.DebugByID = func(id []byte) string {
			if paths := from.SymbolPaths(id); len(paths) > 0 {
				return paths[0]
			}
			return ""
		}
	}
	return loader.Load(p)
}

func loadDarwin(p task.Process, from *binaries.Index, budget *object.Budget) (dyld.Loaded, []error) {
	if p.Info().Live {
		return dyld.Load(p)
	}
	if from == nil {
		return (&dyld.Loader{Budget: budget}).Load(p)
	}
	if back := p.Capabilities().Back; back != nil {
		back(backing(p, from))
	}
	loader := dyld.Loader{Open: from.MachO, Budget: budget}
	return loader.Load(p)
}
