package profile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Task is an activity that a runtime schedules and that no thread runs at the moment: a parked
// goroutine, an asyncio task.
type Task struct {
	Runtime string        // with its version: "Go 1.26.1"
	ID      uint64        // of one of them, if there are several
	Name    string        // empty if it has none
	Wait    string        // what it waits for, in the runtime's own words: "chan receive"
	Since   time.Duration // for how long; 0: not known
	System  bool          // the runtime's own
	Created *Location     // where it was made; nil: not known
	Path    []*Node       // its stack, the outermost frame first
	Count   int           // of tasks that are alike (same stack, wait and creator), this one included
	On      *TaskObject   // what all of them wait for; nil: not the same, or not known
	Objects int           // number of different objects that they wait for; 0: not known
}

// TaskObject is what tasks wait for: a channel, or a lock or another semaphore. Go records no owner of it.
type TaskObject struct {
	Kind     string // "chan", "sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "semaphore"
	Addr     task.Addr
	Len, Cap uint64 // of a channel
	// Receivers, Senders and Waiters are the tasks that wait for it: the first two for a channel alone. Those that
	// wait for several channels at once are not counted.
	Receivers, Senders, Waiters int
}

// Same reports whether two are one object. Either may be nil.
func (o *TaskObject) Same(other *TaskObject) bool {
	return o != nil && other != nil && o.Kind == other.Kind && o.Addr == other.Addr
}

// IsGo reports whether a runtime, named with its version, is Go's.
func IsGo(runtime string) bool { return strings.HasPrefix(runtime, "Go ") }

// IsCPython reports whether the functions of an image are written in Python. im may be nil.
func (im *Image) IsCPython() bool { return im != nil && im.Runtime && IsCPython(im.Path) }

// IsCPython reports whether a runtime, named with its version, is CPython. Its tasks are asyncio's.
func IsCPython(runtime string) bool { return strings.HasPrefix(runtime, "CPython ") }

// builtTask is a task whose addresses are named, without source lines.
type builtTask struct {
	Task
	path    []*Node // the outermost frame first
	creator *Node   // nil: not known
}

// FoundTask is a task as it was read, before its addresses are named.
type FoundTask struct {
	Task                   // without Created and Path
	Frames  []unwind.Frame // the innermost first
	Stop    unwind.Stop
	Creator task.Addr // return address of the call that made it; 0: not known
}

// AddTask adds a task. m has the images.
func (b *Builder) AddTask(t *FoundTask, m *images.Map) {
	b.useMap(m)
	made := &builtTask{Task: t.Task}
	for i := len(t.Frames) - 1; i >= 0; i-- {
		made.path = append(made.path, b.taskNode(&t.Frames[i], t.Count))
	}
	if len(made.path) > 0 && t.Stop.Reason != unwind.Bottom {
		made.path[0].Cut = newCut(t.Stop)
	}
	if t.Creator != 0 {
		made.creator = b.taskNode(&unwind.Frame{PC: t.Creator, Return: true}, t.Count)
	}
	b.tasks = append(b.tasks, made)
}

// AddTaskDeadlock adds tasks that wait in a circle: each for the next, and the last for the first.
func (b *Builder) AddTaskDeadlock(d TaskDeadlock) { b.p.TaskDeadlocks = append(b.p.TaskDeadlocks, d) }

func (b *Builder) taskNode(f *unwind.Frame, count int) *Node {
	n := &Node{Location: b.names.siteOf(f).Location, PC: f.PC, Return: f.Return, By: f.By, Count: count}
	if f.Err != nil {
		n.Why = f.Err.Error()
	}
	return n
}

// chained makes each node the only child of the one before, and returns the first one as a list.
// The last node has the samples.
func chained(path []*Node) []*Node {
	if len(path) == 0 {
		return nil
	}
	for i, n := range path[1:] {
		path[i].Children = []*Node{n}
	}
	last := path[len(path)-1]
	last.Self = last.Count
	return path[:1]
}

// tasksBy returns the tasks with source lines, the largest first.
func (b *Builder) tasksBy(source *sources) (tasks []*Task) {
	for _, made := range b.tasks {
		t := made.Task
		for n := source.withSource(chained(made.path), nil); len(n) > 0; n = n[0].Children {
			t.Path = append(t.Path, n[0])
		}
		if made.creator != nil {
			_, last := source.expand(made.creator)
			t.Created = &last.Location
		}
		tasks = append(tasks, &t)
	}
	slices.SortStableFunc(tasks, func(a, b *Task) int { return cmp.Compare(b.Count, a.Count) })
	return tasks
}
