package goroutines_test

import (
	"bytes"
	"debug/dwarf"
	"debug/macho"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task/machocore"
)

// Where the program of a core is loaded, and where its goroutines and their stacks are.
const (
	coreSlide  = 0x3c00000
	coreHeap   = 0xc000000000
	heapSize   = 0x10000
	stackSize  = 0x800
	goroutineG = 0x400 // bytes from one goroutine to the next
	heapStacks = 0x8000
)

// program is a Go program for macOS, and the memory of a process of it.
type program struct {
	t        *testing.T
	path     string
	file     *macho.File
	named    *macho.File        // has the symbols: the program, or the same one before it was stripped
	segments []corefile.Segment // the heap is the last
	sp, pc   uint64             // of the thread
}

// buildDarwin builds the program for macOS, and makes memory of it as dyld leaves it.
func buildDarwin(t *testing.T, goarch, ldflags string) *program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blocked")
	dir, err := filepath.Abs("testdata/blocked")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags="+ldflags, "-o", path, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=darwin", "GOARCH="+goarch, "CGO_ENABLED=0", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	f, err := macho.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	p := &program{t: t, path: path, file: f, named: f}
	p.load()
	return p
}

// load makes the segments. Words of data that are addresses of the program get the slide.
func (p *program) load() {
	text := p.file.Segment("__TEXT")
	for _, l := range p.file.Loads {
		s, ok := l.(*macho.Segment)
		if !ok || s.Prot == 0 {
			continue
		}
		data := make([]byte, s.Memsz)
		if _, err := s.ReadAt(data[:s.Filesz], 0); err != nil {
			p.t.Fatal(err)
		}
		for at := 0; strings.HasPrefix(s.Name, "__DATA") && at+8 <= len(data); at += 8 {
			if v := binary.LittleEndian.Uint64(data[at:]); v >= text.Addr && v < text.Addr+1<<24 {
				binary.LittleEndian.PutUint64(data[at:], v+coreSlide)
			}
		}
		p.segments = append(p.segments, corefile.Segment{Addr: s.Addr + coreSlide, Prot: s.Prot, Data: data})
	}
	p.segments = append(p.segments, corefile.Segment{Addr: coreHeap, Prot: 3, Data: make([]byte, heapSize)})
}

// bytes returns a part of the memory.
func (p *program) bytes(at, size uint64) []byte {
	p.t.Helper()
	for _, s := range p.segments {
		if at >= s.Addr && at-s.Addr+size <= uint64(len(s.Data)) {
			return s.Data[at-s.Addr:][:size]
		}
	}
	p.t.Fatalf("%#x is in no segment", at)
	return nil
}

func (p *program) word(at uint64) uint64 { return binary.LittleEndian.Uint64(p.bytes(at, 8)) }

func (p *program) put(at, v uint64) { binary.LittleEndian.PutUint64(p.bytes(at, 8), v) }

// symbol returns the address of a function or variable in the process.
func (p *program) symbol(name string) uint64 {
	p.t.Helper()
	for _, s := range p.named.Symtab.Syms {
		if strings.TrimSuffix(s.Name, ".abi0") == name {
			return s.Value + coreSlide
		}
	}
	p.t.Fatalf("no symbol %s", name)
	return 0
}

// fields returns the offsets of the fields of a structure, from the program's debugging information.
func (p *program) fields(structure string) map[string]uint64 {
	p.t.Helper()
	d, err := p.file.DWARF()
	if err != nil {
		p.t.Fatal(err)
	}
	all := map[string]uint64{}
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil || e == nil {
			p.t.Fatalf("no type %s: %v", structure, err)
		}
		if name := e.Val(dwarf.AttrName); e.Tag != dwarf.TagStructType || name != structure {
			continue
		}
		t, err := d.Type(e.Offset)
		if err != nil {
			p.t.Fatal(err)
		}
		addFields(all, "", 0, t)
		return all
	}
}

func addFields(all map[string]uint64, before string, base int64, t dwarf.Type) {
	for {
		def, ok := t.(*dwarf.TypedefType)
		if !ok {
			break
		}
		t = def.Type
	}
	s, ok := t.(*dwarf.StructType)
	if !ok {
		all[strings.TrimSuffix(before, ".")] = uint64(base)
		return
	}
	for _, f := range s.Field {
		addFields(all, before+f.Name+".", base+f.ByteOffset, f.Type)
	}
}

// park puts the main goroutine, which has ended, and others on the list. These have not run since they were made to run a function, and
// wait for a reason.
func (p *program) park(fields map[string]uint64, n int, function string, reason byte) {
	const list = coreHeap + heapSize - 0x1000
	p.put(p.symbol("runtime.allglen"), uint64(n)+1)
	p.put(p.symbol("runtime.allgptr"), list-8)
	const main, dead = coreHeap + 5*goroutineG, 6
	p.put(list-8, main)
	p.put(main+fields["goid"], 1)
	binary.LittleEndian.PutUint32(p.bytes(main+fields["atomicstatus.value"], 4), dead)
	for i := range uint64(n) {
		g, low := coreHeap+i*goroutineG, coreHeap+heapStacks+i*stackSize
		sp := low + stackSize - 0x40
		p.put(list+8*i, g)
		for name, v := range map[string]uint64{
			"stack.lo": low, "stack.hi": low + stackSize, "sched.sp": sp, "sched.pc": p.symbol(function), "sched.g": g,
			"goid": 20 + i, "gopc": p.symbol("main.main") + 4, "startpc": p.symbol(function),
		} {
			at, ok := fields[name]
			if !ok {
				p.t.Fatalf("runtime.g has no %s", name)
			}
			p.put(g+at, v)
		}
		const waiting = 4
		binary.LittleEndian.PutUint32(p.bytes(g+fields["atomicstatus.value"], 4), waiting)
		p.bytes(g+fields["waitreason"], 1)[0] = reason
		end := p.symbol("runtime.goexit") + map[macho.Cpu]uint64{macho.CpuAmd64: 1, macho.CpuArm64: 4}[p.file.Cpu]
		p.put(sp, end)
		if p.file.Cpu == macho.CpuArm64 {
			p.put(g+fields["sched.lr"], end)
		}
	}
}

// run has the thread of the core run the goroutine with an index, which is not on the list.
func (p *program) run(fields, ofM map[string]uint64, index uint64) {
	const m = coreHeap + heapStacks - 0x1000
	g, low := coreHeap+index*goroutineG, coreHeap+heapStacks+index*stackSize
	p.put(p.symbol("runtime.allm"), m)
	p.put(m+ofM["curg"], g)
	const g0 = coreHeap + 6*goroutineG
	p.put(m, g0)
	p.put(g0+fields["m"], m)
	p.put(g+fields["m"], m)
	p.put(g+fields["goid"], 20+index)
	p.put(g+fields["stack.lo"], low)
	p.put(g+fields["stack.hi"], low+stackSize)
	const running = 2
	binary.LittleEndian.PutUint32(p.bytes(g+fields["atomicstatus.value"], 4), running)
	p.sp, p.pc = low+stackSize-0x40, p.symbol("main.receive")
}

// capture writes a core and makes a profile of it.
func (p *program) capture() *profile.Profile {
	p.t.Helper()
	state := corefile.State{Flavor: 4, Words: make([]byte, 21*8)} // x86_THREAD_STATE64
	if p.file.Cpu == macho.CpuArm64 {
		state = corefile.State{Flavor: 6, Words: make([]byte, 34*8)} // ARM_THREAD_STATE64
	}
	spWord, pcWord := 7, 16
	if p.file.Cpu == macho.CpuArm64 {
		spWord, pcWord = 31, 32
	}
	binary.LittleEndian.PutUint64(state.Words[8*spWord:], p.sp)
	binary.LittleEndian.PutUint64(state.Words[8*pcWord:], p.pc)
	c := corefile.Core{
		CPU: uint32(p.file.Cpu), Threads: []corefile.Thread{{state}},
		Notes:    []corefile.Note{corefile.AllImageInfos([]corefile.Image{{Path: p.path, Load: p.segments[0].Addr}})},
		Segments: p.segments,
	}
	b := c.Bytes()
	core, err := machocore.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		p.t.Fatal(err)
	}
	defer core.Close()
	made, err := capture.OneShot(core, capture.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	return made
}

// TestMachOCore reads goroutines of a Go program for macOS from a core: with debugging information,
// without it, stripped, and where the list of a stripped program proves nothing none, which a note says.
func TestMachOCore(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64"} {
		t.Run(goarch, func(t *testing.T) {
			whole := buildDarwin(t, goarch, "")
			fields, ofM := whole.fields("runtime.g"), whole.fields("runtime.m")
			bare := buildDarwin(t, goarch, "-s")
			bare.named = whole.file
			for name, p := range map[string]*program{"whole": whole, "without debugging information": buildDarwin(t, goarch, "-w"), "stripped": bare} {
				p.park(fields, 3, "main.receive", reasonOf(p, "chan receive"))
				p.run(fields, ofM, 3)
				got := p.capture()
				for _, line := range got.Notes {
					t.Logf("%s: %s", name, line)
				}
				checkReceivers(t, got)
				if ran := got.Threads[0].Goroutine.ID; ran != 23 {
					t.Errorf("%s: the thread runs goroutine %d", name, ran)
				}
			}
			stripped := buildDarwin(t, goarch, "-s").capture()
			if text := strings.Join(stripped.Notes, "\n"); len(stripped.Tasks) != 0 || !strings.Contains(text, "blocked: goroutines are not found: no symbol runtime.allglen: the program is stripped, or its symbol table is not readable") {
				t.Errorf("stripped: %d entries, notes %s", len(stripped.Tasks), text)
			}
		})
	}
}

// checkReceivers requires the three goroutines to be in one entry, with all that is known of them.
func checkReceivers(t *testing.T, got *profile.Profile) {
	t.Helper()
	if len(got.Tasks) != 1 {
		t.Fatalf("%d entries: %+v", len(got.Tasks), got.Tasks)
	}
	task := got.Tasks[0]
	k := knownTask(task)
	if task.Count != 3 || task.ID != 20 || task.System || task.Wait != "chan receive" || !strings.HasPrefix(task.Runtime, "Go 1.") {
		t.Errorf("%+v", task)
	}
	if want := []string{"runtime.goexit", "main.receive"}; !slices.Equal(k, want) {
		t.Errorf("stack %q, want %q", k, want)
	}
	leaf := task.Path[len(task.Path)-1]
	if filepath.Base(leaf.File) != "main.go" || leaf.Line == 0 || task.Created == nil || task.Created.Function != "main.main" {
		t.Errorf("%+v, created by %+v", leaf.Location, task.Created)
	}
}

// knownTask returns the functions of a task's stack, the outermost first.
func knownTask(task *profile.Task) (functions []string) {
	for _, n := range task.Path {
		functions = append(functions, strings.TrimSuffix(n.Function, ".abi0"))
	}
	return functions
}

// reasonOf returns the number of a wait reason in the program's own table.
func reasonOf(p *program, reason string) byte {
	p.t.Helper()
	table := p.symbol("runtime.waitReasonStrings")
	for i := range uint64(40) {
		if at, n := p.word(table+16*i), p.word(table+16*i+8); n == uint64(len(reason)) && string(p.bytes(at, n)) == reason {
			return byte(i)
		}
	}
	p.t.Fatalf("no wait reason %q", reason)
	return 0
}
