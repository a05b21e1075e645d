// Package binaries finds executables and libraries in folders by what they are,
// so that a core can be read where the system it came from is not.
package binaries

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stacksnap/images/elf"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/regular"
)

// maxFiles bounds how many files of a folder are looked at.
const maxFiles = 200_000

// maxLooked bounds how many bytes of a file's symbol table are looked through for a
// function: in unstripped ones notes for debuggers come first.
const maxLooked = 64 << 20

// Index knows the binaries of some folders, and of those in them, by LC_UUID and
// build-id.
type Index struct {
	byID  map[string]found
	roots []string
}

// found is what there is of an ID, by path: a stripped file and the debug file
// that was split off it have the same.
type found struct {
	image   string // has the code
	symbols string // has a symbol table, and debugging information if any file has
	source  bool   // it has that
}

// architectures are those of which a fat file may hold a slice each.
var architectures = [...]task.Arch{task.ARM64, task.AMD64, task.I386, task.ARM}

// NewIndex looks through the folders and those in them. A file that cannot be
// read is passed over; a folder that was named and cannot is an error.
func NewIndex(roots []string) (*Index, error) {
	x := &Index{byID: map[string]found{}, roots: roots}
	for _, root := range roots {
		root, err := folder(root)
		if err != nil {
			return nil, err
		}
		seen := 0
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil && path == root {
				return err
			}
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			if seen++; seen > maxFiles {
				return fs.SkipAll
			}
			x.add(path)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// folder refuses what is none, and returns where a link to one leads.
func folder(root string) (string, error) {
	info, err := os.Stat(root)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", root)
	}
	return filepath.EvalSymlinks(root)
}

// add notes a file's IDs, if it has any.
func (x *Index) add(path string) {
	for _, arch := range architectures {
		f, err := macho.Open(path, macho.Want{Arch: arch})
		if err == nil {
			f.Limit(object.NewBudget(0, maxLooked))
			x.put(f.ID(), path, f.Type() != macho.DSYM, f.HasSymbolTable(), f.HasSource())
			_ = f.Close() // it was only read
		} else if !errors.Is(err, macho.ErrNoSlice) {
			break // no Mach-O at all
		}
	}
	if f, err := openELF(path); err == nil {
		x.put(f.ID(), path, f.HasCode(), f.HasSymbolTable(), f.HasSource())
		_ = f.Close()
	}
}

func (x *Index) put(id []byte, path string, code, symbols, source bool) {
	if len(id) == 0 {
		return
	}
	of := x.byID[string(id)]
	if code && of.image == "" {
		of.image = path
	}
	if symbols && of.symbols == "" || source && !of.source {
		of.symbols, of.source = path, source
	}
	x.byID[string(id)] = of
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

// Roots returns the folders.
func (x *Index) Roots() []string { return x.roots }

// Path returns the file that has the ID and the code.
func (x *Index) Path(id []byte) (string, bool) {
	path := x.byID[string(id)].image
	return path, path != ""
}

// MachO opens the file with the UUID that is wanted, whatever its name.
func (x *Index) MachO(_ string, want macho.Want) (*macho.File, error) {
	path, ok := x.Path(want.ID)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return macho.Open(path, want)
}

// Symbols opens the file with the ID that has a symbol table, best one with debugging
// information: the same binary before it was stripped, or the debug file that was
// split off it. There may be none.
func (x *Index) Symbols(arch task.Arch, id []byte, budget *object.Budget) (object.File, bool) {
	path := x.byID[string(id)].symbols
	if path == "" {
		return nil, false
	}
	return Open(path, arch, id, budget)
}

// Open opens the file at a path if it is of the architecture and has the ID, with the
// debug file that belongs to it, if there is one on this system.
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
		_ = f.Close() // it was exchanged since
		return nil, false
	}
	(&elf.Loader{Roots: []string{"/"}, Budget: budget}).Prepare(f, path)
	return f, true
}
