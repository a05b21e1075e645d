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

// maxHolderLists bounds how often the processes are listed: those that came
// meanwhile may have been given what others had.
const maxHolderLists = 8

// Owners finds the processes that have ends of pipes and sockets open, by looking
// at each descriptor of each process once. It returns nil if that is not done before
// until; with the zero time it takes as long as it takes.
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

// search looks for ends.
type search struct {
	found map[task.Endpoint]task.Owners
	files map[string]bool // the files of the ends in found
	fifos bool            // some are named pipes
	asked map[int]bool    // processes
	until time.Time       // zero: there is no limit
	late  bool            // until came before the end
}

// all asks every process, and reports whether that was possible.
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

// initVisible reports whether /proc has all processes: mounted with hidepid it does
// not have other users', as the first one.
func initVisible() bool {
	_, err := os.Stat("/proc/1/stat")
	return os.Geteuid() == 0 || err == nil
}

// ask looks at the descriptors of one process, and says false when it may not.
func (s *search) ask(pid int) bool {
	proc, err := OpenDir("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return !isDenied(err) // it has ended
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

// hasNoFiles reports whether a process has none open: a thread of the kernel's, or
// what has ended.
func hasNoFiles(proc Dir) bool {
	st, ok := proc.stat()
	return !ok || st.flags&kernelThread != 0 || threadState(st.state) == task.Ended
}

// openMode is for what a descriptor is open, as the mode of its link tells
// (proc_fd_instantiate, fs/proc/fd.c); 0 when it is no more.
func openMode(dir Dir, fd int) uint32 {
	var st unix.Stat_t
	if unix.Fstatat(dir.fd, strconv.Itoa(fd), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return 0
	}
	return st.Mode
}

// meet notes a process that has a file open, of a pipe one or both ends.
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

// fifoPrefix begins what a named pipe is called here: by its number on its device, for it
// may have several paths.
const fifoPrefix = "fifo:["

// fifoAt is the named pipe that a link in a folder of /proc leads to; empty where it is
// none. The server of a file is not asked, which might not answer.
func fifoAt(dir Dir, link string) string {
	var st unix.Statx_t
	err := unix.Statx(dir.fd, link, unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_INO, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return ""
	}
	return fmt.Sprintf("%s%d:%d:%d]", fifoPrefix, st.Dev_major, st.Dev_minor, st.Ino)
}

// isPipe reports whether what a file is called is a pipe, which has an end to read and one
// to write.
func isPipe(file string) bool {
	return strings.HasPrefix(file, "pipe:") || strings.HasPrefix(file, fifoPrefix)
}
