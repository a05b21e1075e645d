package elf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stacksnap/task/files"
)

// Opened has the files that loaders have opened and not closed yet, so that several
// processes, and several layouts of one, share a file with all that was read of it.
// The budget of a shared file is that of the first who opened it. The zero value is
// ready; it is safe for concurrent use. A nil one shares nothing.
type Opened struct {
	mu    sync.Mutex
	files map[openedKey]*File
}

// openedKey is a file as it is now, and where what belongs to it is looked for: beside
// its path, under a root.
type openedKey struct {
	identity
	path string
	root string
}

// use returns the file of a key for one user more, who closes it; nil: none is open.
func (o *Opened) use(key openedKey) *File {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.files[key]
	if f != nil {
		f.users++
	}
	return f
}

// add has a file used by others, unless there is one of its key by now, or the system
// does not tell files apart.
func (o *Opened) add(key openedKey, f *File) {
	if o == nil || key.inode == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.files[key] != nil {
		return
	}
	if o.files == nil {
		o.files = map[openedKey]*File{}
	}
	o.files[key] = f
	f.opened, f.key, f.users = o, key, 1
}

// leave reports whether a file has no user any more, when one of them closes it.
func (o *Opened) leave(f *File) bool {
	if o == nil {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.users--; f.users == 0 {
		delete(o.files, f.key)
	}
	return f.users == 0
}

// rootKey tells the loader's roots from those of others.
func (l *Loader) rootKey() string {
	ids := make([]string, len(l.Roots))
	for i, root := range l.Roots {
		ids[i] = rootID(root)
	}
	return strings.Join(ids, "\n")
}

// rootID tells the root of a running process by what it is and its mount namespace,
// another by its path.
func rootID(root string) string {
	proc, isProcess := strings.CutSuffix(root, "/root")
	if !isProcess {
		return root
	}
	info, err := files.Stat(root, "/")
	mounts, errMounts := os.Readlink(filepath.Join(proc, "ns", "mnt"))
	if err != nil || errMounts != nil {
		return root
	}
	id := identify(info)
	return fmt.Sprintf("%s %x:%x", mounts, id.dev, id.inode)
}

// laterRoots are the roots of other processes that use a file: of them that has opened
// it there may be none any more when something is looked for that belongs to it.
type laterRoots struct {
	mu    sync.Mutex
	roots []string
}

// maxLaterRoots bounds how often a path is tried.
const maxLaterRoots = 8

// lookUnder adds the roots of another user of the loader's files.
func (l *Loader) lookUnder(roots []string) {
	for _, root := range roots {
		if !slices.Contains(l.Roots, root) {
			l.also.add(root)
		}
	}
}

// add keeps the last few.
func (a *laterRoots) add(root string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(a.roots, root) {
		return
	}
	a.roots = append(a.roots, root)
	a.roots = a.roots[max(len(a.roots)-maxLaterRoots, 0):]
}

// with returns them behind the loader's own.
func (a *laterRoots) with(own []string) []string {
	if a == nil {
		return own
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Concat(own, a.roots)
}
