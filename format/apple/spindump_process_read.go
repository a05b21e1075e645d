package apple

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// spinProcessReader reads the part of a report about one process.
type spinProcessReader struct {
	processReader
	rest     *spinRest
	arch     string
	inImages bool
	below    map[spinEdge]*profile.Node
	states   map[*profile.Node]map[string]int // samples by state, for innermost frames
	told     map[*profile.Thread]bool         // threads whose number of samples the report states
	endless  map[*profile.Image]bool          // images whose end is unknown
	threads  map[task.ThreadID]*profile.Thread
	timeline spinTimeline // timeline of the thread that is being read
	steps    int          // number after the last sample of any timeline
}

// spinEdge identifies a node below another one; above is nil for the outermost.
type spinEdge struct {
	thread *profile.Thread
	above  *profile.Node
	text   string
	kernel bool
}

func newSpinProcessReader(l *limits) *spinProcessReader {
	return &spinProcessReader{
		processReader: newProcessReader(l), below: map[spinEdge]*profile.Node{}, states: map[*profile.Node]map[string]int{},
		rest: &spinRest{threads: map[task.ThreadID][]string{}}, told: map[*profile.Thread]bool{}, endless: map[*profile.Image]bool{},
	}
}

// read reads a line of the process.
func (r *spinProcessReader) read(line string) {
	switch {
	case strings.HasPrefix(strings.TrimLeft(line, " "), notation.BinaryImages):
		r.inImages, r.whole = true, true
	case strings.HasPrefix(line, spinThread):
		r.inImages = false
		r.startThread(line)
	case r.inImages:
		r.image(line)
	case strings.HasPrefix(line, "  "), strings.HasPrefix(line, " *"):
		r.frame(line)
	case r.thread == nil:
		r.fact(line)
	}
}

// keepFact keeps a line that precedes the threads.
func (r *spinProcessReader) keepFact(line string) {
	if line, ok := r.keep(line); ok && line != "" && len(r.rest.facts) < notation.MaxLines {
		r.rest.facts = append(r.rest.facts, line)
	}
}

// fact reads a line that precedes the threads.
func (r *spinProcessReader) fact(line string) {
	r.keepFact(line)
	key, value, found := strings.Cut(line, ":")
	value, _ = r.keep(strings.TrimSpace(value))
	if !found || value == "" {
		return
	}
	p, t := r.profile, &r.profile.Target
	switch key {
	case "UUID":
		r.main.ID = notation.ParseID(value)
	case "Path":
		t.Path = value
	case "Identifier":
		r.main.Bundle.ID = value
	case "Version":
		r.main.Bundle.Version, r.main.Bundle.Build = notation.ParseVersion(value)
	case "Architecture":
		r.arch = value
	case "Parent":
		t.ParentName, t.ParentPID = parseSpinProcess(value)
	case "UID":
		if id, err := strconv.ParseUint(value, 10, 32); err == nil {
			t.User = &task.User{ID: uint32(id)}
		}
	case "Footprint":
		t.Footprint.Now = parseSpinSize(value)
	case "Shared Cache":
		if c := parseSpinCache(value); c != nil {
			p.Cache = c
		}
	case "Note":
		if len(p.Notes) < notation.MaxNotes {
			p.Notes = append(p.Notes, value)
		}
	}
}

// threadForms match the parts that may follow the id in a thread's line, in this
// order.
type threadForms struct{ queue, oldQueue, name, samples, priority, cpu *regexp.Regexp }

var spinThreadForms = sync.OnceValue(func() threadForms {
	return threadForms{
		queue:    regexp.MustCompile(`^DispatchQueue "(.*?)"\((\d+)\)(?:  |$)`),
		oldQueue: regexp.MustCompile(`^DispatchQueue (\d+)(?: |$)`),
		name:     regexp.MustCompile(`^Thread name "(.*?)"(?:  |$)`),
		samples:  regexp.MustCompile(`^(\d+) samples?(?: \(([0-9, -]+)\))?(?:  |$)`),
		priority: regexp.MustCompile(`^priority (\d+)(-\d+)?(?: \(base (\d+)(-\d+)?\))?(?: |$)`),
		cpu:      regexp.MustCompile(`^cpu time +(\d+\.\d+s)(?: |$)`),
	}
})

// startThread reads the line of a thread.
func (r *spinProcessReader) startThread(line string) {
	line, ok := r.keep(line)
	if r.nodes++; !ok || r.nodes > maxBranches {
		r.full = true
		return
	}
	id, rest, _ := strings.Cut(line[len(spinThread):], " ")
	n, _ := strconv.ParseUint(id, 16, 64) // 0: not known
	t := &profile.Thread{ID: task.ThreadID(n), Last: -1}
	forms := spinThreadForms()
	take := func(form *regexp.Regexp) []string {
		rest = strings.TrimLeft(rest, " ")
		m := form.FindStringSubmatch(rest)
		if m != nil {
			rest = rest[len(m[0]):]
		}
		return m
	}
	if m := take(forms.queue); m != nil {
		t.Queue = m[1]
		t.QueueSerial, _ = strconv.ParseUint(m[2], 10, 64) // 0: not known
	} else if m := take(forms.oldQueue); m != nil {
		t.QueueSerial, _ = strconv.ParseUint(m[1], 10, 64)
	}
	if m := take(forms.name); m != nil {
		t.Name = m[1]
	}
	if m := take(forms.samples); m != nil {
		r.told[t] = true
		t.Samples = int(min(parseCount(m[1]), maxSamples))
		t.First, t.Last = parseRange(m[2])
	}
	if m := take(forms.priority); m != nil && m[2] == "" && m[4] == "" {
		t.Priority.Now, _ = strconv.Atoi(m[1])
		t.Priority.Base, _ = strconv.Atoi(m[3]) // 0: not known
	}
	if m := take(forms.cpu); m != nil {
		t.Used = parseSeconds(m[1])
	}
	t.Main = t.Queue == notation.MainQueue
	r.endTimeline(true)
	r.thread, r.path = t, r.path[:0]
	r.profile.Threads = append(r.profile.Threads, t)
	r.rest.threads[t.ID] = []string{line}
}

func parseCount(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 64) // s has only digits, so this fails for none or too many
	return n
}

// parseRange parses the first and last sample of "1-4, 7-9", which counts from 1. The
// results count from 0; last is −1 if it is unknown.
func parseRange(s string) (first, last int) {
	numbers := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) == 0 {
		return 0, -1
	}
	a, b := parseCount(numbers[0]), parseCount(numbers[len(numbers)-1])
	if a < 1 || b < a || b > maxSamples {
		return 0, -1
	}
	return int(a) - 1, int(b) - 1
}

// frame reads a line below a thread: blanks, an asterisk for the kernel, a count, and
// the text of the frame. A text in angle brackets without a count says how the thread
// was scheduled.
func (r *spinProcessReader) frame(line string) {
	const margin = 2
	rest := strings.TrimLeft(line, " ")
	rest, kernel := strings.CutPrefix(rest, "*")
	indent := len(line) - len(rest)
	number, text, found := strings.Cut(rest, " ")
	samples, err := strconv.ParseUint(number, 10, 64)
	depth := (indent - margin) / 2
	switch {
	case strings.HasPrefix(rest, "<") && !kernel && r.thread != nil && len(r.path) == 0:
		r.keepPolicy(line)
		return
	case r.full, rest == "", strings.HasPrefix(rest, "<") && !kernel, r.thread == nil && err != nil:
		return
	case !found || err != nil || samples > maxSamples || indent%2 != 0 || depth > len(r.path):
		r.unread++
		return
	}
	if r.thread == nil {
		r.startAll()
	}
	l := parseSpinLabel(strings.TrimLeft(text, " "))
	l.kernel = kernel || inKernel(l.pc)
	r.add(depth, int(samples), &l)
}

// maxPolicies is the maximum number of lines kept about a thread's scheduling.
const maxPolicies = 8

// keepPolicy keeps a line about the thread's scheduling.
func (r *spinProcessReader) keepPolicy(line string) {
	kept := r.rest.threads[r.thread.ID]
	if line, ok := r.keep(line); ok && len(kept) > 0 && len(kept) < maxPolicies {
		r.rest.threads[r.thread.ID] = append(kept, line)
	}
}

// endTimeline completes the timeline of a thread whose lines have been read.
func (r *spinProcessReader) endTimeline(whole bool) {
	if r.thread != nil {
		r.timeline.not = r.timeline.not || r.full // lines may be missing
		r.thread.Timeline = r.timeline.end(whole)
		r.steps = max(r.steps, r.timeline.built.End())
	}
	r.timeline = spinTimeline{}
}

// allThreads is the name of the pseudo-thread for reports that do not distinguish
// threads.
const allThreads = "all threads"

// startAll begins the pseudo-thread for all threads.
func (r *spinProcessReader) startAll() {
	r.thread, r.path = &profile.Thread{Name: allThreads, Last: -1}, nil
	r.profile.Threads = append(r.profile.Threads, r.thread)
}

// add adds a frame below its caller, and counts its samples. In a timeline the same
// frame recurs.
func (r *spinProcessReader) add(depth, samples int, l *spinLabel) {
	var above *profile.Node
	if depth > 0 {
		above = r.path[depth-1]
	}
	e := spinEdge{r.thread, above, l.String(), l.kernel}
	n := r.below[e]
	if n == nil {
		if n = r.newNode(e, l); n == nil {
			r.path, r.timeline.not = r.path[:depth], true
			return
		}
	}
	r.timeline.add(depth, n, l, r.limits)
	n.Count = int(min(uint64(n.Count)+uint64(samples), maxSamples))
	r.path = append(r.path[:depth], n)
	if l.state != "" {
		state, _ := r.keep(l.state)
		if r.states[n] == nil {
			r.states[n] = map[string]int{}
		}
		r.states[n][state] += samples
	}
}

// newNode makes the node for an edge, nil if there are too many.
func (r *spinProcessReader) newNode(e spinEdge, l *spinLabel) *profile.Node {
	text, ok := r.keep(e.text)
	if r.nodes++; !ok || r.nodes > maxBranches {
		r.full = true
		return nil
	}
	e.text = text
	n := r.node(l)
	r.below[e] = n
	if e.above == nil {
		e.thread.Roots = append(e.thread.Roots, n)
		return n
	}
	e.above.Return = e.above.PC != 0
	e.above.Children = append(e.above.Children, n)
	return n
}

// node makes a node from a label.
func (r *spinProcessReader) node(l *spinLabel) *profile.Node {
	n := &profile.Node{PC: l.pc, By: unwind.ByReport}
	if symbol := unmark(n, l.symbol); symbol != notation.Unknown {
		n.Function, _ = r.keep(symbol)
	}
	n.Kernel = n.Kernel || l.kernel
	n.File, _ = r.keep(l.file)
	n.Line, n.Column, n.Offset = l.line, l.column, l.offset
	if n.Function == "" {
		n.Offset = l.inImage
	}
	of := label{image: l.image}
	if l.hasPlace && uint64(l.pc) >= l.inImage {
		of.load, of.hasLoad = l.pc-task.Addr(l.inImage), true
	}
	n.Image = r.imageOf(&of)
	return n
}
