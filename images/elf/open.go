package elf

import (
	"io/fs"
	"iter"
	"os"

	"stacksnap/task"
	"stacksnap/task/files"
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

// openCandidate opens a file of this machine.
func openCandidate(name string) (candidate, error) { return candidateOf(files.Open("", name)) }

func candidateOf(file *os.File, info fs.FileInfo, err error) (candidate, error) {
	if err != nil {
		return candidate{}, err
	}
	return candidate{identity: identify(info), file: file}, nil
}

// through opens the file of a region by a link of /proc, whatever its name leads to now.
func (l *Loader) through(link string, r task.Region) (candidate, error) {
	return candidateOf(files.Through(l.PID, link, r.Path, r.Dev))
}

// underRoots opens what a path of the target leads to under each root, and tells why
// where that cannot be. The caller closes the files.
func (l *Loader) underRoots(name string, refused func(error)) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for i, root := range l.also.with(l.Roots) {
			c, err := candidateOf(files.Open(root, name))
			c.root = i
			if err != nil {
				refused(err)
			} else if !yield(c) {
				return
			}
		}
	}
}

// ignore is for files that need not be there.
func ignore(error) {}
