//go:build linux

package e2e

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// Requests of FUSE (enum fuse_opcode, include/uapi/linux/fuse.h).
const (
	fuseLookup    = 1
	fuseForget    = 2
	fuseGetattr   = 3
	fuseOpen      = 14
	fuseRead      = 15
	fuseInit      = 26
	fuseInterrupt = 36
)

const silentSize = 1 << 20

// silentFile mounts a file system with one file, whose server answers everything but
// reads, and returns the path of the file. What waits for it cannot be killed before it
// is taken away by end.
func silentFile(t *testing.T) (path string, end func()) {
	t.Helper()
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		needs.Feature(t, "/dev/fuse", err, fs.ErrNotExist, fs.ErrPermission, syscall.ENODEV)
	}
	dir := t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", fd, os.Getuid(), os.Getgid())
	if err := syscall.Mount("silent", dir, "fuse.silent", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		_ = syscall.Close(fd)
		needs.Feature(t, "mounts", err, fs.ErrPermission)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveSilently(fd)
	}()
	end = sync.OnceFunc(func() {
		_ = syscall.Unmount(dir, syscall.MNT_FORCE) // which ends the requests under way
		_ = syscall.Unmount(dir, syscall.MNT_DETACH)
		<-done
		_ = syscall.Close(fd)
	})
	t.Cleanup(end)
	return filepath.Join(dir, "file"), end
}

// serveSilently answers until the file system is gone.
func serveSilently(fd int) {
	in := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(fd, in)
		if err == syscall.EINTR || err == syscall.ENOENT {
			continue
		}
		if err != nil || n < 40 {
			return // ENODEV: it is unmounted
		}
		if out := silentAnswer(binary.LittleEndian.Uint32(in[4:]), in[8:16], binary.LittleEndian.Uint64(in[16:])); out != nil {
			_, _ = syscall.Write(fd, out)
		}
	}
}

// silentAnswer is struct fuse_out_header and what follows; nil: none.
func silentAnswer(opcode uint32, unique []byte, node uint64) []byte {
	le := binary.LittleEndian
	body, failed := []byte{}, int32(0)
	switch opcode {
	case fuseForget, fuseInterrupt, fuseRead:
		return nil
	case fuseInit: // struct fuse_init_out of version 7.31
		body = make([]byte, 64)
		le.PutUint32(body, 7)
		le.PutUint32(body[4:], 31)
		le.PutUint32(body[20:], 4096) // max_write
	case fuseLookup: // struct fuse_entry_out
		body = append(le.AppendUint64(nil, 2), make([]byte, 32)...)
		body = append(body, silentAttributes(2)...)
	case fuseGetattr: // struct fuse_attr_out
		body = append(make([]byte, 16), silentAttributes(node)...)
	case fuseOpen: // struct fuse_open_out
		body = make([]byte, 16)
	default:
		failed = -int32(syscall.ENOSYS)
	}
	out := le.AppendUint32(nil, uint32(16+len(body)))
	out = le.AppendUint32(out, uint32(failed))
	return append(append(out, unique...), body...)
}

// silentAttributes is struct fuse_attr.
func silentAttributes(node uint64) []byte {
	le := binary.LittleEndian
	b := make([]byte, 88)
	le.PutUint64(b, node)
	mode := uint32(syscall.S_IFDIR | 0o755)
	if node != 1 {
		le.PutUint64(b[8:], silentSize)
		mode = syscall.S_IFREG | 0o644
	}
	le.PutUint32(b[60:], mode)
	le.PutUint32(b[64:], 1) // links
	return b
}
