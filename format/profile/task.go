package profile

import (
	"cmp"
	"slices"
	"time"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Task is an activity that a runtime schedules and no thread runs at the moment: a parked
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
}

// builtTask is a task whose addresses are named, without source lines.
type builtTask struct {
	Task
	outermost *Node // nil: no frame
	creator   *Node // nil: not known
}

// AddTask adds a task with its stack. creator is the return address of the call that made it, 0
// if unknown; m has the images.
func (b *Builder) AddTask(t *Task, s *Stack, creator task.Addr, m *images.Map) {
	b.useMap(m)
	made := &builtTask{Task: *t}
	var last *Node
	for i := len(s.Frames) - 1; i >= 0; i-- {
		n := b.taskNode(&s.Frames[i], t.Count)
		if last == nil {
			made.outermost = n
		} else {
			last.Children = []*Node{n}
		}
		last = n
	}
	if last != nil {
		last.Self = t.Count
		if s.Stop.Reason != unwind.Bottom {
			made.outermost.Cut = newCut(s.Stop)
		}
	}
	if creator != 0 {
		made.creator = b.taskNode(&unwind.Frame{PC: creator, Return: true}, t.Count)
	}
	b.tasks = append(b.tasks, made)
}

func (b *Builder) taskNode(f *unwind.Frame, count int) *Node {
	n := &Node{Location: b.names.site(f.PC, f.Return, false).Location, PC: f.PC, Return: f.Return, By: f.By, Count: count}
	if f.Err != nil {
		n.Why = f.Err.Error()
	}
	return n
}

// tasksBy returns the tasks with source lines, the largest first.
func (b *Builder) tasksBy(source *sources) (tasks []*Task) {
	for _, made := range b.tasks {
		t := made.Task
		if made.outermost != nil {
			for n := source.withSource([]*Node{made.outermost}, nil); len(n) > 0; n = n[0].Children {
				t.Path = append(t.Path, n[0])
			}
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
