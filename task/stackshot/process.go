package stackshot

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"stacksnap/task"
	"stacksnap/task/stackshot/kcdata"
)

// ErrNoStack says that a stackshot has no frames of a thread.
var ErrNoStack = errors.New("the stackshot has no frame of it")

// errNoMemory says that a stackshot has no memory.
var errNoMemory = errors.New("a stackshot has no memory")

// Process is one task of a stackshot. It has neither memory nor registers: its stacks
// are those that the kernel has walked.
type Process struct {
	Shot    *Shot
	Task    *Task
	info    task.Info
	threads []Thread
	index   map[task.ThreadID]int
	ids     []task.ThreadID
	labels  map[int16]string
}

var _ task.Process = (*Process)(nil)

// Processes returns the tasks of the stackshot, those that are about to end and corpses
// behind the others.
func (s *Shot) Processes() []*Process {
	labels := map[int16]string{}
	for _, l := range s.PortLabels {
		if l.Info != nil {
			labels[l.Info.ID] = l.Name
		}
	}
	list := make([]*Process, 0, len(s.Tasks)+len(s.Ending))
	for i := range s.Tasks {
		list = append(list, newProcess(s, &s.Tasks[i], labels))
	}
	for i := range s.Ending {
		list = append(list, newProcess(s, &s.Ending[i], labels))
	}
	return list
}

func newProcess(s *Shot, t *Task, labels map[int16]string) *Process {
	p := &Process{Shot: s, Task: t, threads: t.Threads, labels: labels, info: t.info(s)}
	if len(t.Deltas)+len(t.StillThreads) > 0 { // there was nothing to merge them with
		p.threads = new(Task).mergeThreads(t)
	}
	p.index = make(map[task.ThreadID]int, len(p.threads))
	for i := range p.threads {
		id := task.ThreadID(p.threads[i].ID)
		if _, twice := p.index[id]; !twice {
			p.ids = append(p.ids, id)
		}
		p.index[id] = i
	}
	return p
}

// info is what the stackshot tells of the process as a whole.
func (t *Task) info(s *Shot) task.Info {
	info := task.Info{OS: task.Darwin, OSVersion: s.osVersion(), Arch: t.arch(s), Translated: t.flags()&TaskTranslated != 0}
	info.Name = fmt.Sprintf("task %d", t.ID)
	if t.ID == 0 {
		info.Name = "kernel_task"
	}
	if s.PageSize != nil {
		info.PageSize = int(*s.PageSize)
	}
	if e := t.Ending; e != nil {
		info.PID, info.Name = int(e.PID), kcdata.Text(e.NameOfProcess[:])
	}
	if own := t.Snapshot; own != nil {
		info.PID, info.Name = int(own.PID), kcdata.Text(own.NameOfProcess[:])
		info.Footprint.Now = own.Footprint
		if own.Start > 0 && own.Start < 1<<40 {
			info.Start = time.Unix(int64(own.Start), 0)
		}
	}
	return info
}

// flags are those of the task, Task….
func (t *Task) flags() uint64 {
	switch {
	case t.Snapshot != nil:
		return t.Snapshot.Flags
	case t.Delta != nil:
		return t.Delta.Flags
	case t.Ending != nil:
		return t.Ending.Flags
	}
	return 0
}

// osVersion is the kernel's version without where and when it was built.
func (s *Shot) osVersion() string {
	_, version, _ := strings.Cut(s.OSVersion, "Kernel Version ")
	version, _, _ = strings.Cut(version, ":")
	switch {
	case version != "":
		version = "Darwin " + version
	default:
		version = s.OSVersion
	}
	if s.OSBuild != "" {
		version = strings.TrimSpace(version + " (" + s.OSBuild + ")")
	}
	return version
}

// The types of processors (osfmk/mach/machine.h), without what says how wide pointers
// are.
const (
	cpuX86  = 7
	cpuARM  = 12
	cpu64   = 0x01000000
	cpuKind = 0x00ffffff
)

// arch is the architecture of the task's program. Where the task does not tell, it is
// that of the kernel, in the task's width.
func (t *Task) arch(s *Shot) task.Arch {
	wide := t.flags()&(User64|Kernel64) != 0
	if t.flags()&TaskTranslated != 0 {
		return task.AMD64
	}
	kind := 0
	switch {
	case t.Architecture != nil:
		kind, wide = int(t.Architecture.Type&cpuKind), t.Architecture.Type&cpu64 != 0
	case strings.Contains(s.OSVersion, "X86_64") || strings.Contains(s.OSVersion, "I386"):
		kind = cpuX86
	case strings.Contains(s.OSVersion, "_ARM"):
		kind = cpuARM
	}
	switch {
	case kind == cpuX86 && wide:
		return task.AMD64
	case kind == cpuX86:
		return task.I386
	case kind == cpuARM && wide:
		return task.ARM64
	case kind == cpuARM:
		return task.ARM
	}
	return task.UnknownArch
}

// Info implements [task.Process]. Where a stackshot tells only what has changed, the pid
// is 0, as that of the kernel's own task is, and the name the number of the task.
func (p *Process) Info() task.Info { return p.info }

// Capabilities implements [task.Process]: it has none.
func (p *Process) Capabilities() task.Capabilities { return task.Capabilities{} }

// Memory implements [task.Process]: there is none.
func (p *Process) Memory() task.Memory { return noMemory{} }

type noMemory struct{}

func (noMemory) ReadMemory(_ []byte, a task.Addr) (int, error) {
	return 0, &task.FaultError{Addr: a, Err: errNoMemory}
}

// Regions implements [task.Process]: none is told.
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(func(task.Region, error) bool) {}
}

// Threads implements [task.Process].
func (p *Process) Threads() ([]task.ThreadID, error) { return slices.Clone(p.ids), nil }

// Suspend implements [task.Process]: nothing runs.
func (p *Process) Suspend(task.StopOptions) (func() error, error) {
	return func() error { return nil }, nil
}

// Capture implements [task.Process]: there are no registers, see [Process.Stack].
func (p *Process) Capture(task.ThreadID, *task.Thread) error { return errNoMemory }

// Close implements [task.Process].
func (p *Process) Close() error { return nil }

// Time returns when the stackshot was taken, zero where it does not tell.
func (s *Shot) Time() time.Time {
	if s.Epoch == nil || *s.Epoch == 0 || *s.Epoch > 1<<60 {
		return time.Time{}
	}
	return time.UnixMicro(int64(*s.Epoch))
}
