package dyld

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/damage"
)

// smallProcess is a memory from 0x10 on with a list of two images, their paths and
// their headers, and where they stand.
func smallProcess() []byte {
	b := make([]byte, 0x400-0x10)
	le := binary.LittleEndian
	at := func(a int) []byte { return b[a-0x10:] }
	le.PutUint32(at(0x10), 17)    // version
	le.PutUint32(at(0x14), 2)     // infoArrayCount
	le.PutUint64(at(0x18), 0x190) // infoArray
	le.PutUint64(at(0x30), 0x400) // dyldImageLoadAddress
	for i, v := range []uint64{0x400, 0x1d0, 0, 0x2400, 0x1e0, 0} {
		le.PutUint64(at(0x190+8*i), v)
	}
	copy(at(0x1d0), "/bin/main\x00")
	copy(at(0x1e0), "/lib/l\x00")
	for _, kind := range []uint32{2, 6} {
		im := machotest.Image{
			Is64: true, CPU: 0x01000007, Type: kind, Base: mainBase, UUID: []byte("0123456789abcdef"), Indirect: []uint32{0, 1},
			Symbols: []machotest.Symbol{{Name: "_f", Type: 0xf, Sect: 1, Value: mainBase + machotest.Text}},
			Starts:  []byte{0x80, 0x20, 0x10, 0},
		}
		file := im.Encode()
		b = append(b, append(file, make([]byte, 0x2000)...)[:0x2000]...)
	}
	return b
}

// A process that was good before is read without a panic, in every test run.
func TestDamagedProcesses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	good := smallProcess()
	loaded := 0
	for i := range 4000 {
		b := good
		if i > 0 {
			head := damage.Copy(r, good[:0x200]) // most of what leads on stands there
			b = append(head, good[len(head):]...)
			if r.IntN(2) == 0 {
				b = damage.Copy(r, b)
			}
		}
		m := &machotest.Memory{}
		m.Add(0x10, b)
		p := &machotest.Process{M: m, I: task.Info{OS: task.Darwin, LoaderInfo: 0x10, LoaderPointerSize: 8 - 4*(i%5/4)}, R: []task.Region{{Start: 0x10}, {Start: 0x400}}}
		l, _ := (&Loader{Tries: 2}).Load(p)
		loaded += ask(l.Images)
		p.I.Live = true
		tr := NewTracker(p)
		tr.pause, tr.loader.Pause = func(time.Duration) {}, nil
		for range 2 {
			listed, _ := tr.Load()
			ask(listed.Images)
			ask(listed.Gone)
		}
		tr.Close()
	}
	if loaded < 1000 {
		t.Errorf("only %d images were loaded: the others tell nothing", loaded)
	}
}

// ask asks images everything, and tells how many could be read.
func ask(placed []object.Placed) (read int) {
	for _, p := range placed {
		if p.File == nil {
			continue
		}
		read++
		for _, s := range p.File.Segments() {
			p.File.Symbol(s.VMAddr + s.Size/2)
			p.File.FunctionStart(s.VMAddr)
		}
		_, _ = p.File.Section(object.EHFrame)
		if p.Code != nil {
			var b [32]byte
			_, _ = p.Code.ReadMemory(b[:], p.Load)
		}
	}
	return read
}

// TestImagesShareABudget, which a saved process is given, and a live one has.
func TestImagesShareABudget(t *testing.T) {
	x := newTarget(t, 8)
	x.I.Live = true
	x.image(2, mainAt, withSymbol)
	x.image(6, libAt, withSymbol)
	x.list(mainAt, x.path("/bin/main"), libAt, x.path("/lib/l"))
	live, errs := Load(x)
	if len(errs) != 0 || len(live.Images) != 2 || live.Budget == nil {
		t.Fatalf("%+v, %v", live, errs)
	}
	if !live.Images[0].File.HasSymbols() || live.Budget.Read(object.MaxRead) || !live.Budget.Reached() {
		t.Error("what is read of live images is not counted")
	}
	l, _ := (&Loader{Budget: object.NewBudget(0, 1<<20)}).Load(x)
	if l.Images[0].File.HasSymbols() || l.Images[1].File.HasSymbols() || !l.Budget.Reached() {
		t.Error("what is kept of saved images is not counted")
	}
}

func withSymbol(im *machotest.Image) {
	im.Symbols = []machotest.Symbol{{Name: "_f", Type: 0xf, Sect: 1, Value: mainBase + machotest.Text}}
}
