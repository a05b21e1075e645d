package machocore_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
	"stacksnap/task/damage"
	"stacksnap/task/machocore"
)

// seeds are small cores with everything in them that is read.
func seeds() [][]byte {
	images := []corefile.Image{{Path: "/bin/a", UUID: uuid, Load: 0x1000, Slide: 1, Segments: []corefile.ImageSegment{{Name: "__TEXT", Addr: 0x1000}}}}
	notes := []corefile.Note{
		corefile.MainBinSpec(1, 2, 0x1000, 0, uuid, 14), corefile.AllImageInfos(images), corefile.LoadBinary(images[0]),
		corefile.AddressableBits(47), corefile.ProcessMetadata([]corefile.ThreadMeta{{ID: 3, Name: "n"}}), corefile.KernelVersion("v"),
	}
	arm := corefile.Core{CPU: corefile.ARM64, Notes: notes, Threads: []corefile.Thread{{{Flavor: 6, Words: words(34, 8)}}},
		Segments: []corefile.Segment{{Addr: 0x1000, Prot: 5, Data: dyldHeader()}, segment(0x2000, 3, 's', 64), {Addr: 0x3000, Size: 4096}}}
	x86 := corefile.Core{CPU: corefile.X86_64, Notes: notes[3:], Threads: []corefile.Thread{stateX86, {{Flavor: 7, Words: unified(4, words(21, 8))}}},
		Segments: []corefile.Segment{segment(0, 3, 's', 64), segment(32, 3, 't', 64)}}
	i386 := corefile.Core{CPU: corefile.X86, Threads: []corefile.Thread{{{Flavor: 1, Words: words(16, 4)}}}, Segments: []corefile.Segment{segment(0, 3, 's', 64)}}
	armv7 := corefile.Core{CPU: corefile.ARM, Threads: []corefile.Thread{{{Flavor: 9, Words: words(17, 4)}}}, Segments: []corefile.Segment{segment(0, 3, 's', 64)}}
	gcore := corefile.Core{CPU: corefile.ARM64, Notes: []corefile.Note{crashInfo(0x1000)}, Segments: withList(0x1000, 5, 1), Raw: [][]byte{
		command(0x140, uint32(1), uint16(2), uint16(12), uint64(0x1000), uuid, uint64(0x1000)),
		command(0x142, uint64(0x5000), uint64(16), uint64(0), uint64(16), uint32(7), uint32(3), uint32(0), uint32(0)),
		command(0x141, uint32(0), uuid, uint32(0), uint64(0x7000), uint64(16), uint64(0), uint64(16), uint32(5), uint32(5), uint32(1), uint32(0)),
	}}
	return [][]byte{gcore.Bytes(), arm.Bytes(), x86.Bytes(), i386.Bytes(), armv7.Bytes(),
		corefile.Fat([]uint32{corefile.X86}, [][]byte{i386.Bytes()})}
}

// use asks a core everything.
func use(t *testing.T, p *machocore.Process) {
	t.Helper()
	ids, _ := p.Threads()
	for _, id := range ids {
		var th task.Thread
		_ = p.Describe(id, &th)
		_ = p.Capture(id, &th)
	}
	var buf [64]byte
	for r := range p.Regions() {
		if r.End <= r.Start {
			t.Errorf("region %v–%v", r.Start, r.End)
		}
		for _, a := range []task.Addr{r.Start, r.Start - 8, r.End - 8} {
			if n, err := p.Memory().ReadMemory(buf[:], a); n < len(buf) && err == nil {
				t.Errorf("a short read of %d at %v without an error", n, a)
			}
		}
	}
	_ = p.Info()
}

// Cores that were good before are read without a panic, in every test run.
func TestDamagedCores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	read := 0
	for _, good := range seeds() {
		for range 600 {
			b := damage.Copy(r, good)
			if p, err := machocore.New(bytes.NewReader(b), int64(len(b))); err == nil {
				read++
				use(t, p)
			}
		}
	}
	if read < 1000 {
		t.Errorf("only %d could be read: the others tell nothing", read)
	}
}

func FuzzCore(f *testing.F) {
	good := seeds()
	for i := range good {
		f.Add(uint8(i), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := damage.Edit(good[int(which)%len(good)], edits)
		if p, err := machocore.New(bytes.NewReader(b), int64(len(b))); err == nil {
			use(t, p)
		}
	})
}
