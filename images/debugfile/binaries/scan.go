package binaries

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stacksnap/images/elf"
	"stacksnap/images/macho"
	"stacksnap/images/sharedcache"
	"stacksnap/task/regular"
)

// maxFiles is how many files in a directory are examined.
const maxFiles = 200_000

// buildIDDirectory is the name of directories in which .build-id/ab/cdef.debug is the
// debug file for build-id abcdef (GDB manual, "Debugging Information in Separate
// Files").
const buildIDDirectory = ".build-id"

// searchAll searches the directories. It skips what is unreadable.
func (x *Index) searchAll() {
	for _, root := range x.search {
		seen := 0
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir() && d.Name() == buildIDDirectory:
				x.trees = append(x.trees, path)
				return fs.SkipDir
			case !d.Type().IsRegular():
				return nil
			}
			if seen++; seen > maxFiles {
				x.tooMany = append(x.tooMany, root)
				return fs.SkipAll
			}
			_, _ = x.add(path) // most files have no ID
			return nil
		})
	}
}

// inTree returns the files for an ID in a .build-id directory.
func inTree(tree string, id []byte) (list []found) {
	if len(id) < 2 {
		return nil
	}
	name := filepath.Join(tree, hex.EncodeToString(id[:1]), hex.EncodeToString(id[1:]))
	for _, path := range []string{name + ".debug", name} {
		_ = eachFile(path, func(has []byte, f found) {
			if slices.Equal(has, id) {
				list = append(list, f)
			}
		})
	}
	return list
}

// add indexes a file by its IDs, which it returns.
func (x *Index) add(path string) (ids [][]byte, err error) {
	err = eachFile(path, func(id []byte, f found) {
		if len(id) == 0 {
			return
		}
		ids = append(ids, slices.Clone(id))
		if same := x.files[string(id)]; len(same) < maxSame {
			x.files[string(id)] = append(same, f)
		}
	})
	return ids, err
}

// eachFile yields the ID of a file, or of each file in a fat one; none for another
// format. It fails if the file cannot be opened.
func eachFile(path string, yield func(id []byte, f found)) error {
	r, info, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // read-only
	if f, err := elf.NewFile(unclosed{r}, info.Size()); err == nil {
		yield(f.ID(), found{path: path, code: f.HasCode(), source: f.HasSource(), symbols: f.NumSymbols()})
		return nil
	} else if !errors.Is(err, elf.ErrNotELF) {
		return nil
	}
	if list, err := sharedcache.List(unclosed{r}); err == nil {
		for id := range list {
			yield(id[:], found{path: path, code: true, cache: true, symbols: 1})
		}
		return nil
	}
	slices, _ := macho.Slices(r, info.Size())
	for _, f := range slices {
		yield(f.ID(), found{path: path, code: f.Type() != macho.DSYM, source: f.HasSource(), symbols: f.NumSymbols()})
	}
	return nil
}

// unclosed reads a file but hides its Close method, because the caller closes it.
type unclosed struct{ file *os.File }

func (u unclosed) ReadAt(p []byte, off int64) (int, error) { return u.file.ReadAt(p, off) }

// escaped escapes the characters that are special in a file name pattern.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
