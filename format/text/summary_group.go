package text

import (
	"fmt"
	"io"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// group adds the summary of several processes: the headline, deadlocks, and some lines on
// each process.
func (b *summary) group(g *profile.Group) {
	if text := words.GroupHeadline(g); text != "" {
		b.add(3, 2, text)
	} else {
		b.add(1, 0, "no one thing stands out")
	}
	b.add(1, 0, "Processes: "+words.Together(g))
	b.uncaptured(g.Missing)
	if g.More > 0 {
		b.add(1, 0, "Missing: "+words.Count(g.More)+" more, beyond those that are captured at once")
	}
	b.circles(g.Deadlocks, g.Profiles, summaryLines)
	sure := b.sure(originals(g.Profiles)...)
	b.processes(g.Profiles, summaryLines-len(sure))
	b.lines = append(b.lines, sure...)
}

func originals(all []*profile.Profile) (list []*profile.Profile) {
	for _, p := range all {
		list = append(list, p.Original())
	}
	return list
}

// uncaptured lists the processes that could not be captured, with the reasons.
func (b *summary) uncaptured(all []profile.Missing) {
	for i, m := range all {
		if i == maxCircles {
			b.add(1, 0, "Missing: "+words.Count(len(all)-i)+" more")
			return
		}
		b.add(1, 0, "Missing: "+words.Clean(m.Why, words.MaxPath))
	}
}

// processes adds the lines on each process, as many as fit into most lines. Lines that one
// process does not need go to others, from the first on.
func (b *summary) processes(all []*profile.Profile, most int) {
	room := most - len(b.lines)
	if room <= 0 {
		return
	}
	if len(all) > room {
		for _, p := range all[:room-1] {
			b.lines = append(b.lines, b.process(p, 1)...)
		}
		b.add(1, 0, fmt.Sprintf("… %s more processes", words.Count(len(all)-room+1)))
		return
	}
	each := room / max(len(all), 1)
	spare, least := room, make([]int, len(all)) // lines that each needs of its own share
	for i, p := range all {
		least[i] = len(b.process(p, each))
		spare -= min(each, least[i])
	}
	for i, p := range all {
		lines := b.process(p, each+spare)
		if len(lines) > least[i] {
			spare -= len(lines) - least[i]
		}
		b.lines = append(b.lines, lines...)
	}
}

// process returns at most that many lines on a process.
func (b *summary) process(p *profile.Profile, most int) []string {
	one := newSummary(p, words.Options{Width: b.Width - 2})
	one.untitled = true
	line := fmt.Sprintf("- %s, %s", words.ProcessName(p.Target.Name, p.Target.PID), words.Plural(p.NumThreads(), "thread"))
	if about := words.Headline(p); about != "" {
		line += ": " + about
	}
	one.add(1, 0, line)
	one.circles(p.Deadlocks, []*profile.Profile{p}, most-len(one.lines)-1)
	one.stacks(most - len(one.lines))
	lines := one.lines[:min(len(one.lines), most)]
	for i := 1; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "  ") {
			lines[i] = "  " + lines[i]
		}
	}
	return lines
}

// hangSummary writes the summary of a hang: its times, the phases of the thread, waits and
// deadlocks, and stacks.
func hangSummary(w io.Writer, r *report.Report, o words.Options) error {
	b := newSummary(r.Profiles[0], o)
	if r.Hang.Reason == hangreport.Hang {
		b.hang(r)
	}
	b.headline()
	others := r.Profiles[1:]
	b.body(summaryLines - min(2*len(others), maxFollowedLines))
	b.processes(others, summaryLines)
	if err := b.writeTo(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n") // another report may follow
	return err
}

// maxFollowedLines is the number of lines reserved for the processes that a hung thread
// waited for.
const maxFollowedLines = 6

// followed adds the chain of waits into other processes.
func (b *summary) followed(r *report.Report) {
	if chain := chainOf(r); chain != nil {
		table := b.ChainTable(chain, r.Profiles...)
		b.add(1, 0, "Hang waits: "+table.Title)
		b.table(&table, maxCircleLines)
	}
	b.circles(r.Deadlocks, r.Profiles, summaryLines)
	b.uncaptured(r.Missing)
}

// hang adds the times and phases of a hang.
func (b *summary) hang(all *report.Report) {
	r := all.Hang
	began := words.Moment(r.Start)
	if r.FromStart {
		began += " or before"
	}
	b.add(2, 2, fmt.Sprintf("hang: %s for %s%s%s, from %s: %s", r.Kind, atLeast(r), words.Duration(r.Duration), unfinished(r), began, hungThread(&b.Printer, r)+hungIn(&b.Printer, r)))
	b.add(1, 2, fmt.Sprintf("  %s on CPU, %s of the time", words.Seconds(r.CPU), words.Share(float64(r.CPU), float64(r.Duration))))
	b.followed(all)
	const most = 4
	for i, ph := range r.Phases {
		if i == most {
			b.add(1, 0, "  … "+words.Plural(len(r.Phases)-i, "more phase"))
			return
		}
		b.add(1, 0, "  "+phase(&b.Printer, r, &ph))
	}
}
