package format

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// thread writes one thread: a line of its own facts, then its frames.
func (p *printer) thread(t *profile.Thread) {
	p.line("")
	p.text("", 4, strings.Join(p.threadFacts(t), "  "))
	p.wait(t)
	p.failure(t)
	for _, n := range t.Roots {
		p.root(n)
	}
}

// threadFacts are the parts of a thread's line, those that are known.
func (p *printer) threadFacts(t *profile.Thread) []string {
	facts := []string{p.title(t)}
	add := func(fact string) {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	add(names(t))
	if t.Together == nil {
		add(dispatchQueue(t))
	}
	add(p.samples(t))
	add(p.states(t))
	add(p.spent(t))
	add(priority(t))
	if t.SuspendCount > 0 {
		add(fmt.Sprintf("suspended (count %d)", t.SuspendCount))
	}
	add(p.cpu(t))
	return facts
}

// dispatchQueue writes a queue as spindump does, its number behind its label.
func dispatchQueue(t *profile.Thread) string {
	switch {
	case t.Queue == "":
		return ""
	case t.QueueSerial == 0:
		return "DispatchQueue " + quoted(t.Queue)
	}
	return fmt.Sprintf("DispatchQueue %s(%d)", quoted(t.Queue), t.QueueSerial)
}

// title names one thread, or all those that an entry stands for.
func (p *printer) title(t *profile.Thread) string {
	os := p.profile.Target.OS
	if t.Together != nil {
		return p.together(t)
	}
	if len(t.Same) == 0 {
		if t.Main {
			return p.name("Thread "+threadID(os, t.ID)) + " (main)"
		}
		return p.name("Thread " + threadID(os, t.ID))
	}
	all := append([]profile.ThreadName{{ID: t.ID}}, t.Same...)
	return p.name(plural(len(all), "thread")+" alike:") + " " + threadIDs(os, all)
}

// maxIDs bounds the threads of one line.
const maxIDs = 4

// threadIDs lists threads, the first few.
func threadIDs(os task.OS, all []profile.ThreadName) string {
	shown := all
	if len(all) > maxIDs {
		shown = all[:maxIDs-1]
	}
	ids := make([]string, len(shown))
	for i, t := range shown {
		ids[i] = threadID(os, t.ID)
	}
	return listed(ids, len(all))
}

// listed is the first of so many.
func listed(first []string, all int) string {
	text := strings.Join(first, ", ")
	if more := all - len(first); more > 0 {
		text += " and " + count(more) + " more"
	}
	return text
}

// names writes the names of an entry's threads: each once, the first few.
func names(t *profile.Thread) string {
	const most = 4
	seen := map[string]bool{"": true}
	var list []string
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, quoted(name))
		}
	}
	add(t.Name)
	for _, s := range t.Same {
		add(s.Name)
	}
	if more := len(list) - most; more > 0 {
		list = append(list[:most], fmt.Sprintf("and %s", plural(more, "other name")))
	}
	return strings.Join(list, " ")
}

// samples writes in how many snapshots a thread was, and in which, counted from
// 1, where those are not all.
func (p *printer) samples(t *profile.Thread) string {
	switch {
	case p.total == 0 || !p.profile.Sampled():
		return ""
	case t.Together != nil:
		return plural(t.Samples, "sample")
	case t.Samples == p.profile.Snapshots, t.Last < t.First:
		return plural(t.Samples, "sample")
	}
	return fmt.Sprintf("%s (%s to %s)", plural(t.Samples, "sample"), count(t.First+1), count(t.Last+1))
}

// states writes the state, or of many samples how often each was seen.
func (p *printer) states(t *profile.Thread) string {
	if p.total == 0 {
		return turn(t)
	}
	if t.Together != nil && t.Together.By == profile.ByState {
		return "" // it is in the title
	}
	return strings.Join(stateCounts(t.States), ", ")
}

// stateCounts writes how often each state was seen.
func stateCounts(states profile.States) (parts []string) {
	for s, n := range states {
		if name := known(task.State(s)); n > 0 && name != "" {
			parts = append(parts, name+" "+count(n))
		}
	}
	return parts
}

// priority writes the class that a thread asks for, and what the kernel schedules
// it by.
func priority(t *profile.Thread) string {
	var parts []string
	if class := t.QoS.String(); class != "" {
		parts = append(parts, "QoS "+class)
	}
	switch p := t.Priority; {
	case p == task.Priority{}:
	case p.Now == p.Base || p.Base == 0:
		parts = append(parts, fmt.Sprintf("priority %d", p.Now))
	default:
		parts = append(parts, fmt.Sprintf("priority %d (base %d)", p.Now, p.Base))
	}
	return strings.Join(parts, "  ")
}

func known(s task.State) string {
	if s == task.StateUnknown || s > task.Ended {
		return ""
	}
	return s.String()
}

// cpu writes the time a thread has used. Nothing is written where the system
// does not tell, which looks like a thread that has never run.
func (p *printer) cpu(t *profile.Thread) string {
	if t.User+t.System == 0 {
		return ""
	}
	s := fmt.Sprintf("CPU since its start: user %s, system %s", seconds(t.User), seconds(t.System))
	if p.profile.Sampled() && p.spent(t) == "" {
		s += fmt.Sprintf(" (%s of it meanwhile)", seconds(t.Used))
	}
	if isSum(t) {
		s += " together"
	}
	return s
}

// failure writes what is missing of a thread, and why.
func (p *printer) failure(t *profile.Thread) {
	if text := p.missing(t); text != "" {
		p.text("  ", 6, p.cut("<"+text+">"))
	}
}

// missing says what is missing of a thread, and why; it is empty where nothing is.
func (p *printer) missing(t *profile.Thread) string {
	reason := clean(t.Err, maxText)
	switch {
	case t.Empty > 0 && p.total > 0:
		return fmt.Sprintf("no stack in %s of %s: %s", count(t.Empty), plural(t.Samples, "sample"), reason)
	case t.Empty > 0:
		return "no stack: " + reason
	case reason != "":
		return "incomplete: " + reason
	}
	return ""
}
