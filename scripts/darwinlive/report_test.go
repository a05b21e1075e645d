//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// report is what is read of a report in JSON (format/jsondoc/JSON.md).
type report struct {
	Target struct {
		PID         int
		Name, Path  string
		LoadAddress string `json:"load_address"`
		Arch        string
		ParentPID   int `json:"parent_pid"`
	}
	Snapshots     int
	Missed        int   `json:"missed_ticks"`
	Stops         int   `json:"stops"`
	Stopped       int64 `json:"stopped_ns"`
	LongestStop   int64 `json:"longest_stop_ns"`
	Frames        int
	Walks         int
	ToBottom      int `json:"walks_to_bottom"`
	MissedThreads int `json:"missed_threads"`
	Notes         []string
	Images        []image
	Threads       []thread
	Tasks         []goroutine
	Deadlocks     [][]struct {
		ID   uint64
		Wait wait
	}
}

type image struct {
	Path, Name, ID string
	LoadAddress    string `json:"load_address"`
	Main, Symbols  bool
	Runtime        bool
	Note, Error    string
}

type thread struct {
	ID          uint64
	Name, Queue string
	QueueSerial uint64 `json:"queue_serial"`
	Main        bool
	State       string
	Wait        *wait
	Samples     int
	Empty       int
	Error       string
	Nodes       []node
}

type wait struct {
	Call, Object, Lock, Address, Variable string
	Owner                                 uint64
}

type node struct {
	Depth, Parent   int
	Function        string
	Offset          uint64
	Image           *int
	Address, By     string
	Why             string
	Guess           bool
	Cut             *struct{ Reason, Detail string }
	Count, Self     int
	Return, Inlined bool
	ImageOffset     uint64 `json:"image_offset"`
	File            string
	Line            int
}

// report runs stacksnap to its end and reads its report.
func (r *room) report(args ...string) *report {
	r.Helper()
	res := r.snap(append(args, "-f", "json")...)
	return r.parse(r.ok(res))
}

// look takes one snapshot.
func (r *room) look(p *program) *report {
	r.Helper()
	return r.report("-p", fmt.Sprint(p.pid))
}

func (r *room) parse(text string) *report {
	r.Helper()
	rep := new(report)
	if i := strings.Index("\n"+text, "\n{\n"); i > 0 { // the Darwin user space writes lines of its own there
		r.Logf("before the report: %s", tail(text[:i]))
		text = text[i:]
	}
	if err := json.Unmarshal([]byte(text), rep); err != nil {
		r.Fatalf("no report: %v\n%s", err, tail(text))
	}
	rep.Notes = slices.DeleteFunc(rep.Notes, r.isOfOutside)
	return rep
}

// missingObject is a note of an object file that is not there.
var missingObject = regexp.MustCompile(`: no lines of code from (/.*): it is missing`)

// isOfOutside tells of a note of an object file that was there when a program or a
// library of this Darwin user space was built, on this machine, where that has no files
// of this name.
func (s *space) isOfOutside(note string) bool {
	m := missingObject.FindStringSubmatch(note)
	return m != nil && !strings.HasPrefix(m[1], s.files+"/")
}

// stack are the functions of a thread of a single snapshot, outermost first.
func (t *thread) stack() []string {
	var s []string
	for _, n := range t.Nodes {
		s = append(s, n.Function)
	}
	return s
}

func (t *thread) String() string {
	s := fmt.Sprintf("thread %#x %q %s %s:", t.ID, t.Name, t.State, t.Error)
	for _, n := range t.Nodes {
		s += fmt.Sprintf("\n%s%s + %d [%s] %s %s", strings.Repeat(" ", n.Depth), n.Function, n.Offset, n.Address, n.By, n.Why)
		if n.Cut != nil {
			s += " CUT " + n.Cut.Reason + " " + n.Cut.Detail
		}
	}
	return s
}

// whole tells what is wrong with a thread whose stack must be all there.
func (t *thread) whole() string {
	switch {
	case t.Error != "":
		return t.Error
	case len(t.Nodes) == 0:
		return "no frames"
	case t.Nodes[0].Cut != nil:
		return "cut: " + t.Nodes[0].Cut.Reason
	}
	for i, n := range t.Nodes {
		if n.Guess || n.Function == "" {
			return fmt.Sprintf("frame %d is a guess or has no name", i)
		}
	}
	return ""
}

// follows reports whether the functions stand in a stack one right after the other.
func follows(stack, functions []string) bool {
	for i := 0; i+len(functions) <= len(stack); i++ {
		n := 0
		for n < len(functions) && stack[i+n] == functions[n] {
			n++
		}
		if n == len(functions) {
			return true
		}
	}
	return false
}
