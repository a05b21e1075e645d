package files

import (
	"os"
	"path"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task/mounts"
)

// views caches what processes see mounted, by mount namespace and root. It is shared
// by all who open files, because a system-wide snapshot asks for hundreds of
// processes.
var views = struct {
	sync.Mutex
	of map[string]aged
}{of: map[string]aged{}}

type aged struct {
	*view
	read time.Time
}

const (
	viewAge  = time.Second // after which it is read again
	maxViews = 256
)

// viewOf returns what is mounted below the root of a process, /proc/PID.
func viewOf(proc string) *view {
	space, root, err := whereFrom(proc)
	if err != nil {
		return newView(proc, "", proc == self)
	}
	key := space + " " + root
	views.Lock()
	defer views.Unlock()
	if v, ok := views.of[key]; ok && time.Since(v.read) < viewAge {
		return v.view
	}
	if len(views.of) >= maxViews {
		clear(views.of)
	}
	ownSpace, ownRoot, err := whereFrom(self)
	v := aged{newView(proc, root, err == nil && space == ownSpace && root == ownRoot), time.Now()}
	views.of[key] = v
	return v.view
}

// self is the directory of this program in /proc.
const self = "/proc/self"

// whereFrom returns the mount namespace and the root of a process: processes with the same ones see the
// same mounts.
func whereFrom(proc string) (space, root string, err error) {
	if space, err = os.Readlink(proc + "/ns/mnt"); err == nil {
		root, err = os.Readlink(proc + "/root")
	}
	return space, root, err
}

// newView reads the mounts, ours only if they are others. If the process's root is not a mount, they are
// taken from our own table, below the root's path.
func newView(proc, root string, same bool) *view {
	v := &view{table: readTable(proc)}
	v.ours = v.table
	if !same {
		v.ours = readTable(self)
	}
	if _, ok := v.table.Find("/"); !ok {
		v.table, v.prefix = v.ours, root
	}
	v.safe = !v.table.HasRemote() && !v.ours.HasRemote()
	return v
}

func readTable(proc string) mounts.Table {
	b, err := os.ReadFile(proc + "/mountinfo")
	if err != nil {
		return nil
	}
	return mounts.Parse(b)
}

// mayLook returns why a name below the root must not be looked up; nil if it may be.
// whole is the path to check mounts with.
func (r *Root) mayLook(name, whole string) error {
	for m := range r.table.Way(path.Join("/", r.prefix, name)) {
		if err := r.mayTouch(r.base(), m, whole, name); err != nil {
			return err
		}
	}
	return nil
}

// base returns where the table's root is in our own view.
func (r *Root) base() string {
	if r.prefix != "" {
		return "/"
	}
	return r.path
}

// mayFollow is mayLook for a link in /proc that leads to name, which is below our
// root if the kernel reports no other.
func (r *Root) mayFollow(link, name string) error {
	if r.safe || !path.IsAbs(name) {
		return nil
	}
	for m := range r.ours.Way(name) {
		if err := r.mayTouch("/", m, link, name); err != nil {
			return err
		}
	}
	return r.mayLook(name, link)
}

// mayOpen checks the file's device, because the file may be on a mount that was
// detached and has no path.
func (r *Root) mayOpen(link, name string, device uint64) error {
	number, known := deviceName(device), device == 0
	for i, table := range []mounts.Table{r.table, r.ours} {
		for _, m := range table {
			if m.Device != number {
				continue
			}
			known = true
			if err := r.mayTouch([]string{r.base(), "/"}[i], m, link, name); err != nil {
				return err
			}
		}
	}
	if !known && unix.Major(device) == 0 && isSilent(number, "/", link) {
		return &SilentError{Path: name, Type: "device " + number, At: "a place that is not known"}
	}
	return nil
}

// mayTouch returns why a mount below base must not be touched. whole is the path to
// check it with, as seen by this program.
func (r *Root) mayTouch(base string, m mounts.Mount, whole, name string) error {
	for _, q := range r.questions(m) {
		point := q.point
		if point == "" {
			point = path.Join(base, q.mount.Point)
		}
		if isSilent(q.mount.Device, point, whole) {
			return &SilentError{Path: name, Type: q.mount.Type, At: q.mount.Point}
		}
	}
	return nil
}
