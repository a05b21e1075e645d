//go:build linux

// Package fusetest mounts file systems for tests, whose server stops responding on request. A
// process that waits for it cannot be killed until the mount is removed.
package fusetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// FS is a mounted file system with one directory.
type FS struct {
	Dir    string
	fd     int
	names  []string // the node of a file is its index plus 2
	bodies [][]byte
	silent atomic.Bool
	deaf   atomic.Bool
	done   chan struct{} // closed when the server has stopped
	end    func()
}

// Mount mounts a file system with these files in a temporary directory. It is unmounted at
// the end of the test, or by the kernel when this program ends.
func Mount(t *testing.T, files map[string][]byte) *FS {
	t.Helper()
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		needs.Feature(t, "/dev/fuse", err, fs.ErrNotExist, fs.ErrPermission, syscall.ENODEV)
	}
	f := &FS{Dir: t.TempDir(), fd: fd}
	for name, body := range files {
		f.names, f.bodies = append(f.names, name), append(f.bodies, body)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", fd, os.Getuid(), os.Getgid())
	if err := syscall.Mount("test", f.Dir, "fuse.test", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		_ = syscall.Close(fd)
		needs.Feature(t, "mounts", err, fs.ErrPermission)
	}
	f.done = make(chan struct{})
	go func() { defer close(f.done); f.serve() }()
	number, control := connection(t, f.Dir), t.TempDir()
	f.end = sync.OnceFunc(func() {
		abort(t, control, number)
		_ = syscall.Unmount(f.Dir, syscall.MNT_DETACH)
		<-f.done
		_ = syscall.Close(fd)
	})
	t.Cleanup(f.end)
	return f
}

// connection returns the number of a mount's FUSE connection, which is that of its device.
func connection(t *testing.T, dir string) string {
	var st syscall.Stat_t
	if err := syscall.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	return strconv.FormatUint(st.Dev&0xff|st.Dev>>12&^0xff, 10)
}

// abort ends the requests under way and all later ones, even if the mount no longer has a name
// (Documentation/filesystems/fuse/fuse.rst).
func abort(t *testing.T, control, number string) {
	if err := syscall.Mount("none", control, "fusectl", 0, ""); err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = syscall.Unmount(control, syscall.MNT_DETACH) }()
	if err := os.WriteFile(filepath.Join(control, number, "abort"), []byte("1"), 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Silence makes the server answer no more requests. It still receives them.
func (f *FS) Silence() { f.silent.Store(true) }

// Deafen stops the server, so that requests are not even received: processes that wait for them
// can be killed.
func (f *FS) Deafen() { f.deaf.Store(true); <-f.done }

// End removes the file system, and wakes everything that waits for it.
func (f *FS) End() { f.end() }

// serve answers requests until the file system is removed.
func (f *FS) serve() {
	in := make([]byte, 1<<20)
	for !f.deaf.Load() {
		const often = 20 // milliseconds
		ready := []unix.PollFd{{Fd: int32(f.fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(ready, often); n == 0 || err == unix.EINTR {
			continue
		}
		n, err := syscall.Read(f.fd, in)
		if err == syscall.EINTR || err == syscall.ENOENT {
			continue
		}
		if err != nil || n < headerSize {
			return // ENODEV: it was unmounted
		}
		if out := f.answer(in[:n]); out != nil && !f.silent.Load() {
			_, _ = syscall.Write(f.fd, out)
		}
	}
}

// Requests (enum fuse_opcode, include/uapi/linux/fuse.h).
const (
	lookup     = 1
	forget     = 2
	getattr    = 3
	open       = 14
	read       = 15
	statfs     = 17
	release    = 18
	initialize = 26
	opendir    = 27
	readdir    = 28
	releasedir = 29
	interrupt  = 36
	poll       = 40
	forgets    = 42

	headerSize = 40
	rootNode   = 1
	firstFile  = 2
)

// answer returns a struct fuse_out_header and what follows it; nil: no answer.
func (f *FS) answer(in []byte) []byte {
	le := binary.LittleEndian
	node, body, failed := le.Uint64(in[16:]), []byte{}, syscall.Errno(0)
	switch le.Uint32(in[4:]) {
	case forget, forgets, interrupt, poll: // a process that polls waits until the file system ends
		return nil
	case initialize: // struct fuse_init_out of version 7.31
		body = make([]byte, 64)
		le.PutUint32(body, 7)
		le.PutUint32(body[4:], 31)
		le.PutUint32(body[20:], 4096) // max_write
	case lookup:
		body, failed = f.entry(strings.TrimRight(string(in[headerSize:]), "\x00"))
	case getattr: // struct fuse_attr_out
		body = append(make([]byte, 16), f.attributes(node)...)
	case open, opendir: // struct fuse_open_out
		body = make([]byte, 16)
	case read:
		body = f.part(node, le.Uint64(in[headerSize+8:]), le.Uint32(in[headerSize+16:]))
	case statfs: // struct fuse_statfs_out
		body = make([]byte, 80)
	case release, releasedir, readdir:
	default:
		failed = syscall.ENOSYS
	}
	out := le.AppendUint32(nil, uint32(16+len(body)))
	out = le.AppendUint32(out, uint32(-int32(failed)))
	return append(append(out, in[8:16]...), body...)
}

// entry returns a struct fuse_entry_out that the kernel does not cache.
func (f *FS) entry(name string) ([]byte, syscall.Errno) {
	i := slices.Index(f.names, name)
	if i < 0 {
		return nil, syscall.ENOENT
	}
	node := uint64(i + firstFile)
	b := append(binary.LittleEndian.AppendUint64(nil, node), make([]byte, 32)...)
	return append(b, f.attributes(node)...), 0
}

func (f *FS) body(node uint64) []byte {
	if node < firstFile || node-firstFile >= uint64(len(f.bodies)) {
		return nil
	}
	return f.bodies[node-firstFile]
}

func (f *FS) part(node, from uint64, size uint32) []byte {
	all := f.body(node)
	from = min(from, uint64(len(all)))
	return all[from:min(uint64(len(all)), from+uint64(size))]
}

// attributes returns a struct fuse_attr.
func (f *FS) attributes(node uint64) []byte {
	le, b := binary.LittleEndian, make([]byte, 88)
	le.PutUint64(b, node)
	mode := uint32(syscall.S_IFDIR | 0o755)
	if node != rootNode {
		le.PutUint64(b[8:], uint64(len(f.body(node))))
		mode = syscall.S_IFREG | 0o755
	}
	le.PutUint32(b[60:], mode)
	le.PutUint32(b[64:], 1)    // links
	le.PutUint32(b[80:], 4096) // block size
	return b
}
