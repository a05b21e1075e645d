package dyld

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/macho"
	"stacksnap/task"
)

// Where the test's process has things.
const (
	infosAt   = 0x10_0000
	arrayAt   = 0x11_0000
	pathsAt   = 0x12_0000
	dyldAt    = 0x20_0000
	libAt     = 0x30_0000
	mainAt    = 0x1000_0000
	mainBase  = 0x4000
	timestamp = 4711
)

// target is a process under construction.
type target struct {
	*machotest.Process
	t       *testing.T
	pointer int
	paths   task.Addr // where the next path goes
}

// newTarget makes a process with an all_image_infos of version 17 without
// images, laid out by offsets that were counted by hand in
// dyld_process_info_internal.h, not by the package's table.
func newTarget(t *testing.T, pointer int) *target {
	m := &machotest.Memory{}
	x := &target{t: t, pointer: pointer, paths: pathsAt, Process: &machotest.Process{
		M: m,
		I: task.Info{PID: 7, Path: "/bin/main", OS: task.Darwin, LoaderInfo: infosAt, LoaderPointerSize: pointer},
	}}
	m.Add(infosAt, make([]byte, 0x170))
	m.Add(arrayAt, make([]byte, 0x1000))
	m.Add(pathsAt, make([]byte, 0x1000))
	x.put(0, 0, 4, 17)
	x.put(0x8, 0x8, pointer, arrayAt)
	x.put(0x11, 0x19, 1, 1)
	x.put(0x68, 0xb8, 8, timestamp)
	x.put(0xb0, 0x140, 4, 1)
	return x
}

// put writes a field of the all_image_infos at its offset in the layout.
func (x *target) put(at32, at64, size int, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	at := at64
	if x.pointer == 4 {
		at = at32
	}
	for i := range size {
		x.M.PutByte(infosAt+task.Addr(at+i), b[i])
	}
}

// path writes a string and returns where it is.
func (x *target) path(s string) task.Addr {
	at := x.paths
	for i := range len(s) + 1 {
		x.M.PutByte(at+task.Addr(i), (s + "\x00")[i])
	}
	x.paths += task.Addr(len(s) + 1)
	return at
}

// list makes the array: pairs of load address and path.
func (x *target) list(pairs ...task.Addr) {
	for i := 0; i < len(pairs); i += 2 {
		at := arrayAt + task.Addr(i/2*3*x.pointer)
		x.M.Put(at, x.pointer, uint64(pairs[i]))
		x.M.Put(at+task.Addr(x.pointer), x.pointer, uint64(pairs[i+1]))
	}
	x.put(0x4, 0x4, 4, uint64(len(pairs)/2))
}

// image maps an encoded image.
func (x *target) image(filetype macho.FileType, load task.Addr, change func(*machotest.Image)) {
	im := &machotest.Image{Is64: x.pointer == 8, CPU: 7, Type: uint32(filetype), Base: mainBase}
	if im.Is64 {
		im.CPU = 0x01000007
	}
	if change != nil {
		change(im)
	}
	x.M.Map(x.t, im.Encode(), load)
}

// dyld maps dyld, with its path in its own header only.
func (x *target) dyld() {
	x.image(macho.Dylinker, dyldAt, func(im *machotest.Image) { im.Dylinker = "/usr/lib/dyld" })
	x.put(0x14, 0x20, x.pointer, dyldAt)
}

// usual is a process with a library, the program after it, and dyld.
func usual(t *testing.T, pointer int) *target {
	x := newTarget(t, pointer)
	x.image(macho.Dylib, libAt, nil)
	x.image(macho.Execute, mainAt, nil)
	x.dyld()
	x.list(libAt, x.path("/usr/lib/libfake.dylib"), mainAt, x.path("/bin/main"))
	return x
}

// describe prints what was loaded.
func describe(l Loaded) string {
	var b strings.Builder
	for _, im := range l.Images {
		b.WriteString(im.Load.String() + " " + im.Path)
		if im.Main {
			b.WriteString(" main")
		}
		if im.File == nil {
			b.WriteString(" unread")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func check(t *testing.T, l Loaded, want ...string) {
	t.Helper()
	if got := describe(l); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("got\n%swant\n%s", got, strings.Join(want, "\n"))
	}
}

const (
	lineLib  = "0x300000 /usr/lib/libfake.dylib"
	lineMain = "0x10000000 /bin/main main"
	lineDyld = "0x200000 /usr/lib/dyld"
)

func TestLoad(t *testing.T) {
	for _, pointer := range []int{4, 8} {
		x := usual(t, pointer)
		x.put(0x70, 0xc0, pointer, uint64(x.path("/usr/lib/dyld")))
		x.put(0x50, 0x98, pointer, 0x12340000)
		x.put(0x64, 0xb0, pointer, 0x80000000)
		x.put(0x54, 0xa0, 1, 0xaa)
		x.put(0x10, 0x18, 1, 1)
		x.put(0x3c, 0x70, pointer, 2)
		l, errs := (&Loader{}).Load(x)
		if len(errs) != 0 {
			t.Error(errs)
		}
		check(t, l, lineLib, lineMain, lineDyld)
		for _, im := range l.Images {
			if im.Slide != uint64(im.Load)-mainBase || im.File.HasSymbols() {
				t.Errorf("%s: slide %#x", im.Path, im.Slide)
			}
		}
		want := Infos{
			At: infosAt, pointer: pointer, Version: 17, Count: 2, Array: arrayAt, Timestamp: timestamp, LibSystemInitialized: true, InitialCount: 2,
			DyldLoad: dyldAt, DyldPath: l.Infos.DyldPath, Platform: 1,
			Cache: SharedCache{UUID: [16]byte{0xaa}, Base: 0x80000000, Slide: 0x12340000, Private: true},
		}
		if l.Infos != want || !l.Infos.Cache.Mapped() {
			t.Errorf("got %+v\nwant %+v", l.Infos, want)
		}
	}
}

// TestPathOfDyld is the one that the list tells; only where it does not, its header's.
func TestPathOfDyld(t *testing.T) {
	for path, want := range map[string]string{"/opt/dyld": "/opt/dyld", "": "/usr/lib/dyld"} {
		x := usual(t, 8)
		x.put(0x70, 0xc0, 8, 0)
		if path != "" {
			x.put(0x70, 0xc0, 8, uint64(x.path(path)))
		}
		l, errs := (&Loader{}).Load(x)
		if len(errs) != 0 {
			t.Error(errs)
		}
		check(t, l, lineLib, lineMain, "0x200000 "+want)
	}
}

// TestOldVersion: a field that the version does not have is not read.
func TestOldVersion(t *testing.T) {
	x := usual(t, 8)
	x.put(0, 0, 4, 9)
	x.put(0x64, 0xb0, 8, 0x80000000)
	l, errs := (&Loader{}).Load(x)
	if len(errs) != 0 || l.Infos.Timestamp != 0 || l.Infos.Cache != (SharedCache{}) || l.Infos.Platform != 0 {
		t.Errorf("%+v, %v", l.Infos, errs)
	}
	check(t, l, lineLib, lineMain, lineDyld)
}

// TestRealProgram maps what zig built as its program and library, and names
// addresses in them.
func TestRealProgram(t *testing.T) {
	x := newTarget(t, 8)
	for name, load := range map[string]task.Addr{"lib.x86_64": libAt, "main.x86_64": 0x1_0000_0000} {
		b, err := os.ReadFile("../macho/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		x.M.Map(t, b, load)
	}
	x.list(libAt, x.path("/lib.dylib"), 0x1_0000_0000, x.path("/bin/main"))
	l, errs := (&Loader{}).Load(x)
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	check(t, l, "0x300000 /lib.dylib", "0x100000000 /bin/main main")
	for i, want := range map[int]string{0: "exported", 1: "hidden"} {
		im := l.Images[i]
		at := im.Load + 0x5d1
		if i == 1 {
			at = im.Load + 0x5e1
		}
		if sym, ok := im.File.Symbol(im.VMAddr(at)); !ok || sym.Name != want {
			t.Errorf("%s at %v: %+v; want %s", im.Path, at, sym, want)
		}
	}
	if im := l.Images[0]; im.Slide != libAt || l.Images[1].Slide != 0 {
		t.Errorf("slides %#x, %#x", im.Slide, l.Images[1].Slide)
	}
}

// TestOneBadImage: an image that cannot be read costs itself, a path only the
// path.
func TestOneBadImage(t *testing.T) {
	x := usual(t, 8)
	x.image(macho.Dylib, 0x40_0000, func(im *machotest.Image) { im.InstallName = "/usr/lib/libnamed.dylib" })
	x.list(0x66_0000, x.path("/gone.dylib"), libAt, x.path("/usr/lib/libfake.dylib"), 0x40_0000, 0x1,
		infosAt, 0x1, mainAt, x.path("/bin/main"), 0, 0, libAt, x.path("/again"))
	l, errs := (&Loader{}).Load(x)
	check(t, l, "0x660000 /gone.dylib unread", lineLib, "0x400000 /usr/lib/libnamed.dylib", "0x100000  unread", lineMain, lineDyld)
	var fault *task.FaultError
	if len(errs) != 3 || !errors.As(l.Images[0].Err, &fault) || fault.Addr != 0x66_0000 || !strings.Contains(errs[0].Error(), "/gone.dylib") {
		t.Errorf("%v; %v", errs, l.Images[0].Err)
	}
}

// TestPathAtPageEnd: a path that ends with its page is read.
func TestPathAtPageEnd(t *testing.T) {
	x := usual(t, 8)
	x.M.Add(0x50_0ff0, []byte("/bin/main567890\x00"))
	x.list(mainAt, 0x50_0ff0)
	l, errs := (&Loader{}).Load(x)
	if len(errs) != 0 {
		t.Error(errs)
	}
	check(t, l, "0x10000000 /bin/main567890 main", lineDyld)
}

// TestNullWhileChanging: the array is null for two tries.
func TestNullWhileChanging(t *testing.T) {
	x := usual(t, 8)
	x.put(8, 8, 8, 0)
	pauses := 0
	l := Loader{Tries: 5, Pause: func(int) {
		if pauses++; pauses == 2 {
			x.put(8, 8, 8, arrayAt)
		}
	}}
	loaded, errs := l.Load(x)
	if len(errs) != 0 || pauses != 2 {
		t.Errorf("%v after %d pauses", errs, pauses)
	}
	check(t, loaded, lineLib, lineMain, lineDyld)
}

// TestChangesWhileRead: an image is loaded between the reading of the head and
// that of the array, once.
func TestChangesWhileRead(t *testing.T) {
	x := usual(t, 8)
	x.image(macho.Bundle, 0x40_0000, nil)
	plugin := x.path("/plugin.bundle")
	changed := false
	x.M.OnRead = func(a task.Addr, n int) {
		if a == arrayAt && !changed {
			changed = true
			x.list(libAt, pathsAt, mainAt, pathsAt+23, 0x40_0000, plugin)
			x.put(0x68, 0xb8, 8, timestamp+1)
		}
	}
	l, errs := (&Loader{Tries: 2}).Load(x)
	if len(errs) != 0 {
		t.Error(errs)
	}
	check(t, l, lineLib, lineMain, "0x400000 /plugin.bundle", lineDyld)
}

// TestKeepsChanging: after the last try the list is used as it was read, with an
// error; one that stays null leaves dyld and what the mappings show.
func TestKeepsChanging(t *testing.T) {
	x := usual(t, 8)
	stamp := uint64(timestamp)
	x.M.OnRead = func(a task.Addr, n int) {
		if a == arrayAt {
			stamp++
			x.put(0x68, 0xb8, 8, stamp)
		}
	}
	pauses := 0
	l, errs := (&Loader{Tries: 3, Pause: func(int) { pauses++ }}).Load(x)
	if len(errs) != 1 || !errors.Is(errs[0], errChanging) || pauses != 2 {
		t.Errorf("%v, %d pauses", errs, pauses)
	}
	check(t, l, lineLib, lineMain, lineDyld)

	x.M.OnRead = nil
	x.put(8, 8, 8, 0)
	x.R = []task.Region{{Start: mainAt, Prot: task.Read | task.Execute}}
	l, errs = (&Loader{Tries: 3}).Load(x)
	if len(errs) != 1 || !errors.Is(errs[0], errChanging) {
		t.Error(errs)
	}
	check(t, l, lineDyld, lineMain)
}

// TestNotBegun: before dyld has run, or where nobody says where its list is, the
// mappings show the program and dyld.
func TestNotBegun(t *testing.T) {
	for name, spoil := range map[string]func(*target){
		"suspended before dyld ran": func(x *target) { x.put(8, 8, 8, 0); x.put(0x68, 0xb8, 8, 0); x.put(0x14, 0x20, 8, 0) },
		"no loader info":            func(x *target) { x.I.LoaderInfo = 0 },
		"unreadable loader info":    func(x *target) { x.M.Remove(infosAt) },
	} {
		x := usual(t, 8)
		spoil(x)
		rx := task.Read | task.Execute
		x.R = []task.Region{
			{Start: 0, End: 0x1000, Prot: 0}, // as Darling reports __PAGEZERO
			{Start: arrayAt, Prot: rx},
			{Start: dyldAt, Prot: rx},
			{Start: libAt, Prot: rx, Path: "/usr/lib/libfake.dylib"},
			{Start: libAt + 0x2000, Prot: task.Read},
			{Start: mainAt, Prot: rx},
		}
		l, errs := (&Loader{Tries: 2}).Load(x)
		if len(errs) != 1 {
			t.Errorf("%s: %v", name, errs)
		}
		check(t, l, lineDyld, lineMain)
	}
}

// TestHostileCount: a count that cannot be true costs no memory.
func TestHostileCount(t *testing.T) {
	x := usual(t, 8)
	x.put(4, 4, 4, 0xffffffff)
	l, errs := (&Loader{}).Load(x)
	if len(errs) != 1 || !errors.Is(errs[0], errTooMany) {
		t.Error(errs)
	}
	check(t, l, lineLib, lineMain, lineDyld)
}

func TestGeneration(t *testing.T) {
	x := usual(t, 4)
	first, err := ReadGeneration(x)
	if err != nil || first != (Generation{infosAt, timestamp, arrayAt, 2}) {
		t.Fatal(first, err)
	}
	reads := x.M.Reads
	if again, err := ReadGeneration(x); again != first || err != nil || x.M.Reads != reads+1 {
		t.Errorf("%v, %v, %d reads", again, err, x.M.Reads-reads)
	}
	x.put(0x68, 0xb8, 8, timestamp+1)
	if now, err := ReadGeneration(x); now == first || err != nil {
		t.Errorf("%v, %v", now, err)
	}
	x.M.Remove(infosAt)
	if _, err := ReadGeneration(x); err == nil {
		t.Error("read a generation from nothing")
	}
}

// TestOpensFiles: the opener is given the path, and asked only for symbols.
func TestOpensFiles(t *testing.T) {
	x := newTarget(t, 8)
	id := []byte("0123456789abcdef")
	file := &machotest.Image{Is64: true, CPU: 0x01000007, Type: 2, Base: mainBase, UUID: id,
		Symbols: []machotest.Symbol{{Name: "_main", Type: 0xf, Sect: 1, Value: mainBase + machotest.Text}}}
	x.image(macho.Execute, mainAt, func(im *machotest.Image) { im.UUID = id })
	x.list(mainAt, x.path("/bin/main"))
	asked := 0
	l := Loader{Open: func(path string, want macho.Want) (*macho.File, error) {
		asked++
		if path != "/bin/main" || !bytes.Equal(want.ID, id) || want.Arch != task.AMD64 {
			t.Errorf("asked for %s, %+v", path, want)
		}
		b := file.Encode()
		return macho.NewFile(bytes.NewReader(b), int64(len(b)), want)
	}}
	loaded, errs := l.Load(x)
	if len(errs) != 0 || asked != 0 {
		t.Fatal(errs, asked)
	}
	if sym, ok := loaded.Images[0].File.Symbol(mainBase + machotest.Text + 3); !ok || sym.Name != "main" || asked != 1 {
		t.Errorf("%+v, %v, asked %d times", sym, ok, asked)
	}
}

func FuzzInfos(f *testing.F) {
	infos := make([]byte, 0x170)
	infos[0], infos[4], infos[8], infos[9], infos[0xb8] = 17, 2, 0x70, 0x01, 1
	entries := binary.LittleEndian.AppendUint64(nil, 0x400)
	entries = binary.LittleEndian.AppendUint64(entries, 0x300)
	seed := append(append(infos, entries...), make([]byte, 0x400)...)
	im := machotest.Image{Is64: true, CPU: 0x01000007, Type: 2, Base: mainBase}
	copy(seed[0x400-0x10:], im.Encode()[:0x200])
	f.Add(seed, true)
	f.Add(seed, false)
	f.Fuzz(func(t *testing.T, b []byte, is64 bool) {
		m := &machotest.Memory{}
		m.Add(0x10, b)
		p := &machotest.Process{M: m, I: task.Info{LoaderInfo: 0x10, LoaderPointerSize: 4},
			R: []task.Region{{Start: 0x10}, {Start: 0x400}}}
		if is64 {
			p.I.LoaderPointerSize = 8
		}
		l, errs := (&Loader{Tries: 2}).Load(p)
		bad := 0
		for _, im := range l.Images {
			if im.File == nil {
				bad++
			}
			if (im.File == nil) != (im.Err != nil) {
				t.Errorf("%+v", im)
			}
		}
		if bad > len(errs) {
			t.Errorf("%d unread images, %d errors", bad, len(errs))
		}
	})
}
