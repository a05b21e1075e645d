package text

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// thread writes a thread: a line of facts, then its frames.
func (p *printer) thread(t *profile.Thread) {
	p.Line("")
	p.Text("", 4, strings.Join(p.threadFacts(t), "  "))
	p.wait(t)
	p.failure(t)
	for _, n := range t.Roots {
		p.root(n)
	}
}

// threadFacts returns the known facts for a thread's line.
func (p *printer) threadFacts(t *profile.Thread) []string {
	facts := []string{p.title(t)}
	add := func(fact string) {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	add(p.names(t))
	add(words.Goroutines(t))
	if t.Together == nil {
		add(words.DispatchQueue(t))
	}
	add(p.Samples(t))
	add(p.States(t))
	spent := p.Spent(t)
	add(spent)
	add(words.Priority(t))
	if t.SuspendCount > 0 {
		add(fmt.Sprintf("suspended (count %d)", t.SuspendCount))
	}
	if spent == "" || p.everyFrame {
		add(p.Cpu(t))
	}
	return facts
}

// title names a thread, or all threads of an entry.
func (p *printer) title(t *profile.Thread) string {
	os := p.Profile.Target.OS
	if t.Together != nil {
		return p.together(t)
	}
	if len(t.Same) == 0 {
		if t.Main {
			return p.Name("Thread "+words.ThreadID(os, t.ID)) + " (main)"
		}
		return p.Name("Thread " + words.ThreadID(os, t.ID))
	}
	all := append([]profile.ThreadName{{ID: t.ID}}, t.Same...)
	return p.Name(words.Plural(len(all), "thread")+" alike:") + " " + words.ThreadIDs(os, all)
}

// names lists the first few different names of an entry's threads.
func (p *printer) names(t *profile.Thread) string {
	const most = 4
	seen := map[string]bool{"": true}
	var list []string
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, words.Quoted(name))
		}
	}
	process := p.Profile.Target.Name
	add(p.Profile.ShownName(t))
	for _, s := range t.Same {
		add(s.Shown(process))
	}
	if g := t.Together; g != nil && g.By == profile.ByEntry {
		for _, s := range g.Threads {
			add(s.Shown(process))
		}
	}
	if more := len(list) - most; more > 0 {
		list = append(list[:most], fmt.Sprintf("and %s", words.Plural(more, "other name")))
	}
	return strings.Join(list, " ")
}

// failure writes what is missing of a thread, and why.
func (p *printer) failure(t *profile.Thread) {
	if text := p.Missing(t); text != "" {
		p.Text("  ", 6, p.Cut("<"+text+">"))
	}
}

// together names the threads of a group.
func (p *printer) together(t *profile.Thread) string {
	g := t.Together
	n := words.Plural(len(g.Threads), "thread")
	var title string
	switch {
	case g.By == profile.ByEntry:
		title = n + " of " + p.Shown(g.Entry)
	case g.By == profile.ByState:
		title = n + " " + g.State.String()
	case g.By == profile.ByQueue && g.Queue == "":
		title = n + " of no dispatch queue"
	case g.By == profile.ByQueue:
		title = n + " of DispatchQueue " + words.Quoted(g.Queue)
	case len(g.Threads) == 1:
		title = "The only thread"
	default:
		title = "All " + n
	}
	return p.Name(title+":") + " " + words.ThreadIDs(p.Profile.Target.OS, g.Threads)
}

// wait writes what a thread waits for.
func (p *printer) wait(t *profile.Thread) {
	for _, line := range p.Waits(t) {
		p.Text("  ", 6, line)
	}
}
