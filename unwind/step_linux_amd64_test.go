package unwind

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/images"
	"stacksnap/images/elf"
	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/unwind/rule"
)

// TestEveryInstruction runs a program one instruction at a time, from the first
// of the dynamic loader to its exit, and wants at each, or one of stepsEach, the very
// chain of callers that was kept from the calls and returns seen on the way.
func TestEveryInstruction(t *testing.T) {
	if testing.Short() {
		needs.Skip(t, "time", "-short is given")
	}
	// What is missed is code without unwind information (crti's _init, crtstuff's
	// constructors, the loader's own start) and the end of longjmp, where the
	// registers are already those of somewhere else.
	for name, flags := range map[string][]string{
		"no frame pointers": {"-O2", "-fomit-frame-pointer", "-Wl,-z,lazy"},
		"frame pointers":    {"-O1", "-fno-omit-frame-pointer", "-static"},
		"no unwind tables":  {"-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables", "-Wl,-z,lazy"},
	} {
		t.Run(name, func(t *testing.T) { stepThrough(t, compile(t, flags), 0.999) })
	}
}

func compile(t *testing.T, flags []string) string {
	needs.Tool(t, "gcc")
	bin := filepath.Join(t.TempDir(), "step")
	args := append(flags, "-o", bin, "testdata/step.c")
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return bin
}

func stepThrough(t *testing.T, bin string, want float64) {
	runtime.LockOSThread() // ptrace answers the thread that started the child alone
	defer runtime.UnlockOSThread()
	s := newStepper(t, bin)
	for n := 1; s.step(); n++ {
		if n%stepsEach == 0 {
			s.check()
		}
	}
	share := float64(s.right) / float64(max(s.points, 1))
	t.Logf("%d instructions, %d chains right (%.4f %%), %d frames, deepest %d, %d signals; %d of a quarter right with pc and sp alone; %d not proven to be whole",
		s.points, s.right, 100*share, s.frames, s.deepest, s.signals, s.waiting, s.unproven)
	for where, n := range s.wrong {
		t.Logf("wrong %d times in %s", n, where)
	}
	if s.points < 10_000 || s.signals == 0 || share < want || s.waiting < s.points/waitingEvery/2 {
		t.Errorf("right at %d of %d instructions", s.right, s.points)
	}
}

// call is one live activation on the shadow stack: the address that its caller
// goes on at, and the stack slot that must be above sp for that to come.
type call struct {
	pc          task.Addr
	slot        uint64
	interrupted bool // by a signal: pc is an instruction, not a return address
}

type stepper struct {
	t         *testing.T
	pid       int
	regs      unix.PtraceRegs
	shadow    []call
	stackTop  uint64
	entry     task.Addr // of the loader, where the program begins
	unwinder  *Unwinder
	images    *images.Map
	reload    bool
	thread    task.Thread
	buf       []byte
	framesBuf []Frame
	restart   int // signal to deliver

	points, right, frames, deepest, signals int
	waiting                                 int // walks that were right without the registers
	unproven                                int // that have all frames, and not the proof of it
	wrong                                   map[string]int
}

func newStepper(t *testing.T, bin string) *stepper {
	cmd := exec.Command(bin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	cmd.Env = []string{"LANG=C"}
	needs.Feature(t, "ptrace", cmd.Start(), unix.EPERM)
	s := &stepper{t: t, pid: cmd.Process.Pid, unwinder: New(Options{}), reload: true,
		buf: make([]byte, 1<<20), wrong: map[string]int{}}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var status unix.WaitStatus
	if _, err := unix.Wait4(s.pid, &status, 0, nil); err != nil || !status.Stopped() {
		t.Fatalf("cannot trace a child: %v, %#x", err, status)
	}
	s.must(unix.PtraceSetOptions(s.pid, unix.PTRACE_O_EXITKILL))
	s.must(unix.PtraceGetRegs(s.pid, &s.regs))
	s.stackTop = s.regs.Rsp + 64
	s.entry = task.Addr(s.regs.Rip)
	return s
}

func (s *stepper) must(err error) {
	if err != nil {
		s.t.Fatal(err)
	}
}

// step runs one instruction and follows what it did to the stack.
func (s *stepper) step() bool {
	before := s.regs
	var code [2]byte
	_, _ = s.ReadMemory(code[:], task.Addr(before.Rip))
	if err := singleStep(s.pid, s.restart); err != nil {
		s.t.Fatal(err)
	}
	delivered := s.restart != 0
	s.restart = 0
	var status unix.WaitStatus
	if _, err := unix.Wait4(s.pid, &status, 0, nil); err != nil || !status.Stopped() {
		return false
	}
	s.must(unix.PtraceGetRegs(s.pid, &s.regs))
	if sig := status.StopSignal(); sig != unix.SIGTRAP {
		s.restart = int(sig) // stopped before it is delivered: nothing has run
		s.signals++
	}
	s.reload = s.reload || code == [2]byte{0x0f, 0x05} // it may have mapped something
	s.follow(&before, delivered)
	return true
}

func singleStep(pid, signal int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SINGLESTEP, uintptr(pid), 0, uintptr(signal), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// follow keeps the shadow stack.
func (s *stepper) follow(before *unix.PtraceRegs, delivered bool) {
	for n := len(s.shadow); n > 0 && s.shadow[n-1].slot < s.regs.Rsp; n-- {
		s.shadow = s.shadow[:n-1]
	}
	pushed, err := task.ReadPointer(s, task.Addr(s.regs.Rsp), 8)
	if err != nil {
		return
	}
	slot := s.regs.Rsp
	switch {
	case delivered: // the kernel has made a frame that returns to the trampoline
		s.shadow = append(s.shadow,
			call{task.Addr(before.Rip), before.Rsp - 1, true}, call{pushed, slot, false})
	case slot == before.Rsp-8 && uint64(pushed)-before.Rip-1 < 15 && uint64(pushed) != s.regs.Rip:
		s.shadow = append(s.shadow, call{pushed, slot, false})
	}
}

// check compares a walk with the shadow stack.
func (s *stepper) check() {
	if s.reload {
		s.images, s.reload = loadImages(s.t, s), false
	}
	s.capture()
	var stop Stop
	s.framesBuf, stop = s.unwinder.Walk(s.framesBuf[:0], &s.thread, s.images, s)
	s.points++
	s.frames += len(s.framesBuf)
	s.deepest = max(s.deepest, len(s.framesBuf))
	if problem := s.differ(s.framesBuf, stop); problem != "" {
		where := s.where(task.Addr(s.regs.Rip))
		if s.wrong[where]++; s.wrong[where] == 1 && len(s.wrong) < 20 {
			s.t.Logf("at %s: %s", where, problem)
		}
		return
	}
	s.right++
	if s.points%waitingEvery == 0 {
		s.checkWaiting()
	}
}

// waitingEvery is at how many instructions one is looked at as in a wait.
const waitingEvery = 4

// checkWaiting walks again as if the thread was read where it waits, with no more
// than pc and sp: what needs nothing else is to be the same.
func (s *stepper) checkWaiting() {
	pc, sp := s.thread.Registers.PC(), s.thread.Registers.SP()
	s.thread.Registers = task.Registers{Arch: task.AMD64}
	s.thread.Registers.Set(task.AMD64.PC(), uint64(pc))
	s.thread.Registers.Set(task.AMD64.SP(), uint64(sp))
	var stop Stop
	s.framesBuf, stop = s.unwinder.Walk(s.framesBuf[:0], &s.thread, s.images, s)
	lacks := func(f Frame) bool { return f.By.Guess() || errors.Is(f.Err, rule.ErrUnknownRegister) }
	if stop.Reason != Bottom || slices.ContainsFunc(s.framesBuf, lacks) {
		return
	}
	if problem := s.differ(s.framesBuf, stop); problem != "" {
		s.t.Errorf("with pc and sp alone, at %s: %s", s.where(pc), problem)
		return
	}
	s.waiting++
}

func (s *stepper) differ(got []Frame, stop Stop) string {
	want := []call{{pc: task.Addr(s.regs.Rip), interrupted: true}}
	for i := len(s.shadow) - 1; i >= 0; i-- {
		want = append(want, s.shadow[i])
	}
	for i := range min(len(got), len(want)) {
		if got[i].PC != want[i].pc || !got[i].Trampoline && got[i].Return == want[i].interrupted {
			return fmt.Sprintf("frame %d is %s by %v, want %s (below it %s)", i, s.where(got[i].PC), got[i].By,
				s.where(want[i].pc), s.where(want[max(i-1, 0)].pc))
		}
	}
	if len(got) == len(want) && stop.Reason == NoCaller && s.isNamelessStart(got[len(got)-1].PC) {
		s.unproven++
		return ""
	}
	if len(got) != len(want) || stop.Reason != Bottom {
		return fmt.Sprintf("%d frames, want %d; %v, %v; last %v %v", len(got), len(want), stop.Reason, stop.Err, got[len(got)-1], s.where(got[len(got)-1].PC))
	}
	return ""
}

// isNamelessStart tells of the assembly in which the loader starts that nothing is known
// of it: it has no unwind information, and a name only with debug symbols. A walk that
// ends there is marked as cut.
func (s *stepper) isNamelessStart(a task.Addr) bool {
	const size = 0x40
	l := s.images.Locate(a, false)
	return a >= s.entry && a < s.entry+size && l.Function == ""
}

func (s *stepper) where(a task.Addr) string {
	l := s.images.Locate(a, false)
	if l.Image == nil {
		return a.String()
	}
	return fmt.Sprintf("%s:%s+%#x", l.Image.Name(), l.Function, l.Offset)
}

// capture copies the used stack and the registers.
func (s *stepper) capture() {
	r := &s.regs
	base := r.Rsp - task.RedZone
	n := min(max(s.stackTop-base, 0), uint64(len(s.buf)))
	got, _ := s.ReadMemory(s.buf[:n], task.Addr(base))
	s.thread.Stacks = append(s.thread.Stacks[:0],
		task.Stack{Base: task.Addr(base), Bytes: s.buf[:got], Top: task.Addr(s.stackTop)})
	s.thread.Registers.Arch = task.AMD64
	for i, v := range []uint64{r.Rax, r.Rdx, r.Rcx, r.Rbx, r.Rsi, r.Rdi, r.Rbp, r.Rsp,
		r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.Rip} {
		s.thread.Registers.Set(task.Reg(i), v)
	}
}

// ReadMemory reads the child's memory.
func (s *stepper) ReadMemory(p []byte, a task.Addr) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	local := []unix.Iovec{{Base: &p[0], Len: uint64(len(p))}}
	remote := []unix.RemoteIovec{{Base: uintptr(a), Len: len(p)}}
	n, err := unix.ProcessVMReadv(s.pid, local, remote, 0)
	if n < len(p) {
		n = max(n, 0)
		return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
	}
	return n, nil
}

// loadImages reads /proc/PID/maps and the files in it.
func loadImages(t *testing.T, s *stepper) *images.Map {
	placed, errs := elf.LiveLoader(s.pid).Load(child{s})
	if len(placed) == 0 {
		t.Fatal(errs)
	}
	return images.NewMap(placed)
}

// child is the part of a task.Process that finding images takes.
type child struct{ *stepper }

func (c child) Info() task.Info {
	return task.Info{PID: c.pid, Arch: task.AMD64, OS: task.Linux, PageSize: os.Getpagesize(), Live: true}
}
func (c child) Capabilities() task.Capabilities                { return task.Capabilities{} }
func (c child) Memory() task.Memory                            { return c.stepper }
func (c child) Threads() ([]task.ThreadID, error)              { return nil, errors.ErrUnsupported }
func (c child) Describe(task.ThreadID, *task.Thread) error     { return errors.ErrUnsupported }
func (c child) Suspend(task.StopOptions) (func() error, error) { return nil, errors.ErrUnsupported }
func (c child) Capture(task.ThreadID, *task.Thread) error      { return errors.ErrUnsupported }
func (c child) Close() error                                   { return nil }

func (c child) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		f, err := os.Open(fmt.Sprintf("/proc/%d/maps", c.pid))
		if err != nil {
			yield(task.Region{}, err)
			return
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if !yield(mapsLine(sc.Text()), nil) {
				return
			}
		}
	}
}

func mapsLine(line string) task.Region {
	var r task.Region
	var perms string
	var major, minor uint64
	_, _ = fmt.Sscanf(line, "%x-%x %s %x %x:%x %d %s", &r.Start, &r.End, &perms, &r.Offset, &major, &minor, &r.Inode, &r.Path)
	r.Dev = unix.Mkdev(uint32(major), uint32(minor))
	for i, p := range []task.Prot{task.Read, task.Write, task.Execute} {
		if strings.Contains(perms, string("rwx"[i])) {
			r.Prot |= p
		}
	}
	return r
}
