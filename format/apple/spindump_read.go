package apple

import (
	"bufio"
	"strings"
	"time"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// spindumpTool is what writes the reports of hangs on a Mac.
const spindumpTool = "spindump"

// Keys and lines by which the parts of a report of spindump are known.
const (
	spinSteps   = "Steps:"
	spinVersion = "Report Version:"
	spinProcess = "Process:"
	spinPower   = "Powerstats for:" // of a report of stacks that were taken now and then
	spinThread  = "  Thread 0x"
	spinBinary  = "Spindump binary format"

	spinTruncated = "<truncated backtrace>"
)

// isSpindump reports whether a file has the lines that a report of spindump begins with.
func isSpindump(head []byte) bool {
	return notation.HasLine(head, spinSteps) && notation.HasLine(head, spinVersion)
}

// spinReader reads a report of spindump, line by line.
type spinReader struct {
	limits    *limits
	header    spinHeader
	processes []*spinProcessReader
	now       *spinProcessReader // whose lines are read; nil: those of the header
	ended     bool
}

// spinHeader is what a report tells before its first process.
type spinHeader struct {
	rest       *spinHeaderRest
	start, end time.Time
	duration   time.Duration
	interval   time.Duration
	steps      int
	version    string
	arch       string // of the machine
	tool       string
	machine    task.Machine
	pageSize   int
	target     task.Info // whose report it is, of all processes; PID 0: nobody's
	main       profile.Image
	notes      []string // of that
	seen       bool     // the lines of the target have begun
}

func newSpinReader() *spinReader {
	return &spinReader{limits: newLimits(), header: spinHeader{rest: &spinHeaderRest{}}}
}

// readSpindump reads a report of spindump: a profile of each process. One that was cut
// short gives what there is, with a note.
func readSpindump(from *bufio.Reader) ([]*profile.Profile, error) {
	r := newSpinReader()
	err := notation.EachLine(from, func(line string) bool {
		r.read(line)
		return !r.ended
	})
	if err != nil {
		return nil, err
	}
	return r.profiles(), nil
}

// read reads a line.
func (r *spinReader) read(line string) {
	switch {
	case strings.HasPrefix(line, spinProcess):
		r.begin(line, line[len(spinProcess):])
	case strings.HasPrefix(line, spinPower):
		r.begin(line, line[len(spinPower):])
	case strings.HasPrefix(line, spinBinary):
		r.ended = true
	case r.now == nil:
		r.header.read(line, r.limits)
	default:
		r.now.read(line)
	}
}

// begin begins a process with a line that has its name.
func (r *spinReader) begin(line, name string) {
	if r.now != nil {
		r.now.whole, r.now.below = true, nil // another one follows
	}
	r.now = newSpinProcessReader(r.limits)
	if len(r.processes) == maxProcesses {
		r.limits.full = true // it is read, and left out
		return
	}
	r.processes = append(r.processes, r.now)
	r.now.keepFact(line)
	t := &r.now.profile.Target
	name, _ = r.now.keep(strings.TrimSpace(name))
	t.Name, t.PID = parseSpinProcess(name)
}

// maxProcesses bounds the processes of a report.
const maxProcesses = 1 << 14

// profiles are those of the processes, in the order of the report.
func (r *spinReader) profiles() (list []*profile.Profile) {
	if len(r.processes) == 0 {
		r.now = newSpinProcessReader(r.limits)
		r.now.profile.Target = r.header.target
		r.processes = append(r.processes, r.now)
	}
	if r.now != nil && r.ended {
		r.now.whole = true
	}
	for _, p := range r.processes {
		r.header.tell(p)
		p.finish()
		list = append(list, p.profile)
	}
	return list
}

// maxBehind is how many texts in brackets are looked for the one that is a pid.
const maxBehind = 8

// parseSpinProcess reads "NAME [PID]", behind which there may be more.
func parseSpinProcess(s string) (name string, pid int) {
	end := len(s)
	for range maxBehind {
		open := strings.LastIndex(s[:end], " [")
		if open < 0 {
			break
		}
		number, _, found := strings.Cut(s[open+2:], "]")
		if n, ok := parseOffset(number); found && ok && n <= 1<<31 {
			name, pid = s[:open], int(n)
			if name == notation.Unknown {
				name = ""
			}
			return name, pid
		}
		end = open
	}
	return s, 0
}
