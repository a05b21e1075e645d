package text

import (
	"fmt"
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/words"
)

// Hang writes the report of a hang for people: when and how long, what the
// thread did from phase to phase, and then all samples as [Tree] does, and what the
// thread waited for in other processes. A periodic report is the tree alone.
func Hang(o words.Options) words.HangWriter {
	return func(w io.Writer, r *hangreport.Report) error {
		if r.Reason == hangreport.Hang {
			if err := writeHang(newPrinter(w, r.Profile, o), r); err != nil {
				return err
			}
		}
		for _, p := range append([]*profile.Profile{r.Profile}, r.Followed.Profiles...) {
			if err := Tree(o)(w, p); err != nil {
				return err
			}
			if _, err := io.WriteString(w, "\n"); err != nil { // another one may follow
				return err
			}
		}
		return nil
	}
}

func writeHang(p *printer, r *hangreport.Report) error {
	p.Fact("Hang", fmt.Sprintf("%s for %s%s", r.Kind, words.Duration(r.Duration), unfinished(r)))
	p.Fact("Hang Start", words.Moment(r.Start))
	if r.Ended {
		p.Fact("Hang End", words.Moment(r.Start.Add(r.Duration)))
	} else {
		p.Fact("Reported", words.Clean("while it went on: "+r.Why, words.MaxText))
	}
	p.Fact("Hang Thread", p.ThreadName(r.Thread, r.Name))
	p.Fact("Hang CPU", fmt.Sprintf("%s, %s of the time", words.Seconds(r.CPU), words.Share(float64(r.CPU), float64(r.Duration))))
	p.followed(&r.Followed)
	p.phases(r)
	straight := *p
	straight.Profile = p.Profile.Straight()
	if t := straight.Profile.Find(r.Thread); t != nil && !t.Main {
		straight.heaviestOf(t, "the thread")
	}
	p.Line("")
	return p.Flush()
}

// followed says for whom the thread waited in other processes, whose stacks are below.
func (p *printer) followed(f *hangreport.Followed) {
	if len(f.Profiles)+len(f.Missing) > 0 && len(f.Chain) > 0 {
		p.Fact("Hang Waits", p.Cut(p.Circle(f.Chain)))
	}
	p.Circles(f.Deadlocks)
	p.Uncaptured(f.Missing)
}

func unfinished(r *hangreport.Report) string {
	if r.Ended {
		return ""
	}
	return ", and still"
}

// phases writes what the thread did, while it was sampled.
func (p *printer) phases(r *hangreport.Report) {
	for i, ph := range r.Phases {
		if i == 0 {
			p.Line("")
			p.Line("What the thread did:")
		}
		p.Text("  ", 6, phase(&p.Printer, r, &ph))
	}
}

// phase tells of one run of samples.
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
