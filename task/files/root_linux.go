package files

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"stacksnap/task/mounts"
	"stacksnap/task/regular"
)

// Root is the root directory of a process, below which names are looked up.
type Root struct {
	path string
	*view
}

// view is what is mounted below a root.
type view struct {
	table  mounts.Table
	ours   mounts.Table // of this program
	prefix string       // the root's own path in the table, if it is not "/"
	safe   bool         // no mount is remote, so nothing has to be checked
	asked  sync.Map     // questions, by mount ID
}

// Of returns the root of a process or thread, by its directory in /proc.
func Of(proc string) *Root { return &Root{proc + "/root", viewOf(proc)} }

// ours returns the root of this program.
func ours() *Root { return &Root{"/", viewOf("/proc/self")} }

// below splits a directory and a name into a root and the name below it.
func below(folder, name string) (*Root, string) {
	if proc, ok := strings.CutSuffix(folder, "/root"); ok && path.Dir(proc) == "/proc" {
		return &Root{folder, viewOf(proc)}, name
	}
	if folder == "" {
		return ours(), name
	}
	return ours(), path.Join(folder, name)
}

func open(root, name string) (*os.File, fs.FileInfo, error) {
	r, name := below(root, name)
	return r.Open(name)
}

func stat(root, name string) (fs.FileInfo, error) {
	r, name := below(root, name)
	seen, err := r.Look(name, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = seen.Close() }() // opened only to examine it
	return seen.Stat()
}

// Open opens a regular file.
func (r *Root) Open(name string) (*os.File, fs.FileInfo, error) {
	if r.path == "/" && r.safe {
		return regular.Open(name)
	}
	seen, err := r.Look(name, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = seen.Close() }() // opened only to examine it
	return regular.Reopen(seen, path.Join(r.path, name))
}

// Look looks up a name without opening the file: see O_PATH in open(2). With
// O_NOFOLLOW the last component may be a link.
func (r *Root) Look(name string, flags int) (*os.File, error) {
	if !path.IsAbs(name) && r.path == "/" { // relative to the working directory
		if dir, err := unix.Getwd(); err == nil { // os.Getwd touches the file system
			name = path.Join(dir, name)
		}
	}
	if !r.safe {
		return r.walk(name, flags)
	}
	root, err := unix.Open(r.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(root) }()
	fd, err := unix.Openat2(root, "./"+name, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | uint64(flags),
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
	})
	switch err {
	case nil:
		return os.NewFile(uintptr(fd), name), nil
	case unix.ENOSYS, unix.EPERM, unix.EAGAIN: // an old kernel, a filter of system calls, a concurrent rename
		return r.walk(name, flags)
	}
	return nil, err
}

// Through opens the regular file that a link in /proc leads to, even if its name has
// another file now. name and device are those that the kernel reports for it; 0:
// none.
func Through(pid int, link, name string, device uint64) (*os.File, fs.FileInfo, error) {
	if err := Of("/proc/"+strconv.Itoa(pid)).Refusal(link, name, device); err != nil {
		return nil, nil, err
	}
	return regular.Open(link)
}

// MayHang reports whether a file on a device may be on a mount that does not respond.
func (r *Root) MayHang(device uint64) bool { return !r.safe || unix.Major(device) == 0 && device != 0 }

// Refusal returns why a link in /proc to a file with this path and device must not be
// followed; nil if it may be.
func (r *Root) Refusal(link, name string, device uint64) error {
	if !r.MayHang(device) {
		return nil
	}
	if err := r.mayFollow(link, name); err != nil {
		return err
	}
	return r.mayOpen(link, name, device)
}
