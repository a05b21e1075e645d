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

// Root is a root folder, that of a process, below which names are looked up.
type Root struct {
	path string
	*view
}

// view is what the mounts below a root are.
type view struct {
	table  mounts.Table
	ours   mounts.Table // of this program
	prefix string       // the root's own path in the table, where that is not "/"
	safe   bool         // all answer, for nobody is asked
	asked  sync.Map     // by ID of a mount: questions
}

// Of returns the root of a process or thread, by its folder in /proc.
func Of(proc string) *Root { return &Root{proc + "/root", viewOf(proc)} }

// ours returns the root of this program.
func ours() *Root { return &Root{"/", viewOf("/proc/self")} }

// below returns the root that a folder is, and the name below it.
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
	defer func() { _ = seen.Close() }() // it was only looked at
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
	defer func() { _ = seen.Close() }() // it was only looked at
	return regular.Reopen(seen, path.Join(r.path, name))
}

// Look looks a name up, and opens nothing: see O_PATH in open(2). With O_NOFOLLOW the last
// part may be a link.
func (r *Root) Look(name string, flags int) (*os.File, error) {
	if !path.IsAbs(name) && r.path == "/" { // below the working folder
		if dir, err := unix.Getwd(); err == nil { // os.Getwd asks the file system
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
	case unix.ENOSYS, unix.EPERM, unix.EAGAIN: // an old kernel, a filter of calls, a rename meanwhile
		return r.walk(name, flags)
	}
	return nil, err
}

// Through opens the regular file that a link of /proc leads to, whatever its name leads
// to now. Its path and its device are those that the kernel tells of it; 0: it tells none.
func Through(pid int, link, name string, device uint64) (*os.File, fs.FileInfo, error) {
	if err := Of("/proc/"+strconv.Itoa(pid)).Refusal(link, name, device); err != nil {
		return nil, nil, err
	}
	return regular.Open(link)
}

// MayHang reports whether a file of a device may be on a mount that does not answer.
func (r *Root) MayHang(device uint64) bool { return !r.safe || unix.Major(device) == 0 && device != 0 }

// Refusal returns why a link of /proc, which leads to a file of this path and device, is not
// to be followed; nil where it may be.
func (r *Root) Refusal(link, name string, device uint64) error {
	if !r.MayHang(device) {
		return nil
	}
	if err := r.mayFollow(link, name); err != nil {
		return err
	}
	return r.mayOpen(link, name, device)
}
