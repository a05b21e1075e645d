package text

import (
	"fmt"
	"io"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// hang writes the report of a hang: its times, the phases of the thread, all samples, and
// the processes that it waited for. A periodic report is only the tree.
func hang(w io.Writer, r *report.Report, o words.Options) error {
	if r.Hang.Reason == hangreport.Hang {
		if err := writeHang(newPrinter(w, r.Profiles[0], o), r); err != nil {
			return err
		}
	}
	for _, p := range r.Profiles {
		if err := tree(w, p, o); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil { // another report may follow
			return err
		}
	}
	return nil
}

func writeHang(p *printer, all *report.Report) error {
	r := all.Hang
	p.Fact("Hang", fmt.Sprintf("%s for %s%s%s", r.Kind, atLeast(r), words.Duration(r.Duration), unfinished(r)+hungIn(&p.Printer, r)))
	p.Fact("Hang Start", words.Moment(r.Start)+orBefore(r))
	if r.Ended {
		p.Fact("Hang End", words.Moment(r.Start.Add(r.Duration)))
	} else {
		p.Fact("Reported", words.Clean("while it went on: "+r.Why, words.MaxText))
	}
	p.Fact("Hang Thread", hungThread(&p.Printer, r))
	p.Fact("Hang CPU", fmt.Sprintf("%s, %s of the time", words.Seconds(r.CPU), words.Share(float64(r.CPU), float64(r.Duration))))
	p.followed(all)
	p.phases(r)
	straight := *p
	straight.Profile = p.Profile.Straight()
	if t := straight.Profile.Find(r.Thread); t != nil && !t.Main {
		straight.holders(t, nil)
		straight.heaviestOf(t, "the thread")
	}
	p.Line("")
	return p.Flush()
}

// hungThread names the thread of a hang.
func hungThread(p *words.Printer, r *hangreport.Report) string {
	if t := p.Profile.Original().Find(r.Thread); t != nil && t.Main {
		return "main thread"
	}
	return p.ThreadName(r.Thread, r.Name)
}

// hungIn returns a clause with the function of the program's own code that the hung
// thread was mostly in, "" if there is none.
func hungIn(p *words.Printer, r *hangreport.Report) string {
	if t := p.Profile.Straight().Find(r.Thread); t != nil {
		if in := p.MostlyIn(t); in != "" {
			return ", " + in
		}
	}
	return ""
}

// followed writes the chain of waits into other processes.
func (p *printer) followed(r *report.Report) {
	if chain := chainOf(r); chain != nil {
		p.Chain("Hang Waits", chain, r.Profiles...)
	}
	p.Circles(r.Deadlocks, r.Profiles...)
	p.Uncaptured(r.Missing)
}

// chainOf returns the chain of waits from a hung thread, if the chain leads into
// other processes. It returns nil if the chain is part of a deadlock.
func chainOf(r *report.Report) []profile.Waiter {
	chain := r.Hang.Followed.Chain
	if len(r.Profiles)+len(r.Missing) < 2 || len(chain) == 0 {
		return nil
	}
	for _, d := range r.Deadlocks {
		if slices.ContainsFunc(d.Waiters, func(w profile.Waiter) bool { return w.ID == chain[0].ID && w.PID == chain[0].PID }) {
			return nil
		}
	}
	return chain
}

// atLeast returns words for a hang that began before the watch: it lasted longer than
// was observed.
func atLeast(r *hangreport.Report) string {
	if r.FromStart {
		return "at least "
	}
	return ""
}

func orBefore(r *hangreport.Report) string {
	if r.FromStart {
		return ", or before: it hung when the watch began"
	}
	return ""
}

func unfinished(r *hangreport.Report) string {
	if r.Ended {
		return ""
	}
	return ", and still"
}

// phases writes what the thread did while it was sampled.
func (p *printer) phases(r *hangreport.Report) {
	for i, ph := range r.Phases {
		if i == 0 {
			p.Line("")
			p.Line("What the thread did:")
		}
		p.Text("  ", 6, phase(&p.Printer, r, &ph))
	}
}

// phase describes one phase of a hang.
func phase(p *words.Printer, r *hangreport.Report, ph *hangreport.Phase) string {
	text := p.Shown(ph.Function)
	if text == "" {
		text = "???"
	}
	if ph.Wait != nil {
		text += ", waits " + p.WaitFor(r.Thread, ph.Wait)
	}
	return fmt.Sprintf("%9s  for %s, %s: %s", "+"+words.Duration(ph.Start), words.Duration(ph.Duration), words.Plural(ph.Samples, "sample"), text)
}
