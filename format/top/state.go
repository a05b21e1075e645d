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

// state selects what to show of the data, and how.
type state struct {
	focus    pane
	zoomed   bool // the focused pane fills the screen
	lists    [2]list
	function int32         // number of the selected one; −1: none yet
	thread   task.ThreadID // the selected one
	picked   bool          // the user selected the thread
	only     bool          // show only the functions of that thread
	single   bool          // show alike threads one by one
	measure  measure
	through  bool // show the callers of the selected function
	outward  bool // show the outermost frame first
	window   int  // an index of windows
	scroll   int  // lines scrolled away from the innermost frame

	frozen *data // data when frozen; nil: show the newest
	help   bool
	stops  bool // Ctrl-Z stops this program
	// maxStopped is the part of the time beyond which stops lower the rate.
	maxStopped float64
	prompt     *prompt
	message    string // message shown until the next key
	ended      string // why the sampling has ended; empty before
	height     int    // lines of the focused pane when last drawn
}

// list is the order and filter of a pane's rows.
type list struct {
	column   int // the column that sorts the rows
	reversed bool
	filter   filter
	offset   int // index of the first visible row
}

// The columns of the functions pane, from the left.
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

// windows are the durations of the window that the user can choose.
var windows = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, ringTime}

const firstWindow = 2

func newState() *state {
	s := &state{function: -1, window: firstWindow}
	s.lists[threadsPane].column = byCPU
	return s
}

// filter selects rows. The zero value selects all.
type filter struct {
	text string
	re   *regexp.Regexp
}

// newFilter compiles a regular expression. It ignores case unless the text has a capital
// letter.
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

// takes reports whether the filter passes a row with any of these texts.
func (f *filter) takes(texts ...string) bool {
	return f.re == nil || slices.ContainsFunc(texts, f.re.MatchString)
}

// of returns the data to show: the frozen ones, or now.
func (s *state) of(now *data) *data {
	if s.frozen != nil {
		return s.frozen
	}
	return now
}

// choose selects the thread with the most CPU time, if none is selected or the selected one
// has ended. It may change its choice in the first second, as the CPU times are not known
// at once.
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

// chosen returns the selected thread.
func (s *state) chosen(d *data) (seen, bool) {
	i := slices.IndexFunc(d.threads, func(t seen) bool { return t.id == s.thread })
	if i < 0 {
		return seen{}, false
	}
	return d.threads[i], true
}
