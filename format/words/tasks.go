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
	in, language := " in ", "Go"
	if profile.IsCPython(t.Runtime) {
		in, language = " for ", "Python"
	}
	text += in + TaskWait(t.Task)
	if t.Number > 1 { // that it is one object is the news
		text += taskObject(t.Task, t.Number)
	}
	text += p.taskPlace(t) + p.CreatedBy(t.Created) + p.whenTasks()
	if t.IsForLock() {
		text += noHolder(language)
	}
	return text
}

// whenTasks returns a clause that says when tasks were read, if the threads were sampled.
func (p *Printer) whenTasks() string {
	if p.Profile.Sampled() {
		return ", at the end of the sampling"
	}
	return ""
}

// taskPlace returns a phrase with the own code in which tasks wait. If the name of a Go wait has
// a dot, such as sync.Mutex.Lock, it is a function that this code called.
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

// TaskNoun returns the term for the tasks of a runtime.
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

// TaskWait returns what a task waits for, in its runtime's own words.
func TaskWait(t *profile.Task) string { return Word(cmp.Or(t.Wait, "an unknown wait"), MaxText) }

// taskObject returns a phrase with the object for which a number of tasks wait; "" if they wait for several, or if it
// is not known.
func taskObject(t *profile.Task, number int) string {
	o := t.On
	if o == nil {
		return ""
	}
	same := ""
	if number > 1 {
		same = "same "
	}
	if o.Kind != "chan" {
		return fmt.Sprintf(" for the %s%s at %v", same, Word(o.Kind, MaxText), o.Addr)
	}
	return fmt.Sprintf("%s the %schannel %v (len %d, cap %d)", channelWay(t.Wait), same, o.Addr, o.Len, o.Cap)
}

// channelWay returns how tasks wait for a channel.
func channelWay(wait string) string {
	if strings.HasPrefix(wait, "chan send") {
		return " to"
	}
	return " from"
}

// taskObjects describes the objects for which the tasks of an entry wait, and how many other tasks wait for the only
// one; "" if they are not known.
func taskObjects(t *profile.Task) string {
	switch o := t.On; {
	case o != nil && o.Waiters > t.Count:
		return taskObject(t, t.Count) + ", for which " + Plural(o.Waiters, TaskNoun(t.Runtime)) + " wait"
	case o != nil:
		return taskObject(t, t.Count)
	case t.Objects < 2:
		return ""
	case strings.HasPrefix(t.Wait, "chan "):
		return channelWay(t.Wait) + " " + Count(t.Objects) + " different channels"
	}
	return " for " + Count(t.Objects) + " different objects"
}

// CreatedBy returns a phrase with where a task was created; "" if that is not known.
func (p *Printer) CreatedBy(l *profile.Location) string {
	if l == nil || l.Function == "" {
		return ""
	}
	return ", created by " + p.functionIn(*l, nameRoom) + sourceLine(l)
}

// TaskLine describes tasks that wait at one place in one line: their number, what they wait for,
// and the function of own code in which they wait.
func (p *Printer) TaskLine(g *headline.Tasks) string {
	return Plural(g.Number, TaskNoun(g.Runtime)) + TaskState(g.Task) + ", in " + p.functionIn(g.Own.Location, nameRoom) + sourceLine(&g.Own.Location)
}

// maxTasks is the most entries of alike tasks that are shown with their stacks.
const maxTasks = 200

// TaskList is the tasks of one runtime that no thread runs.
type TaskList struct {
	Title string
	Tasks []*profile.Task // the main task first, then the largest entries; at most [maxTasks]
	Rest  []string        // lines on the tasks that are not in Tasks
}

// TaskLists returns the tasks of each runtime. The runtime's own tasks are only counted.
func (p *Printer) TaskLists() (lists []TaskList) {
	done := map[string]bool{}
	for _, t := range p.Profile.Tasks {
		if !done[t.Runtime] {
			done[t.Runtime] = true
			lists = append(lists, p.taskList(t.Runtime))
		}
	}
	return lists
}

func (p *Printer) taskList(runtime string) TaskList {
	var main, others []*profile.Task
	count, own := 0, 0
	for _, t := range p.Profile.Tasks {
		if t.Runtime != runtime {
			continue
		}
		switch {
		case t.System:
			own += t.Count
			continue
		case headline.IsMainTask(t):
			main = append(main, t)
		default:
			others = append(others, t)
		}
		count += t.Count
	}
	list := TaskList{Title: p.tasksTitle(count, runtime), Tasks: append(main, others...)}
	list.bound(TaskNoun(runtime))
	if own > 0 {
		list.Rest = append(list.Rest, "and "+Count(own)+" of the runtime itself")
	}
	return list
}

// bound leaves out the last entries if there are more than [maxTasks].
func (l *TaskList) bound(noun string) {
	if len(l.Tasks) <= maxTasks {
		return
	}
	left, more := l.Tasks[maxTasks:], 0
	for _, t := range left {
		more += t.Count
	}
	l.Tasks = l.Tasks[:maxTasks]
	l.Rest = append(l.Rest, fmt.Sprintf("and %s in %s: -f json has them", Plural(more, "further "+noun), Plural(len(left), "other stack")))
}

// tasksTitle returns the line above the tasks of a runtime.
func (p *Printer) tasksTitle(count int, runtime string) string {
	what, when := " that no thread runs", ""
	if p.Profile.Sampled() {
		what, when = " that no thread ran", " at the end of the sampling"
	}
	return p.Name(Plural(count, TaskNoun(runtime))+what) + when + " (" + Word(runtime, MaxText) + "):"
}

// TaskTitle describes an entry of alike tasks in one line: their number or the name of the only one,
// what they wait for, and where they were created.
func (p *Printer) TaskTitle(t *profile.Task) string {
	noun := TaskNoun(t.Runtime)
	name := fmt.Sprintf("%s %d", noun, t.ID)
	switch {
	case t.Count > 1:
		name = Plural(t.Count, noun)
	case headline.IsMainTask(t):
		name = "main " + name
	}
	if t.Name != "" {
		name = noun + " " + Quoted(t.Name)
	}
	since := ""
	if t.Since > 0 {
		since = " for " + Seconds(t.Since)
	}
	return p.Name(name) + TaskState(t) + taskObjects(t) + since + p.CreatedBy(t.Created)
}

// TaskStack returns a stack without the frames in which all tasks of the runtime begin and wait.
func TaskStack(path []*profile.Node) []*profile.Node {
	if len(path) > 1 && strings.TrimSuffix(path[0].Function, ".abi0") == "runtime.goexit" {
		path = path[1:]
	}
	return withoutParking(path)
}

// withoutParking removes the innermost functions of Go's runtime, except the one that was called
// from outside the runtime: all goroutines are parked by the same functions.
func withoutParking(path []*profile.Node) []*profile.Node {
	first := len(path)
	for first > 0 && strings.HasPrefix(path[first-1].Function, "runtime.") {
		first--
	}
	if first == 0 || first == len(path) {
		return path
	}
	if isPark(path[first].Function) {
		return path[:first]
	}
	return path[:first+1]
}

// isPark reports whether a function does nothing but park the goroutine.
func isPark(function string) bool {
	return function == "runtime.gopark" || function == "runtime.goparkunlock"
}

// taskFrame returns a frame with its image and source line.
func (p *Printer) taskFrame(n *profile.Node) string {
	text := p.functionIn(n.Location, nameRoom)
	if n.Function == "" {
		text = Clean(Label(n), nameRoom)
	}
	if n.Image != nil && n.Function != "" {
		text += " (" + ImageName(n.Image) + ")"
	}
	return text + sourceLine(&n.Location)
}
