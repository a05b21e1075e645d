package words

import (
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/task"
)

// EachOnce returns the processes of a group, with equal idle ones merged if the options say
// so.
func EachOnce(g *profile.Group, o Options) (all []*profile.Alike) {
	if o.FoldIdle {
		return profile.FoldIdle(g.Profiles)
	}
	for _, p := range g.Profiles {
		all = append(all, &profile.Alike{Profile: p})
	}
	return all
}

// AboutGroup returns a profile with only the system of a group, for printers of texts about
// the whole group.
func AboutGroup(g *profile.Group) *profile.Profile {
	about := &profile.Profile{}
	if len(g.Profiles) > 0 {
		about.Target.OS = g.Profiles[0].Target.OS
	}
	return about
}

// GroupHeader writes the header of a group's report: its processes with their headlines,
// and the time between their captures.
func (p *Printer) GroupHeader(g *profile.Group, all []*profile.Alike) {
	if text := GroupHeadline(g); text != "" {
		p.Line("%s", p.Name(text))
		p.Line("")
	}
	p.Fact("Processes", Together(g))
	p.Uncaptured(g.Missing)
	if g.More > 0 {
		p.Fact("Missing", p.Cut(fmt.Sprintf("%s more, beyond those that are captured at once", Count(g.More))))
	}
	for _, n := range g.Notes {
		p.Fact("Note", Clean(n, MaxPath))
	}
	p.Circles(g.Deadlocks, g.Profiles...)
	for _, one := range all {
		label := ProcessName(one.Target.Name, one.Target.PID)
		if n := len(one.Others); n > 0 {
			label += " and " + Count(n) + " like it"
		}
		line := fmt.Sprintf("  - %s, %s", label, Plural(one.NumThreads(), "thread"))
		if about := Headline(one.Profile); about != "" {
			line += ": " + about
		}
		p.Line("%s", line)
	}
}

// Uncaptured lists the processes that could not be captured, with the reasons.
func (p *Printer) Uncaptured(all []profile.Missing) {
	for i, m := range all {
		if i == MaxNotes {
			p.Fact("Missing", Count(len(all)-i)+" more")
			return
		}
		p.Fact("Missing", p.Cut(Clean(m.Why, MaxPath)))
	}
}

// Together returns a phrase with the number of processes in a group and, if each was captured once,
// the time between the first and the last capture.
func Together(g *profile.Group) string {
	n := len(g.Profiles)
	text := Count(n)
	if spread, ok := g.Spread(); ok && spread == 0 {
		text += ", captured at the same time"
	} else if ok {
		text += ", one captured after another: the last " + Duration(spread) + " after the first"
	}
	return text
}

// GroupHeadline describes in one line, without a line end, what matters most in a group;
// empty if that is unknown.
func GroupHeadline(g *profile.Group) string {
	h := headline.OfGroup(g)
	switch h.Kind {
	case headline.Circle:
		return circleText(h.Links)
	case headline.Chain:
		return chainText(h.Links)
	case headline.OfOne:
		return "in " + ProcessName(h.Profile.Target.Name, h.Profile.Target.PID) + ": " + Headline(h.Profile)
	case headline.AllIdle:
		return fmt.Sprintf("idle: the main threads of all %s processes", Count(len(g.Profiles)))
	}
	return ""
}

// maxLinks is the most threads of a chain that are named.
const maxLinks = 8

// chainText describes a chain of waits, and what its last thread does.
func chainText(links []headline.Link) string {
	var b strings.Builder
	b.WriteString(linkName(links[0]))
	last := len(links) - 1
	for i, l := range links[:last] {
		if i == maxLinks {
			fmt.Fprintf(&b, ", and so on through %s", Plural(last-i, "further thread"))
			return b.String()
		}
		b.WriteString(which(i) + "waits " + forNext(l, links[i+1]))
	}
	b.WriteString(doing(links[last]))
	return b.String()
}

// circleText describes a deadlock, beginning with the lowest pid.
func circleText(links []headline.Link) string {
	lowest := 0
	for i, l := range links {
		if l.Profile.Target.PID < links[lowest].Profile.Target.PID {
			lowest = i
		}
	}
	links = append(slices.Clone(links[lowest:]), links[:lowest]...)
	text := fmt.Sprintf("%s wait for each other: %s", Plural(len(links), "thread"), linkName(links[0]))
	for i, l := range links[:min(len(links), maxLinks)] {
		text += which(i) + "waits " + forNext(l, links[(i+1)%len(links)])
	}
	return text
}

// which returns the conjunction before what the i-th thread of a chain does.
func which(i int) string {
	if i == 0 {
		return " "
	}
	return ", which "
}

// linkName names a thread with its process.
func linkName(l headline.Link) string {
	t := &l.Profile.Target
	name := ProcessName(t.Name, t.PID)
	switch {
	case l.ID == 0:
		return name
	case l.Thread != nil && l.Thread.Main:
		return "main thread of " + name
	}
	return "thread " + ThreadID(t.OS, l.ID) + " of " + name
}

// forNext describes what a thread of a chain waits for the next one to do.
func forNext(l, next headline.Link) string {
	w := l.Wait
	name := ProcessName(next.Profile.Target.Name, next.Profile.Target.PID)
	if w.Peer.Action != profile.End && next.ID != 0 && next.Profile.NumThreads() > 1 {
		name = linkName(next)
	}
	switch {
	case w.Peer.Others:
		return "in " + Word(w.Call, MaxText) + atOtherEnd(name)
	case w.Lock == profile.ThreadEnd:
		return "for " + name + " to end"
	case w.Lock != profile.NoLock:
		return "for a " + w.Lock.String() + " that " + name + " has"
	}
	return "for " + name + " to " + w.Peer.Action.String()
}

// doing describes what the last thread of a chain does; empty if unknown.
func doing(l headline.Link) string {
	if l.Thread == nil {
		return ""
	}
	p := &Printer{Profile: l.Profile}
	switch t := l.Thread; {
	case t.Wait != nil:
		return ", which waits " + p.WaitOf(t, t.Wait)
	case t.State == task.Stopped:
		return ", which is stopped"
	case t.State != task.Running:
		return ""
	case t.OnCPUState == task.OnCPU:
		return ", which is on a CPU" + p.inFunction(t)
	case t.OnCPUState == task.Queued:
		return ", which waits for a CPU" + p.inFunction(t)
	default:
		return ", which is runnable" + p.inFunction(t)
	}
}
