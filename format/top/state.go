package top

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"stacksnap/task"
)

// pane is a part of the screen.
type pane int

const (
	functionsPane pane = iota
	threadsPane
	stackPane
	panes
)

// state is what of the data is shown, and how.
type state struct {
	focus    pane
	zoomed   bool // the pane in focus has the whole screen
	lists    [2]list
	function int32         // the chosen one; −1: none yet
	thread   task.ThreadID // the chosen one
	picked   bool          // by a person
	only     bool          // the functions of that thread alone
	measure  measure
	through  bool // the stack is the heaviest one with the chosen function
	outward  bool // the stack begins with the outermost frame
	window   int  // an index of windows
	scroll   int  // lines of the stack, away from the innermost frame

	frozen  *data // nil: what is shown is what is sampled
	help    bool
	stops   bool // Ctrl-Z stops this program
	prompt  *prompt
	message string // until the next key
	ended   string // why no samples come any more; empty while they do
	height  int    // lines of the pane in focus, as it was drawn last
}

// list is how the rows of a pane are shown.
type list struct {
	column   int // by which they are in order
	reversed bool
	filter   filter
	offset   int // rows above the first that is seen
}

// The columns of the lists, from the left.
const (
	bySelf = iota
	byTotal
	bySelfTime
	byTotalTime
	byFunction
	columns
)

const (
	byThread = iota
	byName
	byCPU
	byState
	byWhere
)

// windows are the last times that may be shown.
var windows = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, ringTime}

const firstWindow = 2

func newState() *state {
	s := &state{function: -1, window: firstWindow}
	s.lists[threadsPane].column = byCPU
	return s
}

// filter leaves out rows. The zero value leaves out none.
type filter struct {
	text string
	re   *regexp.Regexp
}

// newFilter reads a regular expression. Without a capital letter it takes those for
// small ones.
func newFilter(text string) (filter, error) {
	if text == "" {
		return filter{}, nil
	}
	expression := text
	if strings.ToLower(text) == text {
		expression = "(?i)" + text
	}
	re, err := regexp.Compile(expression)
	return filter{text, re}, err
}

// takes reports whether a row with any of these texts is shown.
func (f *filter) takes(texts ...string) bool {
	return f.re == nil || slices.ContainsFunc(texts, f.re.MatchString)
}

// of is the data to be shown, of which now is the newest.
func (s *state) of(now *data) *data {
	if s.frozen != nil {
		return s.frozen
	}
	return now
}

// choose chooses a thread where none is, or the chosen one has ended: the one that has
// used most CPU time, which takes a moment to be known.
func (s *state) choose(d *data) {
	const soon = time.Second
	chosen := slices.ContainsFunc(d.threads, func(t seen) bool { return t.id == s.thread })
	if chosen && (s.picked || d.Elapsed > soon) || len(d.threads) == 0 {
		return
	}
	s.picked = false
	cpu := d.window(windows[len(windows)-1]).cpu()
	best := d.threads[0]
	for _, t := range d.threads[1:] {
		if cpu[t.key] > cpu[best.key] {
			best = t
		}
	}
	s.thread = best.id
}

// chosen returns the chosen thread.
func (s *state) chosen(d *data) (seen, bool) {
	i := slices.IndexFunc(d.threads, func(t seen) bool { return t.id == s.thread })
	if i < 0 {
		return seen{}, false
	}
	return d.threads[i], true
}
