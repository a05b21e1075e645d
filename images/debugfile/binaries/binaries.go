// Package binaries finds executables, libraries and their symbol files in directories
// by ID (LC_UUID or build-id), whatever their names. It lets a core be read away from
// the system it came from, and stripped code have symbols.
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

// Places are the places to search.
type Places struct {
	// Directories are searched recursively, and each may be the root directory of the
	// target's system.
	Directories []string
	// Symbols are files, or directories that are searched recursively, including
	// bundles (.dSYM, .xcarchive, .app).
	Symbols []string
	// System are directories of this system to search. They need not exist.
	System []string
	// ELF and MachO are queried for files of these formats that are in no place
	// above.
	ELF, MachO []Finder
}

// Finder finds the symbol file for an ID outside this index. Find may take long, so
// it is called while a report is written, not while a process is sampled. image is
// the path of the image, by which a Finder can find the file, or rule out that there
// is one.
type Finder interface {
	Find(id []byte, image string) (path string, ok bool)
	// Warnings returns a line for each thing that went wrong.
	Warnings() []string
}

// Index finds files in some places by ID. Directories are searched on the first
// query. Only shared caches stay open, once used. It is safe for concurrent use.
type Index struct {
	directories []string // directories that may contain the target's paths
	search      []string // directories to search
	scan        sync.Once
	files       map[string][]found // by ID
	trees       []string           // .build-id directories, where the name is the ID
	named       []given
	tooMany     []string // directories that were not searched completely
	elf         []Finder
	machO       []Finder

	mu       sync.Mutex
	reported map[string]bool               // IDs of images in reports; guarded by mu
	caches   map[string]*sharedcache.Cache // opened caches by path; guarded by mu
}

// found is a file that has an ID.
type found struct {
	path    string
	code    bool // it has the code, not only symbols or debugging information
	cache   bool // it is a shared cache; the ID is its own or one image's
	source  bool // it has debugging information
	symbols int  // number of symbols it claims to have in its full symbol table
}

// given is a file or bundle that the user named, with the IDs of its files.
type given struct {
	path string
	ids  [][]byte
}

// maxSame is how many files are kept for one ID.
const maxSame = 16

// NewIndex returns an index of places. It fails if one is unreadable, or if a file
// named there has no ID, because it could not match any image.
func NewIndex(places Places) (*Index, error) {
	x := &Index{files: map[string][]found{}, reported: map[string]bool{}, caches: map[string]*sharedcache.Cache{}, elf: places.ELF, machO: places.MachO}
	for _, name := range places.Directories {
		root, err := directory(name)
		if err != nil {
			return nil, err
		}
		x.directories = append(x.directories, name)
		x.search = append(x.search, root)
	}
	for _, name := range places.System {
		if root, err := directory(name); err == nil {
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

// directory checks that name is a readable directory, and resolves symbolic links.
func directory(name string) (string, error) {
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
	_ = f.Close() // opened only to check
	return filepath.EvalSymlinks(name)
}

// addPlace indexes a file or a dSYM at once. It only queues a directory, which the
// first query searches.
func (x *Index) addPlace(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return x.addNamed(name, name)
	}
	root, err := directory(name)
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

// addNamed indexes the files of one item that the user named.
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

// Roots returns the directories that may contain the target's paths.
func (x *Index) Roots() []string { return x.directories }

// of returns the files with an ID: the indexed ones, and those that .build-id
// directories name by the ID.
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

// Path returns the path of a file that has the ID and the code.
func (x *Index) Path(id []byte) (string, bool) { return codeOf(x.of(id)) }

func codeOf(all []found) (path string, ok bool) {
	for _, f := range all {
		if f.code && !f.cache {
			return f.path, true
		}
	}
	return "", false
}

// SymbolPaths returns the paths of files that have the ID and symbols, the best
// first: those with debugging information, then those with the most symbols.
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

// MachO opens the file with the UUID in want, or extracts the image from a shared
// cache.
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

// Reported records that an image with this ID is in a report.
func (x *Index) Reported(id []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reported[string(id)] = true
}

// Warnings returns lines about named files that match no reported image, and about
// directories that were not searched completely.
func (x *Index) Warnings() (lines []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, g := range x.named {
		if slices.ContainsFunc(g.ids, func(id []byte) bool { return x.reported[string(id)] }) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s (%x) is of no image in the report", g.path, g.ids[0]))
	}
	lines = firstWarnings(lines, "nor are %d more of the files that were named")
	for _, root := range x.tooMany {
		lines = append(lines, fmt.Sprintf("%s has more than %d files: the others were not looked at", root, maxFiles))
	}
	for _, f := range slices.Concat(x.elf, x.machO) {
		lines = append(lines, f.Warnings()...)
	}
	return append(lines, x.missing()...)
}

// maxWarnings is how many unused files are named.
const maxWarnings = 3
