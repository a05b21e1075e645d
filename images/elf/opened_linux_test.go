package elf

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"stacksnap/images/object"
)

// sharedLoader loads this process with the files that others have open.
func sharedLoader(o *Opened, roots ...string) Loader {
	l := LiveLoader(os.Getpid())
	l.Opened = o
	if len(roots) > 0 {
		l.Roots = roots
	}
	return l
}

func loadSelf(t testing.TB, self *liveProcess, l Loader) []object.Placed {
	t.Helper()
	placed, errs := l.Load(self)
	for _, err := range errs {
		t.Error(err)
	}
	return placed
}

func closeAll(t testing.TB, placed []object.Placed) {
	t.Helper()
	for _, im := range placed {
		if err := im.File.Close(); err != nil {
			t.Errorf("%s: %v", im.Path, err)
		}
	}
}

func openFiles(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A file that two maps have is open once, and until the last of them closes it.
func TestOpenedOnce(t *testing.T) {
	self, o := openLive(t, os.Getpid()), new(Opened)
	closeAll(t, loadSelf(t, self, sharedLoader(nil))) // Go opens files of its own at first
	before := openFiles(t)
	a := loadSelf(t, self, sharedLoader(o))
	one := openFiles(t)
	b := loadSelf(t, self, sharedLoader(o))
	if a[0].File != b[0].File || openFiles(t) > one { // fewer: other tests' files were collected
		t.Errorf("%p and %p; %d open files, and %d before the second", a[0].File, b[0].File, openFiles(t), one)
	}
	closeAll(t, a)
	if s, err := b[0].File.Section(object.GoPCLnTab); err != nil || len(s.Data) == 0 {
		t.Errorf("with one of two closed: %d bytes, %v", len(s.Data), err)
	}
	closeAll(t, b)
	if n := openFiles(t); n > before || len(o.files) != 0 {
		t.Errorf("with both closed: %d open files, %d before; %d shared", n, before, len(o.files))
	}
	if _, err := a[0].File.(*File).closer.(*os.File).Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("with both closed: %v", err)
	}
	c := loadSelf(t, self, sharedLoader(o))
	if _, err := c[0].File.Section(object.GoPCLnTab); err != nil || c[0].File == a[0].File {
		t.Errorf("opened again: %v", err)
	}
	closeAll(t, c)
}

// What belongs to a file is looked for under the roots of who has opened it.
func TestOpenedUnderOtherRoots(t *testing.T) {
	self, o := openLive(t, os.Getpid()), new(Opened)
	a := loadSelf(t, self, sharedLoader(o))
	n := len(o.files)
	b := loadSelf(t, self, sharedLoader(o, "/"))
	if a[0].File == b[0].File || len(o.files) != 2*n {
		t.Errorf("one file for two roots; %d shared, %d before", len(o.files), n)
	}
	closeAll(t, a)
	closeAll(t, b)
}

// A process in another root has other files, whatever their paths; one in the same root
// has the same.
func TestOpenedRoots(t *testing.T) {
	root := t.TempDir()
	buildTarget(t, filepath.Join(root, "target"), "-static")
	inside := start(t, inRoot(t, root, &exec.Cmd{Path: "/target", Args: []string{"/target"}}))
	outside := start(t, exec.Command(filepath.Join(root, "target")))
	key := func(pid int) string {
		l := LiveLoader(pid)
		return l.rootKey()
	}
	if self := key(os.Getpid()); key(outside.info.PID) != self || key(inside.info.PID) == self {
		t.Errorf("%q; inside %q, outside %q", self, key(inside.info.PID), key(outside.info.PID))
	}
}

// A process that has an older file mapped does not get the one that another has opened
// at its path, which is not kept open for it either.
func TestOpenedIsReplaced(t *testing.T) {
	program := buildTarget(t, filepath.Join(t.TempDir(), "target"), dynamicFlags...)
	path := buildLibrary(t, filepath.Join(t.TempDir(), "library.so"), 1)
	old := start(t, exec.Command(program, "open", path))
	buildLibrary(t, path+".new", 2)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	recent := start(t, exec.Command(program, "open", path))
	o := new(Opened)
	shared := func(p *target) object.Placed {
		l := withoutMapped(p.loader())
		l.Opened = o
		placed, _ := l.Load(p)
		t.Cleanup(func() { closeAll(t, placed) })
		return imageAt(t, placed, p.facts["marker"][0])
	}
	now := shared(recent)
	was := shared(old)
	if now.Note != "" || was.Note != NoteReplaced+noteMemory || was.File == now.File {
		t.Errorf("%+v, and the older one %+v", now, was)
	}
	if f := now.File.(*File); f.users != 1 {
		t.Errorf("%d users of the one", f.users)
	}
}

// What no system can tell from others is not shared, and of two that are opened at the
// same time the first is.
func TestOpenedAdd(t *testing.T) {
	o, first, second := new(Opened), new(File), new(File)
	o.add(openedKey{}, first)
	if o.use(openedKey{}) != nil || first.opened != nil {
		t.Error("a file without an identity is shared")
	}
	key := openedKey{identity: identity{inode: 1}}
	o.add(key, first)
	o.add(key, second)
	if o.use(key) != first || second.opened != nil || first.users != 2 {
		t.Errorf("%+v, %+v", first.users, second.users)
	}
}

// A file that was written since, or is found by another path, is another.
func TestOpenedKeys(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "it")
	if err := os.WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := func(name string) identity {
		c, err := openCandidate(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer c.file.Close()
		return c.identity
	}
	first := id("it")
	if first != id("it") || first.inode == 0 || first.size != 3 {
		t.Errorf("%+v, then %+v", first, id("it"))
	}
	if err := os.Link(path, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	linked := id("link")
	if err := os.WriteFile(path, []byte("three"), 0o600); err != nil {
		t.Fatal(err)
	}
	if now := id("it"); now.inode != linked.inode || now == linked {
		t.Errorf("%+v, before it was written %+v", now, linked)
	}
	if (openedKey{linked, "/it", ""}) == (openedKey{linked, "/link", ""}) {
		t.Error("two paths are one key")
	}
}

// What belongs to a file is looked for under the root of whoever still uses it.
func TestOpenedLaterRoots(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "it"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found := func(l *Loader) (n int) {
		for c := range l.underRoots("/it", ignore) {
			c.file.Close()
			n++
		}
		return n
	}
	l := Loader{Roots: []string{filepath.Join(dir, "ended")}, also: new(laterRoots)}
	if n := found(&l); n != 0 {
		t.Errorf("%d files under a root that is gone", n)
	}
	for i := range maxLaterRoots {
		l.also.add(filepath.Join(dir, "other", strconv.Itoa(i)))
	}
	l.also.add(dir)
	l.also.add(dir)
	if n := found(&l); n != 1 || len(l.also.roots) != maxLaterRoots {
		t.Errorf("%d files under %q", n, l.also.roots)
	}
	self, o := openLive(t, os.Getpid()), new(Opened)
	a := loadSelf(t, self, sharedLoader(o))
	b := loadSelf(t, self, sharedLoader(o))
	c := loadSelf(t, self, sharedLoader(o, "/proc/self/root", "/"))
	if roots := a[0].File.(*File).related.loader.also.roots; len(roots) != 1 || roots[0] != "/proc/self/root" {
		t.Errorf("of who came later: %q", roots)
	}
	closeAll(t, c)
	closeAll(t, a)
	closeAll(t, b)
}

// Maps are made and closed by many at once.
func TestOpenedByMany(t *testing.T) {
	self, o := openLive(t, os.Getpid()), new(Opened)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				placed := loadSelf(t, self, sharedLoader(o))
				if _, err := placed[0].File.Section(object.GoPCLnTab); err != nil {
					t.Error(err)
				}
				if _, ok := placed[0].File.FunctionStart(0); ok {
					t.Error("a function at 0")
				}
				closeAll(t, placed)
			}
		})
	}
	all.Wait()
	if len(o.files) != 0 {
		t.Errorf("%d files are open", len(o.files))
	}
}

// Two processes of one program share it and its libraries, with what was read of them.
func TestOpenedByProcesses(t *testing.T) {
	path := buildTarget(t, filepath.Join(t.TempDir(), "target"), dynamicFlags...)
	a, b := start(t, exec.Command(path)), start(t, exec.Command(path))
	o := new(Opened)
	share := func(p *target) []object.Placed {
		l := p.loader()
		l.Opened = o
		return p.load(t, l)
	}
	first, second := share(a), share(b)
	shared := 0
	for i := range first {
		if first[i].Path == second[i].Path && first[i].File == second[i].File {
			shared++
		}
	}
	if shared < len(first)-1 { // each has a vdso of its own
		t.Errorf("%d of %d files are shared", shared, len(first))
	}
	wantFunction(t, imageAt(t, second, b.facts["main"][0]), b.facts["main"][0], "marker")
}
