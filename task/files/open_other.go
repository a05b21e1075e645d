//go:build !linux

package files

import (
	"io/fs"
	"os"
	"path/filepath"

	"stacksnap/task/regular"
)

func open(root, name string) (*os.File, fs.FileInfo, error) {
	return regular.Open(filepath.Join(root, filepath.FromSlash(name)))
}

func stat(root, name string) (fs.FileInfo, error) {
	return os.Stat(filepath.Join(root, filepath.FromSlash(name)))
}

// Through opens the regular file that link names. Linux opens it by a descriptor in /proc
// instead, which this system does not have; the other arguments are for that.
func Through(_ int, link, _ string, _ uint64) (*os.File, fs.FileInfo, error) {
	return regular.Open(link)
}
