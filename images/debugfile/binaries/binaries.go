// Package binaries finds executables, libraries and the files with their symbols in
// folders by what they are, LC_UUID and build-id, whatever their names: so that a core
// can be read where the system it came from is not, and stripped code has names.
package binaries

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"stacksnap/images/macho"
	"stacksnap/images/sharedcache"
)

// Places are where to look.
type Places struct {
	// Folders are searched at any depth, and each may be the root of the system that
	// the files of a target are of.
	Folders []string
	// Symbols are folders that are searched at any depth, bundles (.dSYM, .xcarchive,
	// .app) among them, and files.
	Symbols []string
	// System are folders of this system that are searched, where they are there.
	System []string
	// ELF and MachO are asked for files of these formats that nothing else has.
	ELF, MachO []Finder
}

// Finder finds the file with the symbols of what has an ID by asking others: that may
// take long, and it is done when a report is made, not while a process is looked at.
// The path of the image may tell that nobody has any.
type Finder interface {
	Find(id []byte, image string) (path string, ok bool)
	// Remarks says, a line each, what went wrong.
	Remarks() []string
}

// Index knows what there is in some places of each ID. Folders are looked through
// when it is first asked; nothing of what is found is kept open but shared caches of
// which something was asked. It is safe for concurrent use.
type Index struct {
	folders []string // that paths of a target may be under
	search  []string // the folders that are looked through
	scan    sync.Once
	files   map[string][]found // by ID
	trees   []string           // .build-id folders, in which an ID tells the name
	named   []given
	tooMany []string // folders of which not all was looked at
	elf     []Finder
	machO   []Finder

	mu       sync.Mutex
	reported map[string]bool               // IDs of images in reports; guarded by mu
	caches   map[string]*sharedcache.Cache // that were opened, by path; guarded by mu
}

// found is a file that has an ID.
type found struct {
	path    string
	code    bool // it has the code, not only what tells of it
	cache   bool // it is a shared cache, of which the ID is one image's, or its own
	source  bool // it has debugging information
	symbols int  // how many it claims to have, in a table that is not for others alone
}

// given is a file, or the bundle of one, that the user has named.
type given struct {
	path string
	ids  [][]byte
}

// maxSame bounds the files that are remembered of one ID.
const maxSame = 16

// NewIndex makes an index of places. It is an error that one cannot be read, and that
// a file which was named has no ID: it could not belong to anything.
func NewIndex(places Places) (*Index, error) {
	x := &Index{files: map[string][]found{}, reported: map[string]bool{}, caches: map[string]*sharedcache.Cache{}, elf: places.ELF, machO: places.MachO}
	for _, name := range places.Folders {
		root, err := folder(name)
		if err != nil {
			return nil, err
		}
		x.folders = append(x.folders, name)
		x.search = append(x.search, root)
	}
	for _, name := range places.System {
		if root, err := folder(name); err == nil {
			x.search = append(x.search, root)
		}
	}
	for _, name := range places.Symbols {
		if err := x.addPlace(name); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// folder refuses what is none that can be listed, and returns where a link to one
// leads.
func folder(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	_ = f.Close() // it was only tried
	return filepath.EvalSymlinks(name)
}

// addPlace adds a file at once, and a folder to those that are to be searched.
func (x *Index) addPlace(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return x.addNamed(name, name)
	}
	root, err := folder(name)
	if err != nil {
		return err
	}
	if filepath.Ext(root) != ".dSYM" {
		x.search = append(x.search, root)
		return nil
	}
	inside, err := filepath.Glob(filepath.Join(escaped(root), "Contents", "Resources", "DWARF", "*"))
	if err != nil || len(inside) == 0 {
		return fmt.Errorf("%s has no debugging information in Contents/Resources/DWARF", name)
	}
	return x.addNamed(name, inside...)
}

// addNamed adds files that the user has named, together, as one thing.
func (x *Index) addNamed(name string, files ...string) error {
	g := given{path: name}
	for _, path := range files {
		ids, err := x.add(path)
		if err != nil {
			return err
		}
		g.ids = append(g.ids, ids...)
	}
	if len(g.ids) == 0 && sharedcache.IsPart(name) {
		return fmt.Errorf("%s is a part of a shared cache: give the main file, which it is named after, or the folder", name)
	}
	if len(g.ids) == 0 {
		return fmt.Errorf("%s has no UUID and no build-id by which it could be known to belong to anything", name)
	}
	x.named = append(x.named, g)
	return nil
}

// Roots returns the folders under which paths of a target may be.
func (x *Index) Roots() []string { return x.folders }

// of returns the files that are known to have an ID, and those that should by their
// names.
func (x *Index) of(id []byte) []found {
	if len(id) == 0 {
		return nil
	}
	x.scan.Do(x.searchAll)
	list := slices.Clone(x.files[string(id)])
	for _, tree := range x.trees {
		list = append(list, inTree(tree, id)...)
	}
	return list
}

// Path returns a file that has the ID and the code.
func (x *Index) Path(id []byte) (string, bool) { return codeOf(x.of(id)) }

func codeOf(all []found) (path string, ok bool) {
	for _, f := range all {
		if f.code && !f.cache {
			return f.path, true
		}
	}
	return "", false
}

// SymbolPaths returns the files that have the ID and symbols, the best one first: with
// debugging information, and then with the most symbols.
func (x *Index) SymbolPaths(id []byte) (paths []string) {
	for _, f := range x.withSymbols(id) {
		if !f.cache {
			paths = append(paths, f.path)
		}
	}
	return paths
}

func (x *Index) withSymbols(id []byte) []found {
	list := slices.DeleteFunc(x.of(id), func(f found) bool { return !f.source && f.symbols == 0 })
	slices.SortStableFunc(list, func(a, b found) int {
		if a.source != b.source && a.source {
			return -1
		} else if a.source != b.source {
			return 1
		}
		return cmp.Compare(b.symbols, a.symbols)
	})
	return list
}

// MachO opens the file with the UUID that is wanted, whatever its name, or takes the
// image out of a shared cache.
func (x *Index) MachO(_ string, want macho.Want) (*macho.File, error) {
	all := x.of(want.ID)
	if path, ok := codeOf(all); ok {
		return macho.Open(path, want)
	}
	for _, f := range all {
		if im, ok := x.cached(f, want); ok {
			return im, nil
		}
	}
	return nil, fs.ErrNotExist
}

// Reported tells that an image with this ID is in a report.
func (x *Index) Reported(id []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reported[string(id)] = true
}

// Remarks says, a line each, which of the files that were named belong to no image
// that was reported, and where not all was looked at.
func (x *Index) Remarks() (lines []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	unused := 0
	for _, g := range x.named {
		if slices.ContainsFunc(g.ids, func(id []byte) bool { return x.reported[string(id)] }) {
			continue
		}
		if unused++; unused <= maxRemarks {
			lines = append(lines, fmt.Sprintf("%s (%x) is of no image in the report", g.path, g.ids[0]))
		}
	}
	if unused > maxRemarks {
		lines = append(lines, fmt.Sprintf("nor are %d more of the files that were named", unused-maxRemarks))
	}
	for _, root := range x.tooMany {
		lines = append(lines, fmt.Sprintf("%s has more than %d files: the others were not looked at", root, maxFiles))
	}
	for _, f := range slices.Concat(x.elf, x.machO) {
		lines = append(lines, f.Remarks()...)
	}
	return append(lines, x.missing()...)
}

// maxRemarks bounds the files that are named as of no use.
const maxRemarks = 3
