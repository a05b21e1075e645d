package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/words"
)

// maxTasks is the most entries of alike tasks that are shown with their stacks.
const maxTasks = 200

// tasks writes the tasks that no thread runs, by runtime.
func (p *printer) tasks() {
	done := map[string]bool{}
	for _, t := range p.Profile.Tasks {
		if !done[t.Runtime] {
			done[t.Runtime] = true
			p.tasksOf(t.Runtime)
		}
	}
}

// tasksOf writes the tasks of one runtime: the main one first, and of the runtime's own only their number.
func (p *printer) tasksOf(runtime string) {
	var main, others []*profile.Task
	count, own, noun := 0, 0, words.TaskNoun(runtime)
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
	p.Line("")
	p.Text("", 2, p.Name(words.Plural(count, noun)+" that no thread runs")+" ("+words.Word(runtime, words.MaxText)+"):")
	p.entries(append(main, others...), noun)
	if own > 0 {
		p.Line("")
		p.Text("  ", 4, "and "+words.Count(own)+" of the runtime itself")
	}
}

// entries writes tasks with their stacks, [maxTasks] at most, and the number of the others.
func (p *printer) entries(tasks []*profile.Task, noun string) {
	p.Total = 0
	more, places := 0, 0
	for i, t := range tasks {
		if i >= maxTasks {
			more, places = more+t.Count, places+1
			continue
		}
		p.task(t, noun)
	}
	if more > 0 {
		p.Line("")
		p.Text("  ", 4, fmt.Sprintf("and %s in %s: -f json has them", words.Plural(more, "further "+noun), words.Plural(places, "other stack")))
	}
}

// task writes an entry of tasks: a line of facts, then the frames from the outermost inwards.
func (p *printer) task(t *profile.Task, noun string) {
	p.Line("")
	name := fmt.Sprintf("%s %d", noun, t.ID)
	switch {
	case t.Count > 1:
		name = words.Plural(t.Count, noun)
	case headline.IsMainTask(t):
		name = "main " + name
	}
	if t.Name != "" {
		name = noun + " " + words.Quoted(t.Name)
	}
	since := ""
	if t.Since > 0 {
		since = " for " + words.Seconds(t.Since)
	}
	p.Text("  ", 6, p.Name(name)+words.TaskState(t)+since+p.CreatedBy(t.Created))
	for _, n := range shownFrames(t.Path) {
		if n.Cut != nil {
			p.Line("%s%s", p.Indent(words.Position{Level: 1}), p.cutHere(n.Cut))
		}
		p.branch(n, words.Position{Level: 1})
	}
}

// firstTask writes the stack of the tasks that the headline is about, and where most of the others
// are.
func (p *printer) firstTask(about *headline.Tasks) {
	path := inner(about.Path)
	if len(path) == 0 {
		return
	}
	noun := words.TaskNoun(about.Runtime)
	name := fmt.Sprintf("%s %d", noun, about.ID)
	switch {
	case about.Main:
		name = "the main " + noun
	case about.Several:
		name = "one of the " + words.Plural(about.Number, noun)
	case about.Number > 1:
		name = "the " + words.Plural(about.Number, noun) + " alike"
	}
	p.Line("")
	p.Text("", 2, "Stack of "+name+", innermost first:")
	p.innermostFirst(path)
	p.otherTasks(about, noun)
}

// otherTasks writes a line for each of the first few other places where tasks of the program wait.
func (p *printer) otherTasks(but *headline.Tasks, noun string) {
	places, left := 0, 0
	for _, g := range byNumber(headline.TasksByPlace(p.Profile.Tasks)) {
		switch {
		case g.SamePlace(but) || g.Own == nil:
			continue
		case places == maxOthers:
			left += g.Number
			continue
		case places == 0:
			p.Line("")
		}
		places++
		p.Text("", 2, p.TaskLine(g))
	}
	if left > 0 {
		p.Line("… and %s elsewhere", words.Plural(left, noun))
	}
}

// byNumber sorts groups of tasks, the largest first.
func byNumber(groups []*headline.Tasks) []*headline.Tasks {
	slices.SortStableFunc(groups, func(a, b *headline.Tasks) int { return cmp.Compare(b.Number, a.Number) })
	return groups
}

// shownFrames returns the root of a copy of the stack that [inner] returns; none if that is empty.
func shownFrames(path []*profile.Node) []*profile.Node {
	path = inner(path)
	var below []*profile.Node
	for i := len(path) - 1; i >= 0; i-- {
		n := *path[i]
		n.Children = below
		below = []*profile.Node{&n}
	}
	return below
}

// inner returns a stack without the frames in which every task of a runtime begins and stops.
func inner(path []*profile.Node) []*profile.Node {
	if len(path) > 1 && strings.TrimSuffix(path[0].Function, ".abi0") == "runtime.goexit" {
		path = path[1:]
	}
	return withoutParking(path)
}

// withoutParking leaves out the innermost functions of Go's runtime, except the one that was called
// from outside the runtime: how a goroutine is parked is the same for all.
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
