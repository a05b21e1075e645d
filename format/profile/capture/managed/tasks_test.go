package managed

import (
	"fmt"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// taskOf makes a task of "name: wait: function function: awaited…".
func taskOf(at task.Addr, line string) *cpython.Task {
	part := strings.Split(line, ": ")
	t := &cpython.Task{At: at, Name: part[0], Wait: part[1], Frames: frames(part[2])}
	if len(part) > 3 {
		for _, n := range strings.Fields(part[3]) {
			var at task.Addr
			fmt.Sscan(n, &at)
			t.Awaits = append(t.Awaits, at)
		}
	}
	return t
}

func tasksOf(lines ...string) (all []*cpython.Task) {
	for i, line := range lines {
		all = append(all, taskOf(task.Addr(i+1), line))
	}
	return all
}

func TestMergeTasks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tasks []*cpython.Task
		want  string
	}{
		{
			"alike ones below the task that gathers them",
			tasksOf("T1: gather of 3: main: 2 3 4", "T2: Lock: handler fetch", "T3: Lock: handler fetch", "T4: Event: handler fetch"),
			"1 T1 gather of 3: main\n2  Lock: main handler fetch\n1 T4 Event: main handler fetch\n",
		},
		{
			"what two tasks await has a stack of its own",
			tasksOf("T1: T3: a: 3", "T2: T3: b: 3", "T3: Lock: c"),
			"1 T1 T3: a\n1 T2 T3: b\n1 T3 Lock: c\n",
		},
		{
			"other tasks above are no alike ones",
			tasksOf("T1: T3: a: 3", "T2: T4: b: 4", "T3: Lock: c", "T4: Lock: c"),
			"1 T1 T3: a\n1 T2 T4: b\n1 T3 Lock: a c\n1 T4 Lock: b c\n",
		},
		{
			"a circle, and a task above one",
			tasksOf("T1: T2: a: 2", "T2: T1: b: 1", "T3: T3: c: 3"),
			"1 T1 T2: a\n1 T2 T1: b\n1 T3 T3: c\n",
		},
	} {
		got := ""
		for _, m := range mergeTasks("CPython 3.12.1", tt.tasks) {
			got += fmt.Sprintf("%d %s %s:", m.Count, m.Name, m.Wait)
			for _, f := range m.frames {
				got += " " + f.Function
			}
			got += "\n"
		}
		if got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestCircles(t *testing.T) {
	for _, tt := range []struct {
		tasks []*cpython.Task
		want  string
	}{
		{tasksOf("T1: gather of 2: main: 2 3", "T2: T4: a: 4", "T3: Lock: b", "T4: T2: c: 2"), "[[T2 T4]]"},
		{tasksOf("T1: T2: main: 2", "T2: Lock: a"), "[]"},
		{tasksOf("T1: T1: main: 1", "T2: T9: a: 9"), "[[T1]]"},
		{tasksOf("T1: T1: : 1"), "[[T1]]"}, // without a coroutine: damaged
		{tasksOf("T1: T2: a: 2", "T2: T3: b: 3", "T3: T1: c: 1", "T4: T5: d: 5", "T5: T4: e: 4"), "[[T1 T2 T3] [T4 T5]]"},
	} {
		var names [][]string
		found, _ := circles(tt.tasks)
		for _, circle := range found {
			var of []string
			for _, in := range circle {
				of = append(of, in.Name)
			}
			names = append(names, of)
		}
		if got := fmt.Sprint(names); got != tt.want {
			t.Errorf("circles %s, want %s", got, tt.want)
		}
	}
}

// TestBoundOfCircles: tasks that all await each other are in more circles than are shown.
func TestBoundOfCircles(t *testing.T) {
	const n = 1000
	all := make([]cpython.Task, n)
	for i := range all {
		all[i].At = task.Addr(i + 1)
		for j := range n {
			all[i].Awaits = append(all[i].Awaits, task.Addr(j+1))
		}
	}
	found, more := circles(byName(all))
	tasks := 0
	for _, circle := range found {
		tasks += len(circle)
	}
	if !more || tasks == 0 || tasks > maxInCircles {
		t.Errorf("%d tasks in %d circles; more: %v", tasks, len(found), more)
	}
}

// TestBoundOfFramesAbove: tasks that one deep task awaits have its frames above their own, up to a
// bound.
func TestBoundOfFramesAbove(t *testing.T) {
	const n = 2 * maxAbove / 4096
	all := []cpython.Task{{At: 1, Frames: make([]task.ManagedFrame, 4096)}}
	for i := range n {
		at := task.Addr(i + 2)
		all = append(all, cpython.Task{At: at, Frames: []task.ManagedFrame{{Line: i}}})
		all[0].Awaits = append(all[0].Awaits, at)
	}
	frames, cut := 0, 0
	for _, m := range mergeTasks("", byName(all)) {
		frames += len(m.frames)
		if len(m.frames) == 1 {
			cut++
		}
	}
	if frames > maxAbove+len(all)+4096 || cut != n/2 {
		t.Errorf("%d frames, %d tasks without those above", frames, cut)
	}
}

// TestNotesOfTasks: what is missing is said.
func TestNotesOfTasks(t *testing.T) {
	notes := append(notesOn(&cpython.Tasks{}), notesOn(&cpython.Tasks{Changed: 1, Unread: 2, Deep: 3, LeftOut: 4})...)
	if got := strings.Join(notes, "\n"); len(notes) != 4 || !strings.HasSuffix(got, "for more were found than there is room for (some of these may be done): 4") {
		t.Error(got)
	}
}
