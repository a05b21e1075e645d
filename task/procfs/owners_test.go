//go:build linux

package procfs

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs/sockdiag"
	"stacksnap/task/procfs/sockets"
)

// TestHolders looks for the ends of a pipe and of a pair of sockets, of which this
// process has all.
func TestHolders(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.Close(p[0]), unix.Close(p[1]) }()
	s, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.Close(s[0]), unix.Close(s[1]) }()
	link := func(fd int) string {
		name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	reads, writes := task.Endpoint{File: link(p[0])}, task.Endpoint{File: link(p[0]), Writes: true}
	socket, none := task.Endpoint{File: link(s[1])}, task.Endpoint{File: "pipe:[0]"}
	found := Owners([]task.Endpoint{reads, writes, socket, none}, time.Time{})
	for _, e := range []task.Endpoint{reads, writes, socket} {
		if !slices.Equal(found[e].PIDs, []int{os.Getpid()}) {
			t.Errorf("%+v: %+v", e, found[e])
		}
	}
	if len(found[none].PIDs) > 0 {
		t.Errorf("of none: %+v", found[none])
	}
	if late := Owners([]task.Endpoint{reads}, time.Unix(1, 0)); late != nil {
		t.Errorf("when it is too late: %+v", late)
	}
	_ = unix.Close(p[1])
	if after := Owners([]task.Endpoint{reads, writes}, time.Time{}); len(after[writes].PIDs) > 0 || len(after[reads].PIDs) != 1 {
		t.Errorf("with one end closed: %+v", after)
	}
	p[1] = -1
	peer, ok := sockdiag.UnixPeer(socketNumber(t, link(s[0])))
	if want := socketNumber(t, link(s[1])); !ok || peer != want {
		t.Errorf("peer %d, %t; want %d", peer, ok, want)
	}
}

// TestHoldersOfNamedPipe finds both ends of one by each of its names, and neither in a
// file beside it.
func TestHoldersOfNamedPipe(t *testing.T) {
	path := t.TempDir() + "/fifo"
	must(t, unix.Mkfifo(path, 0o600))
	must(t, os.Link(path, path+".too"))
	must(t, os.WriteFile(path+".file", nil, 0o600))
	open := func(name string, mode int) int {
		t.Helper()
		fd, err := unix.Open(path+name, mode|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		must(t, err)
		return fd
	}
	read, write, file := open("", unix.O_RDONLY), open(".too", unix.O_WRONLY), open(".file", unix.O_RDONLY)
	defer closeFD(read)
	defer closeFD(file)
	p := &Process{live: Dir{openPath(t, "/proc/self")}, folder: "/proc/self"}
	reader, hasReader := p.OtherEnd(write, true)
	writer, hasWriter := p.OtherEnd(read, false)
	if !hasReader || !hasWriter || reader.File != writer.File || reader.Writes || !writer.Writes {
		t.Fatalf("%+v, %v; %+v, %v", reader, hasReader, writer, hasWriter)
	}
	if end, ok := p.OtherEnd(file, false); ok {
		t.Errorf("a file has another end: %+v", end)
	}
	found := Owners([]task.Endpoint{reader, writer}, time.Time{})
	if !slices.Equal(found[reader].PIDs, []int{os.Getpid()}) || !slices.Equal(found[writer].PIDs, []int{os.Getpid()}) {
		t.Errorf("%+v", found)
	}
	closeFD(write)
	if after := Owners([]task.Endpoint{reader, writer}, time.Time{}); len(after[writer].PIDs) > 0 || len(after[reader].PIDs) != 1 {
		t.Errorf("with one end closed: %+v", after)
	}
}

// TestHoldersByStandardInput looks for a program that has an end as its descriptor 0 and
// nowhere else, as behind a | of a shell.
func TestHoldersByStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cat := exec.Command("cat")
	cat.Stdin = r
	if err := cat.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cat.Wait() }()
	defer w.Close()
	link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(r.Fd())))
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	end := task.Endpoint{File: link}
	if h := Owners([]task.Endpoint{end}, time.Time{})[end]; !slices.Equal(h.PIDs, []int{cat.Process.Pid}) {
		t.Errorf("%v, want %d", h.PIDs, cat.Process.Pid)
	}
}

func socketNumber(t *testing.T, link string) uint32 {
	t.Helper()
	inode, ok := sockets.Inode(link)
	if !ok {
		t.Fatal(link)
	}
	n, err := strconv.ParseUint(inode, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}
