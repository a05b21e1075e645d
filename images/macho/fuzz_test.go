package macho

import (
	"bytes"
	"os"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/damage"
)

// seeds adds good files, none of which is edited, and returns them.
func seeds(f *testing.F) (good [][]byte) {
	for _, l := range layouts {
		im := synthetic(l.order, l.is64, l.cpu)
		im.Starts = startsOf(machotest.Text, 0x20, 0x20)
		im.DataInCode = dataOf(machotest.Text, 8)
		good = append(good, im.Encode())
	}
	b := synthetic(nil, true, cpuARM64).Encode()
	good = append(good, machotest.Fat(false, b, b), machotest.Fat(true, b))
	if b, err := os.ReadFile("testdata/lib.x86_64"); err == nil {
		good = append(good, b)
	}
	for i := range good {
		f.Add(uint8(i), []byte(nil))
	}
	return good
}

// exercise asks a file everything.
func exercise(t *testing.T, f *File) {
	f.HasSymbols()
	f.DataSymbol("_datum")
	f.SymbolsOf("datum", "main")
	for _, kind := range []object.Kind{object.EHFrame, object.EHFrameHdr, object.DebugFrame, object.UnwindInfo, object.GoPCLnTab} {
		f.Section(kind)
	}
	at := []uint64{0, ^uint64(0)}
	for i, s := range f.Sections() {
		if i == 16 {
			break
		}
		f.SectionData(s.Segment, s.Name)
		at = append(at, s.VMAddr-1, s.VMAddr, s.VMAddr+s.Size/2, s.VMAddr+s.Size-1)
	}
	var code [16]byte
	for _, a := range at {
		if sym, ok := f.Symbol(a); ok && (sym.VMAddr > a || sym.Name == "") {
			t.Errorf("%#x: %+v", a, sym)
		}
		if sym, ok := f.Variable(a); ok && (a-sym.VMAddr >= max(sym.Size, 1) || sym.Name == "") {
			t.Errorf("%#x: %+v", a, sym)
		}
		if start, ok := f.FunctionStart(a); ok && start > a {
			t.Errorf("%#x: function starts at %#x", a, start)
		}
		if start, end, ok := f.DataInCode(a); ok && (end < start || end <= a && start <= a) {
			t.Errorf("%#x: data from %#x to %#x", a, start, end)
		}
		if n, err := f.ReadCode(code[:], a); n > len(code) || n < len(code) && err == nil {
			t.Errorf("%#x: %d bytes of code, %v", a, n, err)
		}
	}
	f.Close()
}

func FuzzFile(f *testing.F) {
	good := seeds(f)
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := damage.Edit(good[int(which)%len(good)], edits)
		for _, arch := range []task.Arch{task.UnknownArch, task.ARM64} {
			if m, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{Arch: arch}); err == nil {
				exercise(t, m)
			}
		}
	})
}

func FuzzMemory(f *testing.F) {
	good := seeds(f)
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := damage.Edit(good[int(which)%len(good)], edits)
		m := &machotest.Memory{}
		m.Add(load, b)
		image, err := FromMemory(m, load, func(want Want) (*File, error) {
			return NewFile(bytes.NewReader(b), int64(len(b)), want)
		})
		if err == nil {
			exercise(t, image)
		}
	})
}
