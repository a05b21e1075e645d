package words

import (
	"cmp"
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
)

// parked returns the headline on tasks that no thread runs.
func (p *Printer) parked(t *headline.Tasks) string {
	noun := TaskNoun(t.Runtime)
	text := fmt.Sprintf("%s of %s wait", Count(t.Number), Plural(t.Of, noun))
	switch {
	case t.Main:
		text = "main " + noun + " waits"
	case t.Of == 1:
		text = "the only " + noun + " waits"
	case t.Number == 1:
		text = fmt.Sprintf("1 of %s waits", Plural(t.Of, noun))
	}
	if profile.IsCPython(t.Runtime) {
		text += " for "
	} else {
		text += " in "
	}
	return text + TaskWait(t.Task) + p.taskPlace(t) + p.CreatedBy(t.Created)
}

// taskPlace returns a phrase with the own code in which tasks wait. A wait of Go with a dot in its name,
// as sync.Mutex.Lock, is a function that this code called.
func (p *Printer) taskPlace(t *headline.Tasks) string {
	if t.Own == nil {
		return ""
	}
	how := ", in "
	if strings.Contains(t.Wait, ".") && !profile.IsCPython(t.Runtime) {
		how = ", called by "
	}
	return how + p.functionIn(t.Own.Location, nameRoom) + sourceLine(&t.Own.Location)
}

// TaskNoun returns what the tasks of a runtime are called.
func TaskNoun(runtime string) string {
	switch {
	case profile.IsGo(runtime):
		return "goroutine"
	case profile.IsCPython(runtime):
		return "asyncio task"
	}
	return "task"
}

// TaskState returns a phrase with what a task does.
func TaskState(t *profile.Task) string {
	switch {
	case headline.IsReady(t):
		return " ready to run"
	case profile.IsCPython(t.Runtime):
		return " waiting for " + TaskWait(t)
	}
	return " in " + TaskWait(t)
}

// maxInCircle is how many tasks of a circle the headline names.
const maxInCircle = 4

// taskDeadlock returns the headline of tasks that await each other.
func taskDeadlock(circles []profile.TaskDeadlock) string {
	all, noun := circles[0].Tasks, TaskNoun(circles[0].Runtime)
	if len(all) == 1 {
		return "deadlock: " + noun + " " + taskTitle(&all[0]) + " waits for itself"
	}
	text := "deadlock of " + Plural(len(all), noun) + ": "
	for i := range all[:min(len(all), maxInCircle)] {
		text += taskTitle(&all[i]) + " awaits "
	}
	if more := len(all) - maxInCircle; more > 0 {
		text += Plural(more, "other") + " in turn, the last of which awaits "
	}
	text += taskTitle(&all[0])
	if more := len(circles) - 1; more > 0 {
		text += "; " + Plural(more, "further circle")
	}
	return text
}

// taskTitle returns the name and function of a task: "Task-7 (fetch)".
func taskTitle(t *profile.TaskInDeadlock) string {
	return Word(t.Name, MaxText) + " (" + Word(t.Function, MaxText) + ")"
}

// TaskWait returns what a task waits for, in the words of its runtime.
func TaskWait(t *profile.Task) string { return Word(cmp.Or(t.Wait, "an unknown wait"), MaxText) }

// CreatedBy returns a phrase with where a task was created; "" if that is not known.
func (p *Printer) CreatedBy(l *profile.Location) string {
	if l == nil || l.Function == "" {
		return ""
	}
	return ", created by " + p.functionIn(*l, nameRoom) + sourceLine(l)
}

// TaskLine describes tasks that wait at one place in one line: how many they are, what they wait for, and the function
// of own code in which they do.
func (p *Printer) TaskLine(g *headline.Tasks) string {
	return Plural(g.Number, TaskNoun(g.Runtime)) + TaskState(g.Task) + ", in " + p.functionIn(g.Own.Location, nameRoom) + sourceLine(&g.Own.Location)
}
