package mach

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
)

func infoOf(t *testing.T, s *scripted) task.Info {
	t.Helper()
	p := mustOpen(t, s)
	defer mustClose(t, p)
	return p.Info()
}

func TestInfo(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.numbers["hw.pagesize"] = 16384
	s.cwd, s.bsd.uid = "/Users/Shared", 4_294_967_290 // who has no name
	want := task.Info{
		Folder: "/Users/Shared", User: &task.User{ID: 4_294_967_290},
		PID: 42, Name: "program", Path: "/usr/bin/program", Arch: task.ARM64, OS: task.Darwin,
		OSVersion: "macOS 14.5 (23F79)", ParentPID: 1, ParentName: "parent", Start: time.Unix(1_700_000_000, 0),
		PageSize: 16384, CodeMask: 1<<47 - 1, LoaderInfo: testAllInfo, LoaderPointerSize: 8, Live: true,
		Footprint: task.Footprint{Now: 3 << 20, Peak: 4 << 20},
	}
	if d := cmp.Diff(want, infoOf(t, s)); d != "" {
		t.Error(d)
	}
}

func TestInfoOfAnOddKernel(t *testing.T) {
	s := newOdd(1)
	got := infoOf(t, s)
	if got.Name != "program" || got.OSVersion != "Darwin 23.5.0" || got.Arch != task.AMD64 || got.CodeMask != ^uint64(0) || got.Translated {
		t.Errorf("%+v", got)
	}
	s.execPath, s.args = "", []byte("\x02\x00\x00\x00/bin/other\x00\x00\x00arg\x00")
	if got := infoOf(t, s); got.Path != "/bin/other" || got.Name != "other" {
		t.Errorf("path %q, name %q", got.Path, got.Name)
	}
	s.args = nil
	if got := infoOf(t, s); got.Path != "" || got.Name != "mldr" {
		t.Errorf("path %q, name %q", got.Path, got.Name)
	}
}

// TestOwnerIsLeftOut where the system does not tell.
func TestOwnerIsLeftOut(t *testing.T) {
	for call, told := range map[string]func(task.Info) bool{
		"proc_pidinfo(VNODEPATHINFO)": func(i task.Info) bool { return i.Folder != "" },
		"proc_pidinfo(TBSDINFO)":      func(i task.Info) bool { return i.User != nil },
	} {
		s := newScripted(task.ARM64, 1)
		s.cwd, s.failCall, s.failWith = "/", call, denied
		if got := readInfo(s, s.pid, s.loader); told(got) {
			t.Errorf("%s fails: %+v", call, got)
		}
	}
}

func TestTheAddressMask(t *testing.T) {
	for bits, want := range map[uint64]uint64{47: 1<<47 - 1, 39: 1<<39 - 1, 0: 1<<47 - 1, 65: 1<<47 - 1, 64: ^uint64(0)} {
		s := newScripted(task.ARM64, 1)
		s.numbers["machdep.virtual_address_size"] = bits
		if got := infoOf(t, s).CodeMask; got != want {
			t.Errorf("%d bits: %#x", bits, got)
		}
	}
}

func TestTranslatedTargets(t *testing.T) {
	scripts := map[string]func(*scripted){
		"PROC_FLAG_ROSETTA": func(s *scripted) { s.bsd.flags |= flagRosetta },
		"P_TRANSLATED":      func(s *scripted) { s.pflags = flagTranslated },
		"cputype":           func(s *scripted) { s.cpu = cpuX86_64 },
	}
	for name, script := range scripts {
		s := newScripted(task.ARM64, 2)
		script(s)
		p := mustOpen(t, s)
		if i := p.Info(); !i.Translated || i.Arch != task.AMD64 || i.PageSize != 4096 {
			t.Errorf("%s: %+v", name, i)
		}
		var snap task.Snapshot
		if err := task.Take(p, &snap); err != nil || len(snap.Threads) != 2 {
			t.Errorf("%s: %v, %d threads", name, err, len(snap.Threads))
		}
		for i := range snap.Threads {
			th := &snap.Threads[i]
			if th.Err != errTranslated || th.Registers.Known != 0 || len(th.Stacks) != 0 {
				t.Errorf("%s: %v, registers %x", name, th.Err, th.Registers.Known)
			}
			if own := s.threadList[i]; th.ID != own.id || th.Name != own.name || th.State != task.Sleeping || th.Priority == (task.Priority{}) {
				t.Errorf("%s: thread %d %q %v, priority %v", name, th.ID, th.Name, th.State, th.Priority)
			}
		}
		if i := p.Info(); i.LoaderInfo == 0 || i.Path == "" || i.Footprint.Now == 0 {
			t.Errorf("%s: %+v", name, i)
		}
		if _, err := p.Memory().ReadMemory(make([]byte, 16), testText); err != nil { // images
			t.Errorf("%s: %v", name, err)
		}
		mustClose(t, p)
		s.balance(t)
	}
}

func Test32BitTarget(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.bsd.flags = 0
	s.loader = dyldInfo{addr: 0x8fe00000}
	s.threadList[0].words = stateWords(task.I386, 0x1000, 0x2000)
	s.addRegion(0x1000, 0x2000, task.Read|task.Write, 30, false)
	last := len(s.memory) - 1
	s.memory[0], s.memory[last] = s.memory[last], s.memory[0] // the lowest first
	var snap task.Snapshot
	take(t, s, &snap)
	if th := &snap.Threads[0]; th.Err != nil || th.Registers.PC() != 0x1000 || th.Registers.FP() != 0x2040 || len(th.Stacks[0].Bytes) != 0x1080 {
		t.Errorf("%v, %+v", th.Err, th.Registers)
	}
	p := mustOpen(t, s)
	if i := p.Info(); i.Arch != task.I386 || i.LoaderPointerSize != 4 {
		t.Errorf("%+v", i)
	}
	mustClose(t, p)
}

// TestOpenedDuringExec: what a process is called is what it was before exec, when it is
// asked for at once.
func TestOpenedDuringExec(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.execPath, s.args = "/bin/sh", []byte("\x01\x00\x00\x00/bin/sh\x00sh\x00")
	p := mustOpen(t, s)
	if p.Rename() {
		t.Error("it is called otherwise, though nothing has changed")
	}
	s.execPath, s.args = "/usr/bin/make", []byte("\x02\x00\x00\x00/usr/bin/make\x00make\x00all\x00")
	if i := p.Info(); !p.Rename() || i.Name != "sh" {
		t.Errorf("not asked anew; before %+v", i)
	}
	if i := p.Info(); i.Name != "make" || i.Path != "/usr/bin/make" || !slices.Equal(i.Command.Args, []string{"make", "all"}) {
		t.Errorf("%+v", i)
	}
	s.execPath, s.args, s.dead[p.task] = "/bin/other", nil, true // another has the pid
	if p.Rename() || p.Info().Name != "make" {
		t.Errorf("after its end: %+v", p.Info())
	}
	s.dead[p.task] = false
	mustClose(t, p)
}

func FuzzExecPath(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00/bin/other\x00arg\x00"))
	f.Add([]byte("\x02\x00\x00\x00"))
	f.Add([]byte("\x02\x00\x00\x00/never/ended"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := execPath(b); len(s) > len(b) {
			t.Error(s)
		}
	})
}

func TestCommandLine(t *testing.T) {
	const path = "/bin/it\x00\x00\x00\x00"
	for _, c := range []struct {
		args string
		want []string
	}{
		{"\x02\x00\x00\x00" + path + "it\x00a b\x00PATH=/bin\x00", []string{"it", "a b"}},
		{"\x03\x00\x00\x00" + path + "it\x00\x00c\x00E=\x00", []string{"it", "", "c"}},
		{"\x01\x00\x00\x00" + path + "it", []string{"it"}},
		{"\x09\x00\x00\x00" + path + "it\x00b\x00", []string{"it", "b"}},
		{"\x00\x00\x00\x00" + path + "PATH=/bin\x00", nil},
		{"\xff\xff\xff\xff" + path + "it\x00", nil},
		{"\x01\x00\x00\x00/bin/it", nil},
		{"\x01\x00\x00", nil}, {"", nil},
	} {
		s := newScripted(task.ARM64, 1)
		s.args = []byte(c.args)
		got := infoOf(t, s).Command
		if d := cmp.Diff(task.Command{Args: c.want}, got); d != "" {
			t.Errorf("%q: %s", c.args, d)
		}
	}
	s := newScripted(task.ARM64, 1)
	s.args = append([]byte("\xff\xff\xff\x7f"+path), bytes.Repeat([]byte("x\x00"), task.MaxArguments+10)...)
	if got := infoOf(t, s).Command; len(got.Args) != task.MaxArguments || !got.Cut {
		t.Errorf("%d arguments, cut %v", len(got.Args), got.Cut)
	}
}

func TestMachineAndFootprint(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.texts["hw.model"], s.texts["machdep.cpu.brand_string"] = "MacBookPro18,3", "Apple M1 Pro"
	s.numbers["hw.ncpu"], s.numbers["hw.activecpu"], s.numbers["hw.memsize"] = 10, 8, 16<<30
	s.usage = task.Footprint{Now: 5 << 20, Peak: 9 << 20}
	got := infoOf(t, s)
	want := task.Machine{Model: "MacBookPro18,3", CPU: "Apple M1 Pro", CPUs: 10, Active: 8, Memory: 16 << 30}
	if got.Machine != want || got.Footprint != s.usage {
		t.Errorf("%+v, %+v", got.Machine, got.Footprint)
	}
	s.failCall, s.failWith = "task_info(VM_INFO)", denied
	s.numbers["hw.ncpu"] = 1 << 40
	if got := infoOf(t, s); got.Footprint != (task.Footprint{}) || got.Machine.CPUs != 0 {
		t.Errorf("refused: %+v, %d processors", got.Footprint, got.Machine.CPUs)
	}
}
