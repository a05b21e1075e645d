package cpython

import (
	"encoding/binary"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

func TestVersionNames(t *testing.T) {
	for v, want := range map[version]string{
		0x030c01f0: "3.12.1", 0x030e00c2: "3.14.0rc2", 0x030f00a3: "3.15.0a3", 0x03090000: "3.9",
	} {
		if got := v.String(); got != want {
			t.Errorf("%#x is %s, not %s", uint32(v), got, want)
		}
	}
	for name, want := range map[string]version{
		"python3.11": 0x030b0000, "libpython3.8.so.1.0": 0x03080000, "libpython3.14t.so.1.0": 0x030e0000,
		"python3": 0, "libpython3.so": 0, "python3.x": 0, "python3.300": 0, "": 0,
	} {
		if got, _ := nameVersion(name); got != want {
			t.Errorf("%q is of %v, not %v", name, got, want)
		}
	}
}

// section is a file with a runtime's state at its start.
type section struct {
	object.File
	arch task.Arch
}

func (s section) Arch() task.Arch { return s.arch }

func (section) SectionRange(name string) (vmaddr, size uint64, ok bool) {
	return 0, 8, name == ".PyRuntime"
}

func (section) Exported(string) (vmaddr uint64, ok bool) { return 0, false }

// TestUnknownLayoutsAreDeclined says in one line why.
func TestUnknownLayoutsAreDeclined(t *testing.T) {
	told := func(v version) string {
		return cookie + string(binary.LittleEndian.AppendUint64(nil, uint64(v))) + strings.Repeat("\x00", 1<<10)
	}
	huge := told(0x030d00f0)[:16] + strings.Repeat("\xff", 1<<10)
	none := strings.Repeat("\x00", 1<<10)
	for _, c := range []struct {
		arch                task.Arch
		name, memory, wants string
	}{
		{task.AMD64, "python3.16", told(0x031000f0), "CPython 3.16.0: its layout is not known"},
		{task.AMD64, "python4", told(0x040000f0), "CPython 4.0.0: its layout is not known"},
		{task.AMD64, "python3.15", told(0x030f00a1), "CPython 3.15.0a1: the layout of versions before a release candidate is not known"},
		{task.AMD64, "python3.13", told(0x030d00f0), "CPython 3.13.0: its table of offsets is damaged"},
		{task.AMD64, "python3.13", huge, "CPython 3.13.0: its table of offsets is damaged"},
		{task.AMD64, "python3.7", none, "CPython 3.7: its layout is not known"},
		{task.AMD64, "python3.13", none, "CPython 3.13: its layout is not known"},
		{task.AMD64, "app", none, "CPython: its version is not known"},
		{task.I386, "python3.12", none, "CPython on i386: its layout is not known"},
		{task.AMD64, "python3.12", "short", "CPython: memory at 0x5 is not readable"},
	} {
		im := &images.Image{Placed: object.Placed{Path: "/bin/" + c.name, File: section{arch: c.arch}}}
		p, err := Find(im, text(c.memory))
		if p != nil || err == nil || err.Error() != c.wants {
			t.Errorf("%s: %v, not %s", c.name, err, c.wants)
		}
	}
}

func TestOtherImagesHaveNoPython(t *testing.T) {
	for _, im := range []*images.Image{
		{}, {Placed: object.Placed{Path: "/lib/libc.so.6", File: struct{ object.File }{}}},
	} {
		if p, err := Find(im, text("")); p != nil || err != nil {
			t.Errorf("%s: %v, %v", im.Path, p, err)
		}
	}
}

func TestLoops(t *testing.T) {
	p := new(Instance)
	for symbol, want := range map[string]bool{
		"_PyEval_EvalFrameDefault": true, "_PyEval_EvalFrameDefault.cold": true, "_PyEval_EvalFrameDefault.lto_priv.0": true,
		"_TAIL_CALL_CALL_PY_EXACT_ARGS": true, "_TAIL_CALL_RESUME.llvm.1": true,
		"_PyEval_EvalFrameDefaultX": false, "_PyEval_Vector": false, "PyEval_EvalFrameDefault": false, "": false,
	} {
		if got := p.IsLoop(symbol); got != want {
			t.Errorf("%s: %v", symbol, got)
		}
	}
}

// text is memory from address 0 on.
type text string

// ReadMemory implements [task.Memory].
func (m text) ReadMemory(p []byte, a task.Addr) (int, error) {
	n := copy(p, m[min(int(min(a, 1<<20)), len(m)):])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}
