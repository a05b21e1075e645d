//go:build linux

package procfs

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// own is how this very process is asked what is mapped in it.
type own struct {
	maps, stat int
	query      procmapQuery
	table      mapTable
}

func openOwn(t testing.TB) *own {
	t.Helper()
	o := &own{}
	for name, fd := range map[string]*int{"maps": &o.maps, "stat": &o.stat} {
		var err error
		if *fd, err = unix.Open("/proc/self/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Close(*fd) })
	}
	o.table.makeRoom()
	return o
}

// at returns what the table tells, after what the kernel tells if it does.
func (o *own) at(t testing.TB, a task.Addr) task.Mapped {
	t.Helper()
	o.table.isNew = false
	if err := o.table.renew(o.maps, o.stat); err != nil {
		t.Fatal(err)
	}
	m, _ := o.table.find(a)
	if o.query.answers(o.maps) {
		want := task.Mapped{}
		if o.query.ask(o.maps, a) == 0 {
			want = o.query.mapped()
		}
		if m != want {
			t.Errorf("%v: the table has %+v, the kernel %+v", a, m, want)
		}
	}
	return m
}

// file makes a file of four pages.
func file(t testing.TB, path string) int {
	t.Helper()
	if err := os.WriteFile(path, make([]byte, 4*os.Getpagesize()), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

const code = unix.PROT_READ | unix.PROT_EXEC

// place maps a page of a file, or of none, at an address or, with nil, anywhere,
// and has a page fault there as code has that begins to run.
func place(t testing.TB, at unsafe.Pointer, fd int, offset int64, flags int) unsafe.Pointer {
	t.Helper()
	if at != nil {
		flags |= unix.MAP_FIXED
	}
	p, err := unix.MmapPtr(fd, offset, at, uintptr(os.Getpagesize()), code, flags|unix.MAP_PRIVATE)
	if err != nil {
		needs.Feature(t, "executable mappings of files", err, unix.EPERM, unix.EACCES) // noexec, or a policy
	}
	if flags&unix.MAP_POPULATE == 0 {
		sink = *(*byte)(p)
	}
	return p
}

var sink byte

// TestExchangedMappings: the same place shows one thing after another, and the
// table, which is read again only after page faults, tells of each.
func TestExchangedMappings(t *testing.T) {
	o := openOwn(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	a := file(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again, b := file(t, path), file(t, filepath.Join(dir, "b"))
	page := int64(os.Getpagesize())
	at := place(t, nil, a, 0, 0)
	where := task.Addr(uintptr(at))
	first := o.at(t, where)
	if first.Inode == 0 || first.Start != where || first.Base != where {
		t.Fatalf("%+v at %v", first, where)
	}
	for range 50 {
		for _, tt := range []struct {
			name   string
			fd     int
			offset int64
			flags  int
			same   bool
		}{
			{"the file that was deleted", a, 0, 0, true},
			{"the file now at its path", again, 0, 0, false},
			{"another file", b, 0, 0, false},
			{"another file, populated", b, 0, unix.MAP_POPULATE, false},
			{"the deleted file, populated", a, 0, unix.MAP_POPULATE, true},
			{"another part of it", a, page, 0, false},
			{"no file", -1, 0, unix.MAP_ANON, false},
		} {
			place(t, at, tt.fd, tt.offset, tt.flags)
			if m := o.at(t, where); m.Start != where || (m == first) != tt.same || (m.Inode == 0) != (tt.fd < 0) {
				t.Fatalf("%s: %+v, first %+v", tt.name, m, first)
			}
		}
	}
	if err := unix.MunmapPtr(at, uintptr(page)); err != nil {
		t.Fatal(err)
	}
	o.table.isKey = false // nothing is there to be run
	if m := o.at(t, where); m.End != 0 {
		t.Errorf("%+v, want nothing", m)
	}
}

// TestTableHasEveryMapping compares it with the kernel's answers.
func TestTableHasEveryMapping(t *testing.T) {
	g := startTarget(t)
	p := openTarget(t, g.pid)
	byQuery := !p.table.isUsed
	n := 0
	for r, err := range p.Regions() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Path == "[vsyscall]" {
			continue // it is in the file, but in no process's memory (get_gate_vma, arch/x86)
		}
		var all [2]task.Mapped
		for i := range all {
			p.table.isUsed = i == 1 || !byQuery
			m, found, err := p.MappingAt(r.End-1, false)
			if err != nil || found != (r.Prot&task.Execute != 0) || found && m.Mapping != r.Mapping() {
				t.Errorf("%+v: %+v %v, %v", r, m, found, err)
			}
			all[i] = m
		}
		if all[0] != all[1] {
			t.Errorf("%+v: %+v by query, %+v in the table", r, all[0], all[1])
		}
		n++
	}
	if n == 0 {
		t.Error("no mappings")
	}
}

func TestTableIsReadInAStopWithoutAllocating(t *testing.T) {
	g := startTarget(t)
	p := openTarget(t, g.pid)
	p.table.isUsed = true
	if _, _, err := p.MappingAt(0, false); err != nil {
		t.Fatal(err)
	}
	at := p.table.all[0]
	p.Refill(true)
	n := testing.AllocsPerRun(20, func() {
		p.Renew()
		p.table.isKey = false
		if m, found, err := p.MappingAt(at.Start, true); err != nil || !found || m != at {
			t.Errorf("%+v %v, %v", m, found, err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTableMakesRoomOutsideOfStops: in a stop, too little room is an error.
func TestTableMakesRoomOutsideOfStops(t *testing.T) {
	g := startTarget(t)
	p := openTarget(t, g.pid)
	p.table.isUsed = true
	p.table.buf = make([]byte, 100)
	if _, _, err := p.MappingAt(0, true); err != errNoRoom {
		t.Errorf("error %v", err)
	}
	if _, _, err := p.MappingAt(0, false); err != nil || len(p.table.buf) <= 100 || len(p.table.all) == 0 {
		t.Errorf("%d bytes, %d mappings, %v", len(p.table.buf), len(p.table.all), err)
	}
}

func TestParseFaults(t *testing.T) {
	n, ok := parseFaults([]byte("7 (a) b) S 1 7 7 0 -1 4194304 100 5 23 6 8 9 0 0 20 0 1 0\n"))
	if n != 123 || !ok {
		t.Errorf("%d %v", n, ok)
	}
	for _, b := range []string{"", "7 (a)", "7 (a) S 1 7 7 0 -1 4194304 x 5 23", "7 (a) S 1 7 7 0 -1 4194304 100 5 "} {
		if n, ok := parseFaults([]byte(b)); ok {
			t.Errorf("%q: %d", b, n)
		}
	}
}

// BenchmarkMapped is what it costs to know what is mapped: by one question, and
// by the table when there was no page fault and when there was.
func BenchmarkMapped(b *testing.B) {
	g := startTarget(b)
	p := openTarget(b, g.pid)
	if _, _, err := p.MappingAt(0, false); err != nil {
		b.Fatal(err)
	}
	ask := func(b *testing.B, prepare func()) {
		for b.Loop() {
			prepare()
			_, _, _ = p.MappingAt(0x400000, false)
		}
	}
	if !p.table.isUsed {
		b.Run("query", func(b *testing.B) { ask(b, func() {}) })
	}
	p.table.isUsed = true
	b.Run("table", func(b *testing.B) { ask(b, p.Renew) })
	b.Run("table read again", func(b *testing.B) { ask(b, func() { p.Renew(); p.table.isKey = false }) })
	b.Run("table of 2000 read again", readMany)
}

func readMany(b *testing.B) {
	o := openOwn(b)
	const pages = 2000
	size := uintptr(os.Getpagesize())
	at, err := unix.MmapPtr(-1, 0, nil, pages*size, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = unix.MunmapPtr(at, pages*size) }()
	for i := uintptr(0); i < pages; i += 2 {
		if err := unix.Mprotect(unsafe.Slice((*byte)(unsafe.Add(at, i*size)), size), unix.PROT_NONE); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		o.table.isNew, o.table.isKey = false, false
		for o.table.renew(o.maps, o.stat) == errNoRoom {
			o.table.makeRoom()
		}
	}
}
