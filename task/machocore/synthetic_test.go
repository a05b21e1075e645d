package machocore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
	"stacksnap/task/machocore"
)

func open(t *testing.T, b []byte) *machocore.Process {
	t.Helper()
	p, err := machocore.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// words makes a state of n words of size bytes, the i-th being i + 1.
func words(n, size int) []byte {
	b := make([]byte, 0, n*size)
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, uint64(i+1))[:(i+1)*size]
	}
	return b
}

func unified(flavor uint32, state []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, flavor)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(state)/4)), state...)
}

var other = corefile.State{Flavor: 3, Words: make([]byte, 12)} // an exception state

func TestFlavors(t *testing.T) {
	// The values are 1, 2, 3… in the order of the structures.
	tests := []struct {
		name       string
		cpu        uint32
		thread     corefile.Thread
		arch       task.Arch
		pc, sp, fp task.Addr
	}{
		{"x86_THREAD_STATE64", corefile.X86_64, corefile.Thread{{Flavor: 4, Words: words(21, 8)}}, task.AMD64, 17, 8, 7},
		{"x86_THREAD_STATE of 64", corefile.X86_64, corefile.Thread{{Flavor: 7, Words: unified(4, words(21, 8))}}, task.AMD64, 17, 8, 7},
		{"x86_THREAD_FULL_STATE64", corefile.X86_64, corefile.Thread{{Flavor: 23, Words: words(25, 8)}}, task.AMD64, 17, 8, 7},
		{"after another", corefile.X86_64, corefile.Thread{other, {Flavor: 4, Words: words(21, 8)}}, task.AMD64, 17, 8, 7},
		{"x86_THREAD_STATE32", corefile.X86, corefile.Thread{{Flavor: 1, Words: words(16, 4)}}, task.I386, 11, 8, 7},
		{"x86_THREAD_STATE of 32", corefile.X86, corefile.Thread{{Flavor: 7, Words: append(unified(1, words(16, 4)), make([]byte, 104)...)}}, task.I386, 11, 8, 7},
		{"ARM_THREAD_STATE64", corefile.ARM64, corefile.Thread{{Flavor: 6, Words: words(34, 8)}}, task.ARM64, 33, 32, 30},
		{"ARM_UNIFIED_THREAD_STATE of 64", corefile.ARM64, corefile.Thread{{Flavor: 1, Words: unified(6, words(34, 8))}}, task.ARM64, 33, 32, 30},
		{"ARM_THREAD_STATE", corefile.ARM, corefile.Thread{{Flavor: 1, Words: words(17, 4)}}, task.ARM, 16, 14, 8},
		{"ARM_THREAD_STATE32", corefile.ARM, corefile.Thread{{Flavor: 9, Words: words(17, 4)}}, task.ARM, 16, 14, 8},
		{"ARM_UNIFIED_THREAD_STATE of 32", corefile.ARM, corefile.Thread{{Flavor: 1, Words: append(unified(9, words(17, 4)), make([]byte, 204)...)}}, task.ARM, 16, 14, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := corefile.Core{CPU: tt.cpu, Threads: []corefile.Thread{tt.thread}}
			p := open(t, c.Bytes())
			var th task.Thread
			if err := p.Capture(0, &th); err != nil {
				t.Fatal(err)
			}
			r := &th.Registers
			if r.Arch != tt.arch || r.PC() != tt.pc || r.SP() != tt.sp || r.FP() != tt.fp {
				t.Errorf("%v pc %v sp %v fp %v", r.Arch, r.PC(), r.SP(), r.FP())
			}
			if want := uint64(1)<<tt.arch.NumRegisters() - 1; r.Known != want {
				t.Errorf("known %b, want %b", r.Known, want)
			}
		})
	}
}

// x86's structures do not stand in the order of DWARF's numbers.
func TestX86Order(t *testing.T) {
	c := corefile.Core{CPU: corefile.X86_64, Threads: []corefile.Thread{{{Flavor: 4, Words: words(21, 8)}}}}
	var th task.Thread
	if err := open(t, c.Bytes()).Capture(0, &th); err != nil {
		t.Fatal(err)
	}
	// rax rdx rcx rbx rsi rdi rbp rsp r8…r15 rip
	if want := [...]uint64{1, 4, 3, 2, 6, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}; [17]uint64(th.Registers.R[:17]) != want {
		t.Errorf("%v, want %v", th.Registers.R[:17], want)
	}
	c = corefile.Core{CPU: corefile.X86, Threads: []corefile.Thread{{{Flavor: 1, Words: words(16, 4)}}}}
	if err := open(t, c.Bytes()).Capture(0, &th); err != nil {
		t.Fatal(err)
	}
	// eax ecx edx ebx esp ebp esi edi eip
	if want := [...]uint64{1, 3, 4, 2, 8, 7, 6, 5, 11}; [9]uint64(th.Registers.R[:9]) != want {
		t.Errorf("%v, want %v", th.Registers.R[:9], want)
	}
}

var stateX86 = corefile.Thread{{Flavor: 4, Words: words(21, 8)}}

func TestBadThreadsCostOnlyThemselves(t *testing.T) {
	c := corefile.Core{CPU: corefile.X86_64, Threads: []corefile.Thread{
		{{Flavor: 4, Count: 1 << 31, Words: words(21, 8)}}, // impossible
		{{Flavor: 4, Count: 8, Words: words(4, 8)}},        // too short
		{other},
		{},
		{{Flavor: 1, Words: words(16, 4)}}, // of i386
		stateX86,
		append(corefile.Thread{}, stateX86[0], corefile.State{Flavor: 9, Count: 99, Words: make([]byte, 4)}),
	}}
	p := open(t, c.Bytes())
	for i, ok := range []bool{false, false, false, false, false, true, true} {
		var th task.Thread
		err := p.Capture(task.ThreadID(i), &th)
		if (err == nil) != ok {
			t.Errorf("thread %d: %v", i, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("thread %d: more than one line: %q", i, err)
		}
	}
	if err := p.Capture(7, &task.Thread{}); !errors.Is(err, task.ErrThreadGone) {
		t.Errorf("an eighth thread: %v", err)
	}
}

func segment(addr uint64, prot uint32, fill byte, n int) corefile.Segment {
	return corefile.Segment{Addr: addr, Prot: prot, Data: bytes.Repeat([]byte{fill}, n)}
}

func read(p *machocore.Process, a task.Addr, n int) (string, error) {
	b := make([]byte, n)
	k, err := p.Memory().ReadMemory(b, a)
	return string(b[:k]), err
}

func TestMemory(t *testing.T) {
	empty := corefile.Segment{Addr: 0x5000, Size: 0x1000, Prot: 1}
	c := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{}}, Segments: []corefile.Segment{
		segment(0x4000, 3, 'b', 0x1000), segment(0x3000, 3, 'a', 0x1000), empty, segment(0x8000, 5, 'c', 16),
	}}
	p := open(t, c.Bytes())
	tests := []struct {
		at    task.Addr
		n     int
		want  string
		fault task.Addr // 0: none
	}{
		{0x3000, 2, "aa", 0},
		{0x3ffe, 4, "aabb", 0},
		{0x4ffe, 4, "bb", 0x5000},
		{0x5010, 1, "", 0x5010},
		{0x800e, 4, "cc", 0x8010},
		{0x2fff, 4, "", 0x2fff},
		{^task.Addr(0), 4, "", ^task.Addr(0)},
	}
	for _, tt := range tests {
		got, err := read(p, tt.at, tt.n)
		var fault *task.FaultError
		if errors.As(err, &fault); got != tt.want || (err != nil) != (tt.fault != 0) || err != nil && fault.Addr != tt.fault {
			t.Errorf("%v+%d: %q, %v", tt.at, tt.n, got, err)
		}
	}
	var starts []task.Addr
	for r, err := range p.Regions() {
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, r.Start)
	}
	if len(starts) != 4 || starts[0] != 0x3000 || starts[2] != 0x5000 {
		t.Errorf("regions at %v", starts)
	}
}

// backing has memory of one letter everywhere below a limit.
type backing struct{ end task.Addr }

func (b backing) ReadMemory(p []byte, a task.Addr) (int, error) {
	n := 0
	for ; n < len(p) && a+task.Addr(n) < b.end; n++ {
		p[n] = 'z'
	}
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

func TestWhatTheCoreLacksIsTakenFromTheBacking(t *testing.T) {
	c := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{}}, Segments: []corefile.Segment{
		segment(0x3000, 3, 'a', 16), {Addr: 0x3010, Size: 0x10, Prot: 1}, segment(0x3020, 3, 'b', 16),
	}}
	p := open(t, c.Bytes())
	p.Back(backing{0x3036})
	if got, err := read(p, 0x2ffe, 0x40); got != "zz"+strings.Repeat("a", 16)+strings.Repeat("z", 16)+strings.Repeat("b", 16)+"zzzzzz" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOverlappingSegments(t *testing.T) {
	c := corefile.Core{CPU: corefile.ARM64, Segments: []corefile.Segment{
		segment(0x3000, 3, 'a', 0x30), segment(0x3020, 3, 'b', 0x20), segment(0x3010, 3, 'c', 8), segment(0x3000, 3, 'd', 8),
	}}
	p := open(t, c.Bytes())
	if got, err := read(p, 0x3000, 0x40); got != strings.Repeat("a", 0x30)+strings.Repeat("b", 0x10) || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if errs := p.Info().Problems; len(errs) != 1 || !strings.Contains(errs[0].Error(), "3 segments overlap") {
		t.Errorf("problems: %v", errs)
	}
}

func TestStackOfAThreadThatRanOver(t *testing.T) {
	state := words(34, 8)
	binary.LittleEndian.PutUint64(state[31*8:], 0x3ff0) // sp, in the guard
	c := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{{Flavor: 6, Words: state}}}, Segments: []corefile.Segment{
		{Addr: 0x3000, Size: 0x1000}, segment(0x4000, 3, 's', 0x1000), segment(0x5000, 3, 't', 0x10), segment(0x5010, 1, 'u', 0x10),
	}}
	var s task.Snapshot
	if err := task.Take(open(t, c.Bytes()), &s); err != nil {
		t.Fatal(err)
	}
	st := s.Threads[0].Stacks
	if len(st) != 1 || st[0].Base != 0x4000 || st[0].Top != 0x5010 || len(st[0].Bytes) != 0x1010 {
		t.Errorf("%d stacks: base %v, top %v", len(st), st[0].Base, st[0].Top)
	}
}

var uuid = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

func TestNotes(t *testing.T) {
	im := corefile.Image{Path: "/usr/lib/libz.dylib", UUID: uuid, Load: 0x1000, Segments: []corefile.ImageSegment{{Name: "__TEXT", Addr: 0x1000}, {Name: "__DATA", Addr: 0x9000}}}
	late := corefile.Image{Path: "late", Load: ^uint64(0), Slide: 0x77000}
	c := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{}, {}}, Notes: []corefile.Note{
		corefile.MainBinSpec(2, 2, 0x5000, ^uint64(0), uuid, 12),
		corefile.AllImageInfos([]corefile.Image{im}),
		corefile.LoadBinary(late),
		corefile.AddressableBits(39),
		corefile.ProcessMetadata([]corefile.ThreadMeta{{ID: 77, Name: "first\n", Queue: "com.apple.main"}, {ID: 99}}),
		corefile.KernelVersion("Darwin Kernel Version 23.5.0"),
		{Owner: "something else", Payload: corefile.Fixed([]byte("x"))},
	}}
	p := open(t, c.Bytes())
	if errs := p.Info().Problems; len(errs) > 0 {
		t.Error(errs)
	}
	info := p.Info()
	if info.PageSize != 4096 || info.CodeMask != 1<<39-1 || info.OSVersion != "Darwin Kernel Version 23.5.0" {
		t.Errorf("%+v", info)
	}
	noted := p.Info().SavedImages
	if len(noted) != 2 || noted[0].Path != im.Path || !bytes.Equal(noted[0].ID, uuid[:]) || noted[0].Load != 0x1000 ||
		len(noted[0].Segments) != 2 || noted[0].Segments[1] != (task.SavedSegment{Name: "__DATA", Addr: 0x9000}) {
		t.Errorf("%+v", noted)
	}
	if n := noted[1]; n.Path != "late" || n.ID != nil || n.Load != 0 || !n.HasSlide || n.Slide != 0x77000 {
		t.Errorf("%+v", n)
	}
	var th task.Thread
	if err := p.Describe(77, &th); err != nil || th.Name != "first" || th.Queue != "com.apple.main" {
		t.Errorf("%+v, %v", th, err)
	}
}

func TestMetadataThatDoesNotFitIsNotBelieved(t *testing.T) {
	for name, meta := range map[string][]corefile.ThreadMeta{
		"too few": {{ID: 7}},
		"double":  {{ID: 7}, {ID: 7}},
	} {
		c := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{}, {}}, Notes: []corefile.Note{corefile.ProcessMetadata(meta)}}
		ids, _ := open(t, c.Bytes()).Threads()
		if len(ids) != 2 || ids[0] != 0 || ids[1] != 1 {
			t.Errorf("%s: threads %v", name, ids)
		}
	}
}

func TestBadNotesCostOnlyThemselves(t *testing.T) {
	short := corefile.Fixed([]byte{9, 0, 0, 0})
	c := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{}}}
	for _, owner := range []string{"main bin spec", "all image infos", "load binary", "addrable bits", "process metadata", "kern ver str"} {
		c.Notes = append(c.Notes, corefile.Note{Owner: owner, Payload: short})
	}
	p := open(t, c.Bytes())
	if errs := p.Info().Problems; len(errs) != len(c.Notes) {
		t.Errorf("%d problems of %d notes: %v", len(errs), len(c.Notes), errs)
	}
}

func TestFatFile(t *testing.T) {
	arm := corefile.Core{CPU: corefile.ARM64, Threads: []corefile.Thread{{}}, Segments: []corefile.Segment{segment(0x1000, 1, 'a', 16)}}
	x86 := corefile.Core{CPU: corefile.X86_64, Threads: []corefile.Thread{stateX86}, Segments: []corefile.Segment{segment(0x1000, 1, 'x', 16)}}
	one := corefile.Fat([]uint32{corefile.X86_64}, [][]byte{x86.Bytes()})
	p := open(t, one)
	if got, err := read(p, 0x1000, 1); p.Info().Arch != task.AMD64 || got != "x" || err != nil || len(p.Info().Problems) > 0 {
		t.Errorf("one part: %v %q %v %v", p.Info().Arch, got, err, p.Info().Problems)
	}
	two := open(t, corefile.Fat([]uint32{corefile.ARM64, corefile.X86_64}, [][]byte{arm.Bytes(), x86.Bytes()}))
	if got, err := read(two, 0x1000, 1); two.Info().Arch != task.ARM64 || got != "a" || err != nil {
		t.Errorf("two parts: %v %q %v", two.Info().Arch, got, err)
	}
	if errs := two.Info().Problems; len(errs) != 1 || !strings.Contains(errs[0].Error(), "2 architectures (arm64, x86_64)") {
		t.Errorf("two parts: %v", errs)
	}
}
