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

// Through opens a regular file at a path: this system has no links in /proc.
func Through(_ int, link, _ string, _ uint64) (*os.File, fs.FileInfo, error) {
	return regular.Open(link)
}
