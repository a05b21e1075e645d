package files

import (
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is how many links a name may lead through (MAXSYMLINKS).
const maxLinks = 40

// walk is a look-up by component, because a link may lead to a mount that does not
// respond.
type walk struct {
	root  *Root
	flags int
	fd    int      // of the current directory
	at    string   // its path below the root, without links
	parts []string // remaining components
	links int
}

// walk looks up a name, checking before each component that its mount responds.
func (r *Root) walk(name string, flags int) (*os.File, error) {
	w := walk{root: r, flags: flags, fd: -1, parts: strings.Split(name, "/")}
	if err := w.restart(); err != nil {
		return nil, err
	}
	for len(w.parts) > 0 {
		part := w.parts[0]
		w.parts = w.parts[1:]
		if err := w.step(part); err != nil {
			_ = unix.Close(w.fd)
			return nil, err
		}
	}
	return os.NewFile(uintptr(w.fd), name), nil
}

// restart returns to the root.
func (w *walk) restart() error {
	if err := w.root.mayLook("/", w.ahead("/")); err != nil {
		return err
	}
	fd, err := unix.Open(w.root.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	w.to(fd, "/")
	return nil
}

func (w *walk) to(fd int, at string) {
	if w.fd >= 0 {
		_ = unix.Close(w.fd)
	}
	w.fd, w.at = fd, at
}

// ahead returns the whole path that continues from a directory.
func (w *walk) ahead(at string) string {
	return path.Join(w.root.path, at, strings.Join(w.parts, "/"))
}

// step looks up one component.
func (w *walk) step(part string) error {
	switch part {
	case "", ".":
		return nil
	case "..":
		return w.goTo(path.Dir(w.at))
	}
	next := path.Join(w.at, part)
	if err := w.root.mayLook(next, w.ahead(next)); err != nil {
		return err
	}
	fd, err := unix.Openat(w.fd, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	link, err := w.linkAt(fd)
	if err != nil {
		_ = unix.Close(fd)
		return err
	}
	if link == "" {
		w.to(fd, next)
		return nil
	}
	_ = unix.Close(fd)
	return w.follow(link)
}

// linkAt returns the target of a link that is to be followed; "" if it is none.
func (w *walk) linkAt(fd int) (string, error) {
	if len(w.parts) == 0 && w.flags&unix.O_NOFOLLOW != 0 {
		return "", nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return "", err
	}
	if w.links++; w.links > maxLinks {
		return "", unix.ELOOP
	}
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC {
		return "", unix.ELOOP // it may lead anywhere, whatever it says: see RESOLVE_NO_MAGICLINKS
	}
	var b [unix.PathMax]byte
	n, err := unix.Readlinkat(fd, "", b[:])
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	return string(b[:max(n, 0)]), err
}

// follow continues with a link's target.
func (w *walk) follow(link string) error {
	w.parts = append(strings.Split(link, "/"), w.parts...)
	if path.IsAbs(link) {
		return w.restart()
	}
	return nil
}

// goTo returns to a directory that was passed.
func (w *walk) goTo(folder string) error {
	w.parts = append(strings.Split(folder, "/"), w.parts...)
	return w.restart()
}
