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
	// many are not of the class that is written in C, or cannot be read. Deep is how many
	// await more coroutines than are followed. LeftOut is how many were found and not read,
	// because there is no room for more.
	Changed, Unread, Deep, LeftOut int
}

const (
	maxTasks    = 1 << 18
	maxReadings = 3
)

var (
	errFreeThreaded = errors.New("the build is free-threaded")
	errDeep         = errors.New("too many coroutines await each other")
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
	if err != nil || len(before.order) == 0 {
		return before.missing, err
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
	room    taskRoom           // for what is kept of a reading
}

// reading is what was read of all tasks at about one moment.
type reading struct {
	tasks   map[task.Addr]*Task // nil: done, run by a thread, or not readable
	order   []task.Addr         // of the others
	missing Tasks               // numbers alone
}

// common returns the tasks that are the same in two readings.
func (now *reading) common(before *reading) Tasks {
	t := now.missing
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
	r.begin(m)
	all, err := r.addresses()
	if err != nil {
		return &reading{}, err
	}
	return r.readEach(all), nil
}

// begin forgets what was read before.
func (r *taskReader) begin(m task.Memory) {
	r.m, r.types, r.room = r.p.newPages(m), map[task.Addr]*typeObject{}, newTaskRoom()
	r.p.forget()
	r.p.work = 0
}

// readEach reads the tasks at addresses, as long as there is room.
func (r *taskReader) readEach(all []task.Addr) *reading {
	now := &reading{tasks: make(map[task.Addr]*Task, min(len(all), maxTasks))}
	for i, at := range all {
		if _, ok := now.tasks[at]; ok {
			continue
		}
		t, err := r.task(at)
		if i >= maxTasks || r.isFull() {
			now.missing.LeftOut = len(all) - i
			break
		}
		now.add(at, t, err)
	}
	return now
}

// isFull reports whether a bound of a reading was reached.
func (r *taskReader) isFull() bool { return r.room.left < 0 || r.m.spent() || r.p.work > maxWork }

// add adds what was read of the task at an address.
func (now *reading) add(at task.Addr, t *Task, err error) {
	switch {
	case errors.Is(err, errDeep):
		now.missing.Deep++
	case err != nil:
		now.missing.Unread++
	case t != nil:
		now.order = append(now.order, at)
	}
	if err != nil {
		t = nil
	}
	now.tasks[at] = t
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
	if made.Wait, made.Awaits, err = r.waitOf(&c); err == nil {
		r.room.keep(made)
	}
	return made, err
}

// name returns the name of a task, which may be a number until it is first asked for.
func (r *taskReader) name(at task.Addr) (string, error) {
	name, err := r.pointer(at + task.Addr(r.offsets.name))
	if err != nil {
		return "", err
	}
	if n, ok := r.integer(name); ok && r.p.minor() >= 12 {
		return fmt.Sprintf("Task-%d", n), nil
	}
	if !r.isBuiltin(name, "str") {
		return "", errObject
	}
	return r.p.layout.readString(r.m, name, maxName)
}
