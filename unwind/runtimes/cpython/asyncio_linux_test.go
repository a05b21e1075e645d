package cpython_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// toldTask is a task as asyncio itself has it.
type toldTask struct {
	ID, Awaits task.Addr
	Name       string
	Frames     [][3]any
}

// startTasks starts testdata/aio.py.
func startTasks(t *testing.T, py python, n string, scenarios ...string) (*target, map[task.Addr]toldTask) {
	t.Helper()
	var said struct{ Tasks []toldTask }
	g := start(t, py, append([]string{"testdata/aio.py", "OUT", n}, scenarios...)...)
	if err := json.Unmarshal(g.said, &said); err != nil {
		t.Fatal(err)
	}
	told := map[task.Addr]toldTask{}
	for _, one := range said.Tasks {
		told[one.ID] = one
	}
	return g, told
}

// TestTasksAreThoseThatAsyncioTells compares all tasks with asyncio.all_tasks and the
// coroutines that each awaits.
func TestTasksAreThoseThatAsyncioTells(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		for _, args := range [][]string{
			{"1", "locks"}, {"8", "sleeps", "queues"}, {"3", "circle"},
			{"64", "locks", "sleeps", "queues", "timeouts", "groups", "generators", "joins", "circle"},
			{"1000", "locks", "groups"},
		} {
			g, told := startTasks(t, py, args[0], args[1:]...)
			got, err := g.instance(t).Tasks(g.memory, g.images)
			if err != nil || got.Changed+got.Unread > 0 {
				t.Errorf("%v: %d changed, %d not read, %v", args, got.Changed, got.Unread, err)
			}
			if len(got.All) != len(told) {
				t.Errorf("%v: %d tasks of %d", args, len(got.All), len(told))
			}
			for i := range got.All {
				compareTask(t, &got.All[i], told)
			}
		}
	})
}

func compareTask(t *testing.T, got *cpython.Task, told map[task.Addr]toldTask) {
	t.Helper()
	want, ok := told[got.At]
	if !ok || got.Name != want.Name {
		t.Errorf("task %v is called %q, not %q", got.At, got.Name, want.Name)
	}
	sameFrames(t, slices.Clone(got.Frames), decodeFrames(t, want.Frames))
	if want.Awaits != 0 && !slices.Equal(got.Awaits, []task.Addr{want.Awaits}) {
		t.Errorf("task %s awaits %v, not %v", got.Name, got.Awaits, want.Awaits)
	}
}

// TestWhatTasksWaitFor: a wait has the name of what the innermost coroutine of the target awaits.
func TestWhatTasksWaitFor(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		g, _ := startTasks(t, py, "10", "locks", "sleeps", "queues", "timeouts", "joins")
		p := g.instance(t)
		got, err := p.Tasks(g.memory, g.images)
		if err != nil {
			t.Fatal(err)
		}
		waits := map[string]int{}
		for _, one := range got.All {
			wait := one.Wait
			if len(one.Awaits) == 1 {
				wait = "task"
			}
			waits[wait]++
		}
		want := map[string]int{
			"asyncio.Lock": 10, "gather of 10": 1, "asyncio.sleep": 10, "asyncio.wait": 1, "asyncio.Queue.put": 10,
			"asyncio.Queue.join": 1, "gather of 11": 1, "task": 11, "asyncio.Semaphore": 1, "asyncio.Event": 11,
		}
		if minorOf(p) < 12 {
			want["asyncio.wait_for"] = 10 // which awaits by a task of its own
		}
		if fmt.Sprint(waits) != fmt.Sprint(want) {
			t.Errorf("waits\n%v, want\n%v", waits, want)
		}
	})
}
