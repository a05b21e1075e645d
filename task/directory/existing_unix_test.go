//go:build unix

package directory

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestExisting opens what a name stands for without waiting and without following, and
// refuses what is not wanted.
func TestExisting(t *testing.T) {
	d := openTemp(t)
	if err := errors.Join(os.WriteFile(d.Join("file"), []byte("kept"), 0o600), os.Symlink("file", d.Join("link")),
		os.Symlink("none", d.Join("dangling")), os.Mkdir(d.Join("dir"), 0o700), syscall.Mkfifo(d.Join("pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"file": nil, "link": ErrLink, "dangling": ErrLink, "dir": syscall.EISDIR, "pipe": ErrNoReader, "none": syscall.ENOENT,
		"dir/../file": syscall.EINVAL, "..": syscall.EINVAL,
	} {
		f, info, err := d.OpenToWrite(name)
		if !errors.Is(err, want) {
			t.Errorf("to write: %s: %v", name, err)
		}
		if err == nil {
			if _, err := f.Write([]byte(", too")); err != nil || info.Size() != 4 {
				t.Errorf("%v, %v", info, err)
			}
			_ = f.Close()
		}
	}
	for _, name := range []string{"link", "dangling", "dir", "pipe"} {
		for what, open := range map[string]func() error{
			"read": func() error { _, _, err := d.OpenToRead(name); return err },
			"lock": func() error { _, err := d.OpenLock(name); return err },
			"old":  func() error { _, err := d.Old(name); return err },
		} {
			if err := open(); !errors.Is(err, ErrNotRegular) && !(what == "lock" && name == "dir" && errors.Is(err, syscall.EISDIR)) {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
	if info, err := d.Old("none"); info != nil || err != nil {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := d.Old("file"); err != nil || info.Size() != 9 {
		t.Errorf("%v, %v", info, err)
	}
	f, err := d.OpenLock("lock")
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if b, err := os.ReadFile(d.Join("file")); string(b) != "kept, too" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := os.Lstat(d.Join("none")); err == nil {
		t.Error("a link was followed")
	}
}
