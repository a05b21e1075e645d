package elf

import (
	"iter"
	"os"
	"path/filepath"

	"stacksnap/task/regular"
)

// identity is what a system tells of a file.
type identity struct {
	dev, inode uint64 // 0 where it does not tell files apart
	size       int64
	changed    int64 // its ctime, in nanoseconds
}

// candidate is an open regular file that may be the one looked for.
type candidate struct {
	identity
	file  *os.File
	exact bool // reached through the mapping itself
	root  int  // which of the roots it was found under
}

func openCandidate(name string) (candidate, error) {
	file, info, err := regular.Open(name)
	if err != nil {
		return candidate{}, err
	}
	return candidate{identity: identify(info), file: file}, nil
}

// underRoots opens what a path of the target leads to under each root. The
// caller closes the files.
func (l *Loader) underRoots(name string) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for i, root := range l.also.with(l.Roots) {
			c, err := openCandidate(filepath.Join(root, filepath.FromSlash(name)))
			c.root = i
			if err == nil && !yield(c) {
				return
			}
		}
	}
}
