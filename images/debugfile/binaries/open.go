package binaries

import (
	"bytes"
	"errors"

	"stacksnap/images/elf"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/regular"
)

// HasSymbols reports whether there is a file with the ID that should have symbols.
func (x *Index) HasSymbols(id []byte) bool { return len(x.withSymbols(id)) > 0 }

// Symbols opens the best file with the ID and a symbol table, preferably one with
// debugging information: a dSYM, the unstripped binary, or the debug file split off
// it. It reports false if there is none.
func (x *Index) Symbols(arch task.Arch, id []byte, budget *object.Budget) (object.File, bool) {
	for _, from := range x.withSymbols(id) {
		if !from.cache {
			if f, ok := Open(from.path, arch, id, budget); ok {
				return f, true
			}
		} else if f, ok := x.cached(from, macho.Want{Arch: arch, ID: id}); ok {
			f.Limit(budget)
			return f, true
		}
	}
	return nil, false
}

// finders returns the finders for a format.
func (x *Index) finders(machO bool) []Finder {
	if machO {
		return x.machO
	}
	return x.elf
}

// HasFinders reports whether any [Finder] serves the files of a format: Mach-O, or ELF.
func (x *Index) HasFinders(machO bool) bool { return len(x.finders(machO)) > 0 }

// FindSymbols opens the symbol file that the finders have for an image's ID; see [Finder].
func (x *Index) FindSymbols(machO bool, image string, arch task.Arch, id []byte, budget *object.Budget) (object.File, bool) {
	for _, finder := range x.finders(machO) {
		if path, ok := finder.Find(id, image); ok {
			if f, ok := Open(path, arch, id, budget); ok {
				return f, true
			}
		}
	}
	return nil, false
}

// Open opens the file at a path if it has the architecture and the ID, with its debug
// file if that is on this system.
func Open(path string, arch task.Arch, id []byte, budget *object.Budget) (object.File, bool) {
	if f, err := macho.Open(path, macho.Want{Arch: arch, ID: id}); err == nil {
		f.Limit(budget)
		f.SeekDSYM(path)
		return f, true
	}
	f, err := openELF(path)
	if err != nil {
		return nil, false
	}
	if !bytes.Equal(f.ID(), id) || f.Arch() != arch {
		_ = f.Close() // it was replaced meanwhile
		return nil, false
	}
	(&elf.Loader{Roots: []string{"/"}, Budget: budget}).Prepare(f, path)
	return f, true
}

func openELF(path string) (*elf.File, error) {
	r, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := elf.NewFile(r, info.Size())
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return f, nil
}
