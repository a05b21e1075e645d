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

// Opened has the open files of several loaders, so that processes, and several maps
// of one process, share a file and all that was read of it. A shared file has the
// budget of its first user. The zero value is ready for use, by many goroutines at
// once. A nil *Opened shares nothing.
type Opened struct {
	mu    sync.Mutex
	files map[openedKey]*File
}

// openedKey identifies an open file: its current identity, and where the files that
// belong to it are looked for: by path and root.
type openedKey struct {
	identity
	path string
	root string
}

// use returns the open file for a key and adds a user, who must close it; nil: none
// is open.
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

// add shares a file, unless another has the key by now, or the system does not
// identify files.
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

// leave removes a user, and reports whether it was the last.
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

// rootKey identifies the loader's roots.
func (l *Loader) rootKey() string {
	ids := make([]string, len(l.Roots))
	for i, root := range l.Roots {
		ids[i] = rootID(root)
	}
	return strings.Join(ids, "\n")
}

// rootID identifies the root of a running process by inode and mount namespace, any
// other by its path.
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

// laterRoots are the roots of other processes that use a file. The process that
// opened it first may be gone when a file that belongs to it is looked for.
type laterRoots struct {
	mu    sync.Mutex
	roots []string
}

// maxLaterRoots is how many later roots are tried.
const maxLaterRoots = 8

// lookUnder adds the roots of another user of the loader's files.
func (l *Loader) lookUnder(roots []string) {
	for _, root := range roots {
		if !slices.Contains(l.Roots, root) {
			l.also.add(root)
		}
	}
}

// add appends a root, keeping the last maxLaterRoots.
func (a *laterRoots) add(root string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(a.roots, root) {
		return
	}
	a.roots = append(a.roots, root)
	a.roots = a.roots[max(len(a.roots)-maxLaterRoots, 0):]
}

// with returns the loader's own roots followed by these.
func (a *laterRoots) with(own []string) []string {
	if a == nil {
		return own
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Concat(own, a.roots)
}
