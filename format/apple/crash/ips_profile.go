package crash

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// profile makes a profile from the report.
func (r *ipsReader) profile() *profile.Profile {
	d := &r.report
	p := &profile.Profile{Start: notation.ParseMoment(d.Captured), Snapshots: 1, Tool: cmp.Or(d.Tool, reportCrash), Target: r.target()}
	listed := r.images(p)
	for i := range d.Threads {
		p.Threads = append(p.Threads, d.Threads[i].thread(p, listed))
	}
	if len(p.Threads) > 0 && !slices.ContainsFunc(p.Threads, func(t *profile.Thread) bool { return t.Main }) {
		p.Threads[0].Main = !r.numbered || p.Threads[0].ID == 0 // the kernel lists it first
	}
	r.crash(p)
	if len(d.LastException) > 0 {
		t := ipsThread{Name: lastException, Frames: d.LastException}
		p.Threads = append(p.Threads, t.thread(p, listed))
	}
	for i := range d.Backtraces {
		p.Threads = append(p.Threads, d.Backtraces[i].thread(p, listed))
	}
	p.Notes = r.notes()
	slices.SortStableFunc(p.Images, func(a, b *profile.Image) int { return cmp.Compare(a.Load, b.Load) })
	return p
}

func (r *ipsReader) target() task.Info {
	d := &r.report
	t := task.Info{
		OS: task.Darwin, PID: d.PID, Name: d.Name, Path: d.Path, ParentName: d.Parent, ParentPID: d.ParentPID,
		Start: notation.ParseMoment(d.Launched), Translated: d.Translated, Machine: task.Machine{Model: d.Model},
	}
	if d.UserID != nil {
		t.User = &task.User{ID: *d.UserID}
	}
	if d.OS != nil {
		t.OSVersion = d.OS.Train
		if d.OS.Build != "" {
			t.OSVersion += " (" + d.OS.Build + ")"
		}
		if strings.Contains(t.OSVersion, "Linux") { // a report written by this program
			t.OS = task.Linux
		}
	}
	for arch := range notation.CodeTypes {
		if cpuType(&profile.Profile{Target: task.Info{Arch: arch}}) == d.CPUType {
			t.Arch = arch
		}
	}
	return t
}

// images makes the images, in the order of the report. An invalid entry becomes nil.
func (r *ipsReader) images(p *profile.Profile) []*profile.Image {
	d := &r.report
	listed := make([]*profile.Image, len(d.Images))
	for i, of := range d.Images {
		if of.Base == 0 && of.Name == "" || of.Base+of.Size < of.Base {
			continue
		}
		if of.Base == 0 { // only frames name it
			of.Size = 0
		}
		im := &profile.Image{
			Path: of.Path, Load: task.Addr(of.Base), End: task.Addr(of.Base + of.Size), ID: notation.ParseID(of.UUID), Arch: notation.Archs[of.Arch], Symbols: true,
			Bundle: object.Bundle{ID: of.ID, Version: of.Version, Build: of.Build},
		}
		if im.Path == "" {
			im.Path = of.Name
		}
		if of.Size == 0 && im.Load != 0 {
			im.Note = notation.NoEnd
		}
		if of.Arch != im.Arch.String() {
			im.Variant = of.Arch
		}
		if p.Main == nil && samePath(im.Path, d.Path) {
			im.Main, p.Main = true, im
		}
		listed[i], p.Images = im, append(p.Images, im)
	}
	r.program(p)
	return listed
}

// program completes the main image from the header. It makes the image if the report
// does not list it.
func (r *ipsReader) program(p *profile.Profile) {
	d := &r.report
	if p.Main == nil && d.Bundle != nil {
		p.Main = &profile.Image{Path: cmp.Or(d.Path, d.Name), Main: true, Arch: p.Target.Arch}
	}
	if b := d.Bundle; b != nil {
		of := &p.Main.Bundle
		*of = object.Bundle{ID: cmp.Or(b.ID, of.ID), Version: cmp.Or(b.Version, of.Version), Build: cmp.Or(b.Build, of.Build)}
	}
}

// samePath reports whether two paths are the same: /var is a link to /private/var.
func samePath(a, b string) bool {
	const link = "/private"
	return a != "" && strings.TrimPrefix(a, link) == strings.TrimPrefix(b, link)
}

// thread makes a thread with one stack. The report has the innermost frame first, and
// inlined calls before the function that contains them.
func (t *ipsThread) thread(p *profile.Profile, listed []*profile.Image) *profile.Thread {
	thread := &profile.Thread{ID: task.ThreadID(t.ID), Name: t.Name, Queue: t.Queue, Main: t.Queue == notation.MainQueue, Samples: 1}
	thread.States[task.StateUnknown] = 1
	var inner *profile.Node
	isReturn := false
	for i := range t.Frames {
		n := t.Frames[i].node(listed)
		n.Return = isReturn
		isReturn = isReturn || !n.Inlined
		if inner == nil {
			n.Self = 1
		} else {
			n.Children = []*profile.Node{inner}
		}
		if !n.Inlined {
			p.Frames++
		}
		inner = n
	}
	if inner == nil {
		thread.Empty, thread.Err = 1, "the report has no frame of it"
		return thread
	}
	thread.Roots = []*profile.Node{inner}
	return thread
}

func (f *ipsFrame) node(listed []*profile.Image) *profile.Node {
	n := &profile.Node{
		Location: profile.Location{Function: f.Symbol, Inlined: f.Inline, File: f.File, Line: f.Line},
		PC:       task.Addr(f.Offset), By: unwind.ByReport, Count: 1,
	}
	n.Function, n.Kernel = strings.CutSuffix(n.Function, notation.KernelMark)
	if f.Image >= 0 && f.Image < len(listed) && listed[f.Image] != nil {
		n.Image = listed[f.Image]
		n.PC += n.Image.Load
	}
	switch {
	case f.Location != nil:
		n.Offset = *f.Location
	case f.Symbol == "" && n.Image != nil:
		n.Offset = f.Offset
	}
	return n
}

// crash sets the reason why the process ended, and the thread that crashed.
func (r *ipsReader) crash(p *profile.Profile) {
	e := r.report.Exception
	if e == nil {
		return
	}
	c := &task.Crash{Signal: e.Signal}
	detail := e.Subtype
	if detail != "" && e.Codes != "" {
		detail += codesMark
	}
	detail += e.Codes
	switch {
	case c.Signal == "":
		c.Signal, c.Detail = e.Type, detail
	case e.Type != "" && detail != "":
		c.Detail = e.Type + ": " + detail
	default:
		c.Detail = e.Type + detail
	}
	for i := range r.report.Threads {
		t := &r.report.Threads[i]
		if t.Triggered || r.report.Faulting != nil && *r.report.Faulting == i {
			c.Thread = task.ThreadID(t.ID)
		}
	}
	p.Target.Crash = c
}

// notes returns the report's notes, and notes on parts that are missing.
func (r *ipsReader) notes() (notes []string) {
	d := &r.report
	notes = append(notes, d.ReportNotes...)
	notes = append(notes, r.made()...)
	if r.cut {
		notes = append(notes, "the report is cut short: threads, or the images that they are in, may be missing")
	}
	if r.full {
		notes = append(notes, "the report is too large: a part of it was left out")
	}
	return notes
}

// made returns notes made from other members: messages and reasons.
func (r *ipsReader) made() (notes []string) {
	d := &r.report
	if d.Exception != nil && d.Exception.Message != "" {
		notes = append(notes, d.Exception.Message)
	}
	if e := d.Termination; e != nil {
		notes = append(notes, e.Reasons...)
		if e.Indicator != "" {
			notes = append(notes, endedBy+e.Indicator)
		}
	}
	for _, image := range slices.Sorted(maps.Keys(d.ASI)) {
		texts, _ := d.ASI[image].([]any)
		for _, text := range texts {
			if s, ok := text.(string); ok {
				notes = append(notes, image+": "+s)
			}
		}
	}
	return notes
}
