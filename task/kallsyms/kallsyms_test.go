package kallsyms

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"stacksnap/task"
	"stacksnap/task/needs"
)

const text = `ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 t second
ffffffff81000180 W third
ffffffff81000190 D data
ffffffffc0201f00 t last	[fuse]
ffffffffc0201e00 t first	[fuse]
ffffffffc0203000 t other	[ext4]
ffffffffc0900000 t far	[ext4]
no line
ffffffff81000200 T 
`

func TestFind(t *testing.T) {
	table, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at       uint64
		isReturn bool
		want     task.KernelFrame
	}{
		{0xffffffff80ffffff, false, task.KernelFrame{}},
		{0xffffffff81000000, true, task.KernelFrame{}},
		{0xffffffff81000000, false, task.KernelFrame{Name: "_stext", Size: 0x100}},
		{0xffffffff810000ff, false, task.KernelFrame{Name: "_stext", Offset: 0xff, Size: 0x100}},
		{0xffffffff81000100, false, task.KernelFrame{Name: "second", Size: 0x80}},
		{0xffffffff81000100, true, task.KernelFrame{Name: "_stext", Offset: 0x100, Size: 0x100}}, // behind its last call
		{0xffffffff81000190, false, task.KernelFrame{Name: "third", Offset: 0x10, Size: 0xe80}},
		{0xffffffff81001000, true, task.KernelFrame{Name: "third", Offset: 0xe80, Size: 0xe80}},
		{0xffffffff81001000, false, task.KernelFrame{}},
		{0xffffffffc0201e08, true, task.KernelFrame{Name: "first", Module: "fuse", Offset: 8, Size: 0x100}},
		{0xffffffffc0201fff, false, task.KernelFrame{Name: "last", Module: "fuse", Offset: 0xff, Size: 0x100}},
		{0xffffffffc0202000, false, task.KernelFrame{}}, // another module's, loaded since
		{0xffffffffc0203fff, false, task.KernelFrame{Name: "other", Module: "ext4", Offset: 0xfff, Size: 0x1000}},
		{0xffffffffc0204000, false, task.KernelFrame{}},
		{0xffffffffc0900fff, false, task.KernelFrame{Name: "far", Module: "ext4", Offset: 0xfff, Size: 0x1000}},
		{0xffffffffc0901000, false, task.KernelFrame{}},
	} {
		got, ok := table.Find(test.at, test.isReturn)
		if got != test.want || ok != (test.want.Name != "") {
			t.Errorf("%#x, return %v: %+v, %v", test.at, test.isReturn, got, ok)
		}
	}
}

func TestReadOfNothing(t *testing.T) {
	hidden := "0000000000000000 T _stext\n0000000000000000 t second\t[fuse]\n"
	if _, err := Read(strings.NewReader(hidden)); !errors.Is(err, ErrHidden) {
		t.Errorf("hidden: %v", err)
	}
	for _, other := range []string{"", "\n", "ffffffff81000000 D data\n", strings.Repeat("x", 10000)} {
		table, err := Read(strings.NewReader(other))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := table.Find(0xffffffff81000000, false); ok {
			t.Errorf("%q: %+v", other, got)
		}
	}
	if _, err := Read(iotest.ErrReader(os.ErrPermission)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("refused: %v", err)
	}
}

// TestAsTheKernelNames: names, offsets and sizes are those that the kernel itself gives for
// the addresses in a stack of a thread of its own.
func TestAsTheKernelNames(t *testing.T) {
	f, err := os.Open("/proc/kallsyms")
	needs.Feature(t, "/proc/kallsyms", err, fs.ErrNotExist, fs.ErrPermission)
	defer f.Close()
	table, err := Read(f)
	needs.Feature(t, "/proc/kallsyms", err, ErrHidden)
	b, err := os.ReadFile("/proc/self/stack")
	needs.Feature(t, "/proc/PID/stack", err, fs.ErrNotExist, fs.ErrPermission)
	starts := map[string]uint64{}
	for _, s := range table.all {
		name, _, _ := bytes.Cut(table.names[s.name:], []byte("\n"))
		starts[string(name)] = s.start
	}
	checked := 0
	for _, m := range regexp.MustCompile(`(?m)\] (\S+)\+0x([0-9a-f]+)/0x([0-9a-f]+)$`).FindAllStringSubmatch(string(b), -1) {
		offset, _ := strconv.ParseUint(m[2], 16, 64)
		size, _ := strconv.ParseUint(m[3], 16, 64)
		start, known := starts[m[1]]
		if got, _ := table.Find(start+offset, true); !known || got != (task.KernelFrame{Name: m[1], Offset: offset, Size: size}) {
			t.Errorf("%q: %+v", m[0], got)
		}
		checked++
	}
	t.Logf("%d frames, %d symbols, %d KB of names", checked, len(table.all), len(table.names)>>10)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(text), uint64(0xffffffff81000100))
	f.Add([]byte("0 T a\nffffffffffffffff t b\t[m\n"), ^uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, at uint64) {
		table, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, isReturn := range []bool{false, true} {
			frame, ok := table.Find(at, isReturn)
			if ok && (frame.Name == "" || frame.Size == 0 || frame.Offset > frame.Size) {
				t.Errorf("%+v", frame)
			}
		}
	})
}
