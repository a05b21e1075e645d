//go:build linux

package procfs

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/files"
)

// maxHolderLists bounds how often the processes are listed: a process that was started meanwhile
// may have been given the descriptors of others.
const maxHolderLists = 8

// Owners finds the processes that have ends of pipes and sockets open, by checking each
// descriptor of each process once. It returns nil if it does not finish before until; the zero
// time sets no limit.
func Owners(ends []task.Endpoint, until time.Time) map[task.Endpoint]task.Owners {
	s := search{until: until, found: map[task.Endpoint]task.Owners{}, files: map[string]bool{}, asked: map[int]bool{}}
	for _, e := range ends {
		s.found[e], s.files[e.File] = task.Owners{}, true
		s.fifos = s.fifos || strings.HasPrefix(e.File, fifoPrefix)
	}
	whole := len(ends) == 0 || s.all()
	switch {
	case s.late:
		return nil
	case !whole:
		for e, h := range s.found {
			h.Unseen = true
			s.found[e] = h
		}
	}
	return s.found
}

// search is the state of one search for the owners of endpoints.
type search struct {
	found map[task.Endpoint]task.Owners
	files map[string]bool // the files of the ends in found
	fifos bool            // some are named pipes
	asked map[int]bool    // processes
	until time.Time       // zero: there is no limit
	late  bool            // until came before the end

	entries [32 << 10]byte     // of a directory
	link    [unix.PathMax]byte // where a descriptor leads

	root   *files.Root // of the process rootOf
	rootOf int
}

// all searches every process, and reports whether that was possible.
func (s *search) all() bool {
	seen := initVisible()
	proc, err := OpenDir("/proc")
	if err != nil {
		return false
	}
	defer proc.Close()
	for range maxHolderLists {
		fresh := slices.DeleteFunc(proc.Numbers(), func(pid int) bool { return s.asked[pid] })
		if len(fresh) == 0 {
			return seen && len(s.asked) > 0
		}
		for _, pid := range fresh {
			if s.late = s.isLate(); s.late {
				return false
			}
			s.asked[pid] = true
			seen = s.ask(proc, pid) && seen
		}
	}
	return false
}

func (s *search) isLate() bool { return !s.until.IsZero() && time.Now().After(s.until) }

// initVisible reports whether /proc shows all processes. If it is mounted with hidepid, it hides
// those of other users, such as the first one.
func initVisible() bool {
	_, err := os.Stat("/proc/1/stat")
	return os.Geteuid() == 0 || err == nil
}

// ask looks at the descriptors of one process, and says false when it may not.
func (s *search) ask(proc Dir, pid int) bool {
	dir, err := openDirAt(proc.fd, strconv.Itoa(pid)+"/fd")
	if err != nil {
		return !isDenied(err) || hasNoFiles(proc, pid) // else it has ended
	}
	defer dir.Close()
	for entry := range dir.names(s.entries[:]) {
		link, errno := readlinkRaw(dir.fd, entry, s.link[:])
		switch {
		case errno == unix.EACCES || errno == unix.EPERM:
			return hasNoFiles(proc, pid)
		case errno != 0: // it was closed
		case s.fifos && len(link) > 0 && link[0] == '/':
			s.askFIFO(dir, pid, nameOf(entry), string(link))
		case s.files[string(link)]:
			s.meet(pid, string(link), openMode(dir, nameOf(entry)))
		}
	}
	return true
}

// askFIFO looks at a descriptor of something that has a path, which may be a named pipe.
func (s *search) askFIFO(dir Dir, pid int, fd, path string) {
	if s.rootOf != pid {
		s.rootOf, s.root = pid, files.Of("/proc/"+strconv.Itoa(pid))
	}
	if mayNotAsk(func() *files.Root { return s.root }, fmt.Sprintf("/proc/%d/fd/%s", pid, fd), path) {
		return
	}
	if link := fifoAt(dir, fd); s.files[link] {
		s.meet(pid, link, openMode(dir, fd))
	}
}

// hasNoFiles reports whether a process has none open: a thread of the kernel's, or
// what has ended.
func hasNoFiles(proc Dir, pid int) bool {
	dir, err := openDirAt(proc.fd, strconv.Itoa(pid))
	if err != nil {
		return !isDenied(err)
	}
	defer dir.Close()
	st, ok := dir.stat()
	return !ok || st.flags&kernelThread != 0 || threadState(st.state) == task.Ended
}

// openMode is for what a descriptor is open, as the mode of its link tells
// (proc_fd_instantiate, fs/proc/fd.c); 0 when it is no more.
func openMode(dir Dir, fd string) uint32 {
	var st unix.Stat_t
	if unix.Fstatat(dir.fd, fd, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return 0
	}
	return st.Mode
}

// meet records that a process has a file open; for a pipe, which ends it has open.
func (s *search) meet(pid int, link string, mode uint32) {
	ends := []task.Endpoint{{File: link}}
	if isPipe(link) {
		ends = ends[:0]
		if mode&unix.S_IRUSR != 0 {
			ends = append(ends, task.Endpoint{File: link})
		}
		if mode&unix.S_IWUSR != 0 {
			ends = append(ends, task.Endpoint{File: link, Writes: true})
		}
	}
	for _, e := range ends {
		h, wanted := s.found[e]
		if wanted && !slices.Contains(h.PIDs, pid) {
			h.PIDs = append(h.PIDs, pid)
			slices.Sort(h.PIDs)
			s.found[e] = h
		}
	}
}

// fifoPrefix begins the name of a named pipe in [task.Endpoint]. A named pipe is identified by
// device and inode, because it may have several paths.
const fifoPrefix = "fifo:["

// fifoAt returns the name of the named pipe that a link in a directory of /proc refers to; "" if
// it refers to something else. It does not ask the server of a network file, which might not
// answer.
func fifoAt(dir Dir, link string) string {
	var st unix.Statx_t
	err := unix.Statx(dir.fd, link, unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_INO, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return ""
	}
	return fmt.Sprintf("%s%d:%d:%d]", fifoPrefix, st.Dev_major, st.Dev_minor, st.Ino)
}

// isPipe reports whether a File of [task.Endpoint] is a pipe, which has a read end and a write
// end.
func isPipe(file string) bool {
	return strings.HasPrefix(file, "pipe:") || strings.HasPrefix(file, fifoPrefix)
}
