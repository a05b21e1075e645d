//go:build unix

package directory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// other is a user who is not there.
const other = 4242

// made is a directory (its name ends in a slash), a link (NAME -> TARGET) or a file.
type made struct {
	name string
	mode fs.FileMode // permissions and [fs.ModeSticky]; 0: as it comes
	uid  int         // 0: this user
}

// build makes them below a directory of this user's, and gives them to their users.
func build(t *testing.T, all ...made) string {
	t.Helper()
	root := t.TempDir()
	for _, m := range all {
		name, target, isLink := strings.Cut(m.name, " -> ")
		path := filepath.Join(root, name)
		var err error
		switch {
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", root), path)
		case strings.HasSuffix(name, "/"):
			err = os.Mkdir(path, 0o755)
		default:
			err = os.WriteFile(path, nil, 0o600)
		}
		if err == nil && m.mode != 0 {
			err = os.Chmod(path, m.mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range all {
		name, _, _ := strings.Cut(m.name, " -> ")
		if err := os.Lchown(filepath.Join(root, name), orOurs(m.uid), -1); errors.Is(err, syscall.EPERM) {
			t.Skip("needs root: it gives files away")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func orOurs(uid int) int {
	if uid == 0 {
		return os.Geteuid()
	}
	return uid
}

// TestReplaceable: a part of a path is refused where another user could replace it, and
// named; what only root and this user could is gone through.
func TestReplaceable(t *testing.T) {
	const sticky = fs.ModeSticky
	for name, test := range map[string]struct {
		tree []made
		path string
		part string // that is refused; empty: none
		by   string
	}{
		"own directories":                {[]made{{name: "a/"}, {name: "a/b/"}}, "a/b", "", ""},
		"another's directory":            {[]made{{name: "a/", uid: other}}, "a", "", ""},
		"in another's directory":         {[]made{{name: "a/", uid: other}, {name: "a/b/"}}, "a/b", "a/b", "4242, whose directory"},
		"his, in his":                    {[]made{{name: "a/", uid: other}, {name: "a/b/", uid: other}}, "a/b", "a/b", "4242, whose directory"},
		"in another's sticky directory":  {[]made{{name: "a/", uid: other, mode: sticky | 0o777}, {name: "a/b/"}}, "a/b", "a/b", "4242, whose directory"},
		"own, in a sticky directory":     {[]made{{name: "a/", mode: sticky | 0o777}, {name: "a/b/"}}, "a/b", "", ""},
		"another's, in a sticky one":     {[]made{{name: "a/", mode: sticky | 0o777}, {name: "a/b/", uid: other}}, "a/b", "a/b", "4242, whose it is"},
		"where anybody may write":        {[]made{{name: "a/", mode: 0o777}, {name: "a/b/"}}, "a/b", "a/b", "anybody"},
		"a directory for all at the end": {[]made{{name: "a/", mode: 0o777}}, "a", "", ""},
		"own link":                       {[]made{{name: "a/"}, {name: "a/b/"}, {name: "l -> a"}}, "l/b", "", ""},
		"own absolute link":              {[]made{{name: "a/"}, {name: "a/b/"}, {name: "l -> ROOT/a"}}, "l/b", "", ""},
		"link up":                        {[]made{{name: "a/"}, {name: "b/"}, {name: "a/l -> ../b"}}, "a/l", "", ""},
		"the parent of what is linked":   {[]made{{name: "a/"}, {name: "a/b/"}, {name: "a/c/"}, {name: "l -> a/b"}}, "l/../c", "", ""},
		"another's link":                 {[]made{{name: "a/"}, {name: "l -> a", uid: other}}, "l", "l", "4242, whose symbolic link"},
		"another's link, sticky":         {[]made{{name: "s/", mode: sticky | 0o777}, {name: "s/l -> ..", uid: other}}, "s/l", "s/l", "4242"},
		"own link, sticky":               {[]made{{name: "s/", mode: sticky | 0o777}, {name: "s/l -> .."}}, "s/l", "", ""},
		"a link to what is another's":    {[]made{{name: "a/", uid: other}, {name: "a/b/"}, {name: "l -> a/b"}}, "l", "a/b", "4242"},
	} {
		t.Run(name, func(t *testing.T) {
			root := build(t, test.tree...)
			d, err := Open(root + "/" + test.path)
			var replaceable *ReplaceableError
			switch {
			case test.part == "":
				if err != nil {
					t.Fatal(err)
				}
				want, _ := os.Stat(root + "/" + test.path)
				if got, err := d.Stat(); err != nil || !os.SameFile(got, want) {
					t.Errorf("it is %v, %v", got, err)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			case !errors.As(err, &replaceable) || replaceable.Path != filepath.Join(root, test.part) || !strings.Contains(replaceable.By, test.by):
				t.Errorf("error %v, want one of %s by %s", err, test.part, test.by)
			case replaceable.Link != strings.Contains(name, "another's link"), replaceable.Link == strings.Contains(err.Error(), "cd"):
				t.Errorf("%v", err)
			}
		})
	}
}

// TestOtherErrors are the system's.
func TestOtherErrors(t *testing.T) {
	root := build(t, made{name: "file"}, made{name: "loop -> loop"}, made{name: "nowhere -> none"})
	for path, want := range map[string]error{
		"none": syscall.ENOENT, "none/x": syscall.ENOENT, "file": syscall.ENOTDIR, "file/x": syscall.ENOTDIR,
		"loop": syscall.ELOOP, "nowhere": syscall.ENOENT,
	} {
		if d, err := Open(filepath.Join(root, path)); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v; want %v", path, d, err, want)
		}
	}
	if _, err := Make(filepath.Join(root, "file/x")); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("made below a file: %v", err)
	}
}

// TestMake makes what is missing, for its owner alone, and nothing where another user
// could replace it.
func TestMake(t *testing.T) {
	root := build(t, made{name: "his/", uid: other}, made{name: "l -> new"}, made{name: "s/", mode: fs.ModeSticky | 0o777})
	for _, path := range []string{"a/b/c", "l/d", "s/e/f"} {
		d, err := Make(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		info, err := d.Stat()
		if err != nil || info.Mode().Perm() != dirMode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		_ = d.Close()
	}
	if _, err := Make(filepath.Join(root, "his/a/b")); !errors.As(err, new(*ReplaceableError)) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(root, "his")); err != nil || len(left) > 0 {
		t.Errorf("made: %v, %v", left, err)
	}
}

// TestRelative: the working directory is held by this program, whosever it is and whoever
// could replace it, but not what is in it.
func TestRelative(t *testing.T) {
	root := build(t, made{name: "his/", uid: other}, made{name: "his/own/"}, made{name: "his/own/x/"}, made{name: "own/"})
	t.Chdir(filepath.Join(root, "his"))
	if d, err := Open("."); err != nil {
		t.Error(err)
	} else {
		_ = d.Close()
	}
	var replaceable *ReplaceableError
	if _, err := Open("own/x"); !errors.As(err, &replaceable) || replaceable.Path != "own" {
		t.Errorf("error %v", err)
	}
	if d, err := Open("../own"); err != nil {
		t.Error(err)
	} else {
		_ = d.Close()
	}
	t.Chdir(filepath.Join(root, "his/own"))
	if d, err := Make("x/new"); err != nil {
		t.Error(err)
	} else {
		_ = d.Close()
	}
}

// TestGroups: who may write by a group counts, but in a group of one's own.
func TestGroups(t *testing.T) {
	root := build(t, made{name: "a/", mode: 0o775}, made{name: "a/b/"})
	path := filepath.Join(root, "a")
	open := func() error {
		d, err := Open(filepath.Join(path, "b"))
		if err == nil {
			_ = d.Close()
		}
		return err
	}
	if err := os.Chown(path, -1, other); err != nil {
		t.Skip("needs root: it gives files away")
	}
	if err := open(); err == nil || !strings.Contains(err.Error(), "members of group 4242") {
		t.Errorf("error %v", err)
	}
	if err := errors.Join(os.Chown(path, -1, 0), os.Chmod(path, 0o775)); err != nil {
		t.Fatal(err)
	}
	if err := open(); err != nil {
		t.Error(err)
	}
}

// TestPrivateGroup reads who has a group.
func TestPrivateGroup(t *testing.T) {
	dir := t.TempDir()
	users, groups := filepath.Join(dir, "passwd"), filepath.Join(dir, "group")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(users, "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/:/bin/sh\nbob:x:1001:1001::/:\ncat:x:1002:100::/:\ndan:x:1003:100::/:\neve:x:1004:1004::/:\n")
	write(groups, "root:x:0:\nann:x:1000:\nbob:x:1001:bob\nusers:x:100:\neve:x:1004:eve,ann\nteam:x:50:ann\n")
	for _, test := range []struct {
		gid, uid int
		want     bool
	}{
		{1000, 1000, true}, {1001, 1001, true}, {1000, 1001, false}, {100, 1002, false}, {1004, 1004, false},
		{50, 1000, false}, {77, 1000, false}, {0, 0, true},
	} {
		if got := isPrivate(users, groups, test.gid, test.uid); got != test.want {
			t.Errorf("group %d of user %d: %v", test.gid, test.uid, got)
		}
	}
}

// TestRefuseShared: a directory is this user's alone, or not.
func TestRefuseShared(t *testing.T) {
	root := build(t, made{name: "own/", mode: 0o755}, made{name: "his/", uid: other}, made{name: "all/", mode: fs.ModeSticky | 0o777})
	for name, want := range map[string]string{"own": "", "his": "belongs to user 4242", "all": "by anybody"} {
		d, err := Open(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.RefuseShared(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		_ = d.Close()
	}
}

// TestRefuseLeft: what another user has left where all may write is not written to; what
// is in his own directory, or in this user's, is.
func TestRefuseLeft(t *testing.T) {
	sticky := fs.ModeSticky | 0o777
	root := build(t, made{name: "s/", mode: sticky}, made{name: "s/own"}, made{name: "s/his", uid: other},
		made{name: "a/"}, made{name: "a/his", uid: other}, made{name: "h/", mode: sticky, uid: other}, made{name: "h/his", uid: other},
		made{name: "t/", mode: fs.ModeSticky | 0o755}, made{name: "t/his", uid: other})
	for path, ok := range map[string]bool{"s/own": true, "s/his": false, "a/his": true, "h/his": true, "t/his": true} {
		d, err := Open(filepath.Join(root, filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		info, err := d.Lstat(filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.RefuseLeft(info); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
		_ = d.Close()
	}
}
