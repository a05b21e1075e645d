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

// ErrNoStack means that a stackshot has no frames of a thread.
var ErrNoStack = errors.New("the stackshot has no frame of it")

// errNoMemory means that a stackshot has no memory.
var errNoMemory = errors.New("a stackshot has no memory")

// Process is a task of a stackshot. It has neither memory nor registers: the kernel
// has unwound its stacks.
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

// Processes returns the tasks of the stackshot. Tasks that are about to end and
// corpses come last.
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
	if len(t.Deltas)+len(t.StillThreads) > 0 { // there was no stackshot to merge them with
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

// info returns the facts about the process as a whole.
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

// flags returns the task's flags, Task….
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

// osVersion returns the kernel's version without where and when it was built.
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

// CPU types (osfmk/mach/machine.h), without the bits for the pointer size.
const (
	cpuX86  = 7
	cpuARM  = 12
	cpu64   = 0x01000000
	cpuKind = 0x00ffffff
)

// arch returns the architecture of the task's program. If the task does not have it,
// it is the kernel's, in the task's pointer size.
func (t *Task) arch(s *Shot) task.Arch {
	if t.flags()&TaskTranslated != 0 {
		return task.AMD64
	}
	var kind uint32
	switch {
	case t.Architecture != nil:
		return task.ArchOfMachO(uint32(t.Architecture.Type) & (cpuKind | cpu64))
	case strings.Contains(s.OSVersion, "X86_64") || strings.Contains(s.OSVersion, "I386"):
		kind = cpuX86
	case strings.Contains(s.OSVersion, "_ARM"):
		kind = cpuARM
	}
	if t.flags()&(User64|Kernel64) != 0 {
		kind |= cpu64
	}
	return task.ArchOfMachO(kind)
}

// Info implements [task.Process]. If the stackshot is a delta only, the pid is 0, as
// for the kernel's own task, and the name is the task's number.
func (p *Process) Info() task.Info { return p.info }

// Capabilities implements [task.Process]: it has none.
func (p *Process) Capabilities() task.Capabilities { return task.Capabilities{} }

// Memory implements [task.Process]: there is none.
func (p *Process) Memory() task.Memory { return noMemory{} }

type noMemory struct{}

func (noMemory) ReadMemory(_ []byte, a task.Addr) (int, error) {
	return 0, &task.FaultError{Addr: a, Err: errNoMemory}
}

// Regions implements [task.Process]. There are none.
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(func(task.Region, error) bool) {}
}

// Threads implements [task.Process].
func (p *Process) Threads() ([]task.ThreadID, error) { return slices.Clone(p.ids), nil }

// Suspend implements [task.Process]: nothing runs.
func (p *Process) Suspend(task.StopOptions) (func() error, error) {
	return func() error { return nil }, nil
}

// Capture implements [task.Process]. It fails, as there are no registers: see
// [Process.Stack].
func (p *Process) Capture(task.ThreadID, *task.Thread) error { return errNoMemory }

// Close implements [task.Process].
func (p *Process) Close() error { return nil }

// Time returns when the stackshot was taken, the zero time if it is unknown.
func (s *Shot) Time() time.Time {
	if s.Epoch == nil || *s.Epoch == 0 || *s.Epoch > 1<<60 {
		return time.Time{}
	}
	return time.UnixMicro(int64(*s.Epoch))
}
