//go:build linux

package procfs

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	files map[string]bool // the File of each endpoint in found
	fifos bool            // some of files are named pipes
	asked map[int]bool    // processes that were searched
	until time.Time       // zero: no limit
	late  bool            // until passed before the end of the search
}

// all searches every process, and reports whether that was possible.
func (s *search) all() bool {
	seen := initVisible()
	for range maxHolderLists {
		pids, err := PIDs()
		if err != nil {
			return false
		}
		fresh := slices.DeleteFunc(pids, func(pid int) bool { return s.asked[pid] })
		if len(fresh) == 0 {
			return seen
		}
		for _, pid := range fresh {
			if s.late = s.isLate(); s.late {
				return false
			}
			s.asked[pid] = true
			seen = s.ask(pid) && seen
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

// ask checks the descriptors of one process. It returns false if they may not be read.
func (s *search) ask(pid int) bool {
	proc, err := OpenDir("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return !isDenied(err) // with another error it has ended
	}
	defer proc.Close()
	dir, err := openDirAt(proc.fd, "fd")
	if err != nil {
		return hasNoFiles(proc) || !isDenied(err)
	}
	defer dir.Close()
	root := sync.OnceValue(func() *files.Root { return files.Of("/proc/" + strconv.Itoa(pid)) })
	for _, fd := range dir.Numbers() {
		link, err := dir.readlink(strconv.Itoa(fd))
		if isDenied(err) {
			return hasNoFiles(proc)
		}
		if s.fifos && strings.HasPrefix(link, "/") {
			if mayNotAsk(root, fmt.Sprintf("/proc/%d/fd/%d", pid, fd), link) {
				continue
			}
			link = fifoAt(dir, strconv.Itoa(fd))
		}
		if err == nil && s.files[link] {
			s.meet(pid, link, openMode(dir, fd))
		}
	}
	return true
}

// hasNoFiles reports whether a process has no open files because it is a kernel thread or has
// ended.
func hasNoFiles(proc Dir) bool {
	st, ok := proc.stat()
	return !ok || st.flags&kernelThread != 0 || threadState(st.state) == task.Ended
}

// openMode returns the mode of a descriptor's link, which shows how the file was opened
// (proc_fd_instantiate, fs/proc/fd.c); 0 if it has been closed.
func openMode(dir Dir, fd int) uint32 {
	var st unix.Stat_t
	if unix.Fstatat(dir.fd, strconv.Itoa(fd), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
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
