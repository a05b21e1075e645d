package text

import (
	"cmp"
	"fmt"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/words"
)

// tasks writes the tasks that no thread runs, by runtime.
func (p *printer) tasks() {
	p.Total = 0
	for _, list := range p.TaskLists() {
		p.Line("")
		p.Text("", 2, list.Title)
		for _, t := range list.Tasks {
			p.task(t)
		}
		for _, line := range list.Rest {
			p.Line("")
			p.Text("  ", 4, line)
		}
	}
}

// task writes an entry of tasks: a line of facts, then the frames from the outermost inwards.
func (p *printer) task(t *profile.Task) {
	p.Line("")
	p.Text("  ", 6, p.TaskTitle(t))
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
	path := words.TaskStack(about.Path)
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
	p.Total = 0
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

// shownFrames returns the root of a copy of the stack that [words.TaskStack] returns; none if that is empty.
func shownFrames(path []*profile.Node) []*profile.Node {
	path = words.TaskStack(path)
	var below []*profile.Node
	for i := len(path) - 1; i >= 0; i-- {
		n := *path[i]
		n.Children = below
		below = []*profile.Node{&n}
	}
	return below
}
