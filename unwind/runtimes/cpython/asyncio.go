package cpython

import (
	"errors"
	"fmt"
	"slices"

	"stacksnap/images"
	"stacksnap/task"
)

// Task is a task of asyncio that is not done and that no thread runs.
type Task struct {
	At     task.Addr // of the object: what id returns
	Name   string
	Wait   string              // what it waits for; "ready" if it only has to be run
	Frames []task.ManagedFrame // the coroutines, the outermost first; each is an entry
	Awaits []task.Addr         // the tasks for whose end it waits
}

// Tasks are the tasks of asyncio of a process.
type Tasks struct {
	All []Task
	// Changed is how many are left out because they changed between readings. Unread is how
	// many are not of the class that is written in C, or cannot be read.
	Changed, Unread int
}

const (
	maxTasks    = 1 << 20
	maxReadings = 3
)

var (
	errFreeThreaded = errors.New("the build is free-threaded")
	errTasks        = errors.New("too many tasks")
)

// Tasks reads the tasks of asyncio of a process that runs: twice, and once more if some
// changed. A process that has not imported asyncio has none.
func (p *Instance) Tasks(m task.Memory, in *images.Map) (Tasks, error) {
	t, err := p.tasks(m, in)
	if err != nil {
		err = fmt.Errorf("CPython %v: %w", p.version, err)
	}
	return t, err
}

func (p *Instance) tasks(m task.Memory, in *images.Map) (t Tasks, err error) {
	l := &p.layout.asyncio
	r := taskReader{objects: objects{p: p}, seen: map[task.Addr]bool{}, offsets: taskOffsets{coro: l.coro, name: l.name}}
	switch {
	case l.modules == 0:
		return t, errFreeThreaded
	case l.hasLists:
		var ok bool
		if r.offsets, ok, err = readTaskOffsets(m, in); !ok || err != nil {
			return t, err
		}
	}
	before, err := r.read(m)
	if err != nil || len(before.tasks) == 0 {
		return Tasks{Unread: before.unread}, err
	}
	for range maxReadings - 1 {
		now, err := r.read(m)
		if err != nil {
			return Tasks{}, err
		}
		t = now.common(before)
		if before = now; t.Changed == 0 {
			break
		}
	}
	return t, nil
}

// taskReader reads tasks.
type taskReader struct {
	objects
	offsets taskOffsets
	seen    map[task.Addr]bool // of the chain that is followed
}

// reading is what was read of all tasks at about one moment.
type reading struct {
	tasks  map[task.Addr]*Task
	order  []task.Addr
	unread int
}

// common returns the tasks that are the same in two readings.
func (now *reading) common(before *reading) Tasks {
	t := Tasks{Unread: now.unread}
	for _, at := range now.order {
		if b := before.tasks[at]; b != nil && b.same(now.tasks[at]) {
			t.All = append(t.All, *b)
		}
	}
	t.Changed = max(len(now.order), len(before.order)) - len(t.All)
	return t
}

func (t *Task) same(u *Task) bool {
	return t.Name == u.Name && t.Wait == u.Wait && slices.Equal(t.Frames, u.Frames) && slices.Equal(t.Awaits, u.Awaits)
}

// read reads all tasks anew.
func (r *taskReader) read(m task.Memory) (*reading, error) {
	r.m, r.types = newPages(m), map[task.Addr]*typeObject{}
	r.p.forget()
	all, err := r.addresses()
	if err != nil {
		return &reading{}, err
	}
	now := &reading{tasks: make(map[task.Addr]*Task, len(all))}
	for _, at := range all {
		if now.tasks[at] != nil {
			continue
		}
		t, err := r.task(at)
		switch {
		case err != nil:
			now.unread++
		case t != nil:
			now.tasks[at] = t
			now.order = append(now.order, at)
		}
	}
	return now, nil
}

// task reads a task; nil: it is done, or a thread runs it.
func (r *taskReader) task(at task.Addr) (*Task, error) {
	t, err := r.typeOf(at)
	if err != nil {
		return nil, err
	}
	if !t.isTask {
		return nil, errObject
	}
	coro, err := r.pointer(at + task.Addr(r.offsets.coro))
	if err != nil || coro == 0 {
		return nil, err
	}
	c, err := r.chainOf(coro)
	if err != nil || c.ended || c.running {
		return nil, err
	}
	made := &Task{At: at, Frames: c.frames}
	if made.Name, err = r.name(at); err != nil {
		return nil, err
	}
	made.Wait, made.Awaits, err = r.waitOf(&c)
	return made, err
}

// name returns the name of a task, which may be a number until it is first asked for.
func (r *taskReader) name(at task.Addr) (string, error) {
	name, err := r.pointer(at + task.Addr(r.offsets.name))
	if err != nil {
		return "", err
	}
	if n, ok := r.small(name); ok && r.p.minor() >= 12 {
		return fmt.Sprintf("Task-%d", n), nil
	}
	if !r.isBuiltin(name, "str") {
		return "", errObject
	}
	return r.p.layout.readString(r.m, name, maxName)
}
