package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task/fusetest"
	"stacksnap/task/needs"
	"stacksnap/task/regular"
)

const limit = 10 * time.Second // for what would wait for ever

// within fails where something waits, and has all who wait for the mount woken.
func within(t *testing.T, m *fusetest.FS, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		m.End()
		<-done
		t.Error("it waited")
	}
}

// mount mounts a file system, of whose number another may have been.
func mount(t *testing.T, files map[string][]byte) *fusetest.FS {
	t.Helper()
	m := fusetest.Mount(t, files)
	forget()
	return m
}

// silence has a file system answer no more, which is believed to for a while.
func silence(m *fusetest.FS) {
	m.Silence()
	forget()
}

func forget() {
	clear(answers.of)
	clear(views.of)
}

func contents(t *testing.T, root, name string) (string, error) {
	t.Helper()
	f, _, err := Open(root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Error(err)
	}
	return string(b), nil
}

// ownLinks are those of the running program's files, as another process may name them.
var ownLinks = "/proc/" + strconv.Itoa(os.Getpid()) + "/fd/"

// roots are those of the running program, as it may be named.
var roots = []string{"/", "/proc/self/root", "/proc/" + strconv.Itoa(os.Getpid()) + "/root"}

func TestOpenOnAMountThatAnswers(t *testing.T) {
	needs.Root(t)
	m := mount(t, map[string][]byte{"file": []byte("text")})
	for _, root := range roots {
		if text, err := contents(t, root, filepath.Join(m.Dir, "file")); text != "text" || err != nil {
			t.Errorf("below %s: %q, %v", root, text, err)
		}
		if _, err := contents(t, root, filepath.Join(m.Dir, "no")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("below %s: %v", root, err)
		}
	}
}

func TestOpenOnASilentMount(t *testing.T) {
	needs.Root(t)
	m := mount(t, map[string][]byte{"file": []byte("text")})
	file := filepath.Join(m.Dir, "file")
	held, err := hold(t, file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.End() // or that would wait
	var st unix.Stat_t
	if err := unix.Fstat(held, &st); err != nil {
		t.Fatal(err)
	}
	silence(m)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(m.Dir, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(link, "file")} {
		for _, root := range roots {
			isSilentAt(t, m, func() error { _, err := contents(t, root, name); return err })
		}
	}
	magic := ownLinks + strconv.Itoa(held)
	for _, name := range []string{file, "/elsewhere"} {
		isSilentAt(t, m, func() error { _, _, err := Through(os.Getpid(), magic, name, st.Dev); return err })
	}
}

func isSilentAt(t *testing.T, m *fusetest.FS, open func() error) {
	t.Helper()
	within(t, m, func() {
		t.Helper()
		var silent *SilentError
		if err := open(); !errors.As(err, &silent) || silent.At != m.Dir || silent.Type != "fuse.test" {
			t.Errorf("error %v", err)
		}
	})
}

// hold opens a file until the test ends, without Go's poller: that asks the server of the
// mount, which is in this process, and keeps it from answering.
func hold(t *testing.T, name string) (int, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		t.Cleanup(func() { _ = unix.Close(fd) })
	}
	return fd, err
}

// TestThroughToAMountThatWasTakenAway: it is in no table any more.
func TestThroughToAMountThatWasTakenAway(t *testing.T) {
	needs.Root(t)
	m := mount(t, map[string][]byte{"file": []byte("text")})
	held, err := hold(t, filepath.Join(m.Dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.End()
	var st unix.Stat_t
	if err := unix.Fstat(held, &st); err != nil {
		t.Fatal(err)
	}
	silence(m)
	if err := unix.Unmount(m.Dir, unix.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	within(t, m, func() {
		magic := ownLinks + strconv.Itoa(held)
		if _, _, err := Through(os.Getpid(), magic, "/file", st.Dev); !errors.As(err, new(*SilentError)) {
			t.Errorf("error %v", err)
		}
	})
}

// TestOpenOnAnOverlay: a layer of it is silent.
func TestOpenOnAnOverlay(t *testing.T) {
	needs.Root(t)
	m, over := mount(t, map[string][]byte{"file": []byte("text")}), t.TempDir()
	err := syscall.Mount("overlay", over, "overlay", syscall.MS_RDONLY, "lowerdir="+t.TempDir()+":"+m.Dir)
	if err != nil {
		needs.Feature(t, "overlays", err, syscall.ENODEV, syscall.EPERM, syscall.EINVAL)
	}
	t.Cleanup(func() { m.End(); _ = syscall.Unmount(over, syscall.MNT_DETACH) })
	file := filepath.Join(over, "file")
	if text, err := contents(t, "/", file); text != "text" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	silence(m)
	isSilentAt(t, m, func() error { _, err := contents(t, "/", file); return err })
}

// TestLook: links lead nowhere out of a root, and the last one may be looked at itself.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "a/b"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("a/file")
	for name, to := range map[string]string{"a/b/up": "../file", "top": "/a/file", "loop": "loop", "out": "../../../a/file", "proc": "/self"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, safe := range []bool{true, false} {
		r := &Root{dir, &view{safe: safe}}
		for _, name := range []string{"/a/file", "a/./b/../file", "/a/b/up", "/top", "out", "/../a//file"} {
			f, _, err := r.Open(name)
			if err != nil {
				t.Errorf("safe %v: %s: %v", safe, name, err)
				continue
			}
			if b, err := io.ReadAll(f); string(b) != "a/file" || err != nil {
				t.Errorf("safe %v: %s: %q, %v", safe, name, b, err)
			}
			f.Close()
		}
		for name, want := range map[string]error{"/loop": unix.ELOOP, "/no": unix.ENOENT, "/a/file/x": unix.ENOTDIR, "/a": regular.ErrDirectory} {
			if _, _, err := r.Open(name); !errors.Is(err, want) {
				t.Errorf("safe %v: %s: %v", safe, name, err)
			}
		}
		f, err := r.Look("/loop", unix.O_NOFOLLOW)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}
