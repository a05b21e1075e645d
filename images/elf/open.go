package elf

import (
	"iter"
	"os"
	"path/filepath"

	"stacksnap/task/regular"
)

// candidate is an open regular file that may be the one looked for.
type candidate struct {
	file       *os.File
	size       int64
	dev, inode uint64 // 0 where the system does not tell
	exact      bool   // reached through the mapping itself
	root       int    // which of the roots it was found under
}

func openCandidate(name string) (candidate, error) {
	file, info, err := regular.Open(name)
	if err != nil {
		return candidate{}, err
	}
	c := candidate{file: file, size: info.Size()}
	c.dev, c.inode = identity(info)
	return c, nil
}

// underRoots opens what a path of the target leads to under each root. The
// caller closes the files.
func (l *Loader) underRoots(name string) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for i, root := range l.Roots {
			c, err := openCandidate(filepath.Join(root, filepath.FromSlash(name)))
			c.root = i
			if err == nil && !yield(c) {
				return
			}
		}
	}
}
