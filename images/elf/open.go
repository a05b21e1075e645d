package elf

import (
	"io/fs"
	"iter"
	"os"

	"stacksnap/task"
	"stacksnap/task/files"
)

// identity is what the system says of a file.
type identity struct {
	dev, inode uint64 // 0 if the system does not identify files
	size       int64
	changed    int64 // ctime, in nanoseconds
}

// candidate is an open regular file that may be the wanted one.
type candidate struct {
	identity
	file  *os.File
	exact bool // found through the mapping itself
	root  int  // index of the root that it was found under
}

// openCandidate opens a file of this machine.
func openCandidate(name string) (candidate, error) { return candidateOf(files.Open("", name)) }

func candidateOf(file *os.File, info fs.FileInfo, err error) (candidate, error) {
	if err != nil {
		return candidate{}, err
	}
	return candidate{identity: identify(info), file: file}, nil
}

// through opens the file of a region by a link in /proc, even if its name has another
// file now.
func (l *Loader) through(link string, r task.Region) (candidate, error) {
	return candidateOf(files.Through(l.PID, link, r.Path, r.Dev))
}

// underRoots opens the file at a path of the target under each root, and calls
// refused with each error. The caller closes the files.
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

// ignore drops the errors of files that need not exist.
func ignore(error) {}
