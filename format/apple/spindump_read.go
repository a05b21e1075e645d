package apple

import (
	"bufio"
	"strings"
	"time"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// spindumpTool is the program that writes reports of hangs on a Mac.
const spindumpTool = "spindump"

// Keys and lines by which the parts of a report of spindump are recognised.
const (
	spinSteps   = "Steps:"
	spinVersion = "Report Version:"
	spinProcess = "Process:"
	spinPower   = "Powerstats for:" // in a report of stacks sampled now and then
	spinThread  = "  Thread 0x"
	spinBinary  = "Spindump binary format"

	spinTruncated = "<truncated backtrace>"
)

// isSpindump reports whether head begins like a report of spindump.
func isSpindump(head []byte) bool {
	return notation.HasLine(head, spinSteps) && notation.HasLine(head, spinVersion)
}

// spinReader reads a report of spindump, line by line.
type spinReader struct {
	limits    *limits
	header    spinHeader
	processes []*spinProcessReader
	now       *spinProcessReader // process that is being read; nil: still in the header
	ended     bool
}

// spinHeader has the facts in a report before its first process.
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
	target     task.Info // process that the report is about; PID 0: none
	main       profile.Image
	notes      []string // notes about the target
	seen       bool     // the target's lines have begun
}

func newSpinReader() *spinReader {
	return &spinReader{limits: newLimits(), header: spinHeader{rest: &spinHeaderRest{}}}
}

// readSpindump reads a report of spindump, and returns a profile of each process. For
// a truncated report it returns what the report has, with a note.
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

// begin begins a process at the line with its name.
func (r *spinReader) begin(line, name string) {
	if r.now != nil {
		r.now.whole, r.now.below = true, nil // another process follows
	}
	r.now = newSpinProcessReader(r.limits)
	if len(r.processes) == maxProcesses {
		r.limits.full = true // the process is read, but left out
		return
	}
	r.processes = append(r.processes, r.now)
	r.now.keepFact(line)
	t := &r.now.profile.Target
	name, _ = r.now.keep(strings.TrimSpace(name))
	t.Name, t.PID = parseSpinProcess(name)
}

// maxProcesses is the maximum number of processes of a report.
const maxProcesses = 1 << 14

// profiles returns the profiles of the processes, in the order of the report.
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

// maxBehind is how many texts in brackets are tried as the pid.
const maxBehind = 8

// parseSpinProcess parses "NAME [PID]", which other text may follow.
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
