package elfcore_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
	"stacksnap/task/damage"
	"stacksnap/task/elfcore"
	"stacksnap/task/regular"
)

func TestRegisters(t *testing.T) {
	tests := []struct {
		name    string
		machine uint16
		size    int
		words   int // of pr_reg
		want    []uint64
	}{
		// rax rdx rcx rbx rsi rdi rbp rsp r8…r15 rip
		{"x86_64", machineX86_64, 8, 27, []uint64{11, 13, 12, 6, 14, 15, 5, 20, 10, 9, 8, 7, 4, 3, 2, 1, 17}},
		// eax ecx edx ebx esp ebp esi edi eip
		{"i386", machine386, 4, 17, []uint64{7, 2, 3, 1, 16, 6, 4, 5, 13}},
		{"arm64", machineAArch64, 8, 34, upTo(33)},
		{"armv7", machineARM, 4, 18, upTo(16)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			im := image{machine: tt.machine, size: tt.size, notes: []note{status(tt.size, tt.words, 42)}}
			p := open(t, im.bytes())
			var th task.Thread
			if err := errors.Join(p.Describe(42, &th), p.Capture(42, &th)); err != nil {
				t.Fatal(err)
			}
			if p.Info().Arch.String() != tt.name || th.Registers.Arch != p.Info().Arch {
				t.Errorf("%v, registers of %v", p.Info().Arch, th.Registers.Arch)
			}
			if got := th.Registers.R[:len(tt.want)]; !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
			if want := uint64(1)<<len(tt.want) - 1; th.Registers.Known != want {
				t.Errorf("known %b, want %b", th.Registers.Known, want)
			}
			if th.User != 3250*time.Millisecond || th.System != 1500*time.Millisecond {
				t.Errorf("times %v, %v", th.User, th.System)
			}
		})
	}
}

func upTo(n uint64) []uint64 {
	var list []uint64
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

// everything is a core with all that is read.
func everything(machine uint16, size, regs int) *image {
	return &image{machine: machine, size: size, notes: []note{
		info(size, 42, 7, "worker"), status(size, regs, 42), status(size, regs, 43),
		aux(size, 6, 4096, 3, 0x1040, 33, 0x9000),
		files(size, 4096,
			file{0x1000, 0x2000, 0, "/bin/worker-of-many"},
			file{0x2000, 0x4000, 1, "/bin/worker-of-many"},
			file{0x5000, 0x6000, 2, "/lib/gone.so (deleted)"}),
	}, segments: []segment{
		{0x1000, 0, 4, bytes.Repeat([]byte{'h'}, 0x1000)},
		{0x2000, 0x3000, 5, nil}, // the file ends in the middle of it
		{0x7000, 0, 6, bytes.Repeat([]byte{'s'}, 0x100)},
		{0x9000, 0, 5, bytes.Repeat([]byte{'v'}, 0x100)},
	}}
}

func TestProcess(t *testing.T) {
	p := open(t, everything(machineX86_64, 8, 27).bytes())
	if problems := p.Info().Problems; len(problems) > 0 {
		t.Error(problems)
	}
	want := task.Info{
		PID: 42, Name: "worker-of-many", Path: "/bin/worker-of-many", ParentPID: 7,
		Arch: task.AMD64, OS: task.Linux, PageSize: 4096, CodeMask: ^uint64(0),
	}
	if diff := cmp.Diff(want, p.Info()); diff != "" {
		t.Error(diff)
	}
	var regions []task.Region
	for r, err := range p.Regions() {
		if err != nil {
			t.Fatal(err)
		}
		regions = append(regions, r)
	}
	r, w, x := task.Read, task.Write, task.Execute
	wantRegions := []task.Region{
		{Start: 0x1000, End: 0x2000, Prot: r, Path: "/bin/worker-of-many"},
		{Start: 0x2000, End: 0x4000, Prot: r | x, Path: "/bin/worker-of-many", Offset: 0x1000},
		{Start: 0x4000, End: 0x5000, Prot: r | x},
		{Start: 0x5000, End: 0x6000, Prot: r | x, Path: "/lib/gone.so", PathDeleted: true, Offset: 0x2000},
		{Start: 0x7000, End: 0x7100, Prot: r | w},
		{Start: 0x9000, End: 0x9100, Prot: r | x, Path: "[vdso]"},
	}
	if diff := cmp.Diff(wantRegions, regions); diff != "" {
		t.Error(diff)
	}
}

// TestSegmentBounds: a segment ends where its memory does, whatever the file has of it.
func TestSegmentBounds(t *testing.T) {
	for _, im := range []*image{{machine: machineX86_64, size: 8}, {machine: machineARM, size: 4}} {
		im.segments = []segment{{0x10000, 0x3200, 5, bytes.Repeat([]byte{'h'}, 0x1100)}}
		p := open(t, im.bytes())
		for r, err := range p.Regions() {
			if want := (task.Region{Start: 0x10000, End: 0x13200, Prot: task.Read | task.Execute}); err != nil || r != want {
				t.Errorf("words of %d bytes: %+v, %v\nwant %+v", im.size, r, err, want)
			}
		}
		b := make([]byte, 0x4000)
		if n, _ := p.Memory().ReadMemory(b, 0x10000); n != 0x1100 {
			t.Errorf("words of %d bytes: %#x bytes of memory", im.size, n)
		}
	}
}

func TestMemory(t *testing.T) {
	p := open(t, everything(machineX86_64, 8, 27).bytes())
	var b [4]byte
	n, err := p.Memory().ReadMemory(b[:], 0x1ffe)
	var fault *task.FaultError
	if n != 2 || string(b[:2]) != "hh" || !errors.As(err, &fault) || fault.Addr != 0x2000 {
		t.Errorf("%d bytes %q, %v", n, b, err)
	}
}

func TestManyProgramHeaders(t *testing.T) {
	for _, size := range []int{4, 8} {
		machine, regs := uint16(machineX86_64), 27
		if size == 4 {
			machine, regs = machine386, 17
		}
		im := everything(machine, size, regs)
		im.many = true
		if ids, _ := open(t, im.bytes()).Threads(); len(ids) != 2 {
			t.Errorf("words of %d: threads %v", size, ids)
		}
	}
}

func TestPointerAuthentication(t *testing.T) {
	im := image{machine: machineAArch64, size: 8, notes: []note{status(8, 34, 1), {0x406, words(8, 0, 0x007f_ff80_0000_0000)}}}
	if got := open(t, im.bytes()).Info().CodeMask; got != 1<<39-1 {
		t.Errorf("code mask %x", got)
	}
	im.notes = im.notes[:1]
	if got := open(t, im.bytes()).Info().CodeMask; got != 1<<48-1 {
		t.Errorf("code mask %x without a note", got)
	}
}

func TestNotACore(t *testing.T) {
	whole := everything(machineX86_64, 8, 27).bytes()
	executable, bigEndian := bytes.Clone(whole), bytes.Clone(whole)
	executable[16], bigEndian[5] = 2, 2
	for name, b := range map[string][]byte{
		"empty": {}, "text": []byte("#!/bin/sh\n"), "executable": executable, "big-endian": bigEndian, "only the magic": whole[:4],
	} {
		r := bytes.NewReader(b)
		if p, err := elfcore.New(r, r.Size()); !errors.Is(err, elfcore.ErrNotCore) || p != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := elfcore.Open(t.TempDir()); !errors.Is(err, regular.ErrDirectory) {
		t.Errorf("a folder: %v", err)
	}
}

// A core that is cut anywhere still gives what stands before the cut.
func TestCutCores(t *testing.T) {
	whole := everything(machineX86_64, 8, 27).bytes()
	for sixteenth := range 17 {
		n := len(whole) * sixteenth / 16
		p, err := elfcore.New(bytes.NewReader(whole[:n]), int64(n))
		if err != nil {
			if n > 64 && errors.Is(err, elfcore.ErrNotCore) {
				t.Errorf("%d of 16: %v", sixteenth, err)
			}
			continue
		}
		if problems := p.Info().Problems; (len(problems) == 0) != (sixteenth == 16) {
			t.Errorf("%d of 16: %v", sixteenth, problems)
		}
		use(t, p)
	}
}

func TestBadNotesCostOnlyThemselves(t *testing.T) {
	good := status(8, 27, 5)
	im := image{machine: machineX86_64, size: 8, segments: []segment{{0x1000, 0, 6, []byte{1}}}, notes: []note{
		{1, []byte{1, 2, 3}}, {3, nil}, {0x46494c45, words(8, 1<<60, 4096)}, {0x46494c45, words(8, 1, 4096, 1, 2, 3)}, {0x406, nil}, good, good,
	}}
	p := open(t, im.bytes())
	if ids, _ := p.Threads(); len(ids) != 1 || ids[0] != 5 {
		t.Errorf("threads %v", ids)
	}
	if problems := p.Info().Problems; len(problems) != 6 {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
}

// use asks a core everything.
func use(t testing.TB, p *elfcore.Process) {
	ids, _ := p.Threads()
	for _, id := range ids {
		var th task.Thread
		if err := errors.Join(p.Describe(id, &th), p.Capture(id, &th)); err != nil {
			t.Error(err)
		}
	}
	var buf [64]byte
	var end task.Addr
	for r, err := range p.Regions() {
		if err != nil || r.End <= r.Start || r.Start < end {
			t.Errorf("region %v–%v after %v: %v", r.Start, r.End, end, err)
		}
		end = r.End
		for _, a := range []task.Addr{r.Start, r.Start - 8, r.End - 8} {
			if n, err := p.Memory().ReadMemory(buf[:], a); n < len(buf) && err == nil {
				t.Errorf("a short read of %d at %v without an error", n, a)
			}
		}
	}
	_ = p.Info()
}

func FuzzCore(f *testing.F) {
	good := [][]byte{everything(machineX86_64, 8, 27).bytes()}
	for _, im := range []*image{everything(machine386, 4, 17), everything(machineAArch64, 8, 34), everything(machineARM, 4, 18)} {
		for i := range im.segments {
			im.segments[i].data = im.segments[i].data[:min(16, len(im.segments[i].data))]
		}
		good = append(good, im.bytes())
		im.many = true
		good = append(good, im.bytes())
	}
	for i := range good {
		f.Add(uint8(i), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := damage.Edit(good[int(which)%len(good)], edits)
		if p, err := elfcore.New(bytes.NewReader(b), int64(len(b))); err == nil {
			use(t, p)
		}
	})
}

// TestCutProgramInfo: an elf_prpsinfo is read where it has the whole name, of which what
// stands behind is not needed.
func TestCutProgramInfo(t *testing.T) {
	for _, size := range []int{4, 8} {
		whole := info(size, 42, 7, "0123456789abcde")
		name := bytes.Index(whole.body, []byte("0123"))
		for n, want := range map[int]string{len(whole.body): "0123456789abcde", name + 16: "0123456789abcde", name + 15: "", name: "", 0: ""} {
			machine, regs := uint16(machineX86_64), 27
			if size == 4 {
				machine, regs = machine386, 17
			}
			im := image{machine: machine, size: size, notes: []note{{whole.kind, whole.body[:n]}, status(size, regs, 42)}}
			p := open(t, im.bytes())
			var th task.Thread
			if err := p.Describe(42, &th); err != nil {
				t.Fatal(err)
			}
			if th.Name != want && p.Info().PID == 42 || len(p.Info().Problems) > 0 != (want == "") {
				t.Errorf("%d of %d bytes: name %q, problems %v", n, len(whole.body), th.Name, p.Info().Problems)
			}
		}
	}
}

// TestCoreOfLittle: memory alone is a core, and so are threads alone; neither is none.
func TestCoreOfLittle(t *testing.T) {
	memory, thread := []segment{{0x1000, 0, 6, []byte{1}}}, []note{status(8, 27, 1)}
	for name, c := range map[string]struct {
		im     image
		usable bool
	}{
		"memory":  {image{machine: machineX86_64, size: 8, segments: memory}, true},
		"threads": {image{machine: machineX86_64, size: 8, notes: thread}, true},
		"neither": {image{machine: machineX86_64, size: 8}, false},
	} {
		b := c.im.bytes()
		_, err := elfcore.New(bytes.NewReader(b), int64(len(b)))
		if (err == nil) != c.usable || err != nil && !strings.Contains(err.Error(), "neither threads nor memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
