package apple

import (
	"bufio"
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// section is a part of a report.
type section uint8

const (
	inHeader section = iota
	inGraph
	inTables
	inImages
	behind
)

// sampleReader reads one report of sample(1), line by line.
type sampleReader struct {
	processReader
	in     section
	others bool // further reports follow
}

// readSample reads a report of sample(1). For a truncated report it returns what the
// report has, with a note.
func readSample(from *bufio.Reader) (*profile.Profile, error) {
	r := &sampleReader{processReader: newProcessReader(newLimits())}
	err := notation.EachLine(from, func(line string) bool {
		r.read(line)
		return r.in != behind
	})
	if err != nil {
		return nil, err
	}
	return r.finish(), nil
}

// read reads a line.
func (r *sampleReader) read(line string) {
	switch {
	case strings.HasPrefix(line, analysisOf) && r.in != inHeader:
		r.others, r.in = true, behind
	case strings.HasPrefix(line, "Call graph:"):
		r.in = inGraph
	case strings.HasPrefix(line, "Total number in stack"):
		r.in, r.whole = inTables, true
	case strings.HasPrefix(line, notation.BinaryImages):
		r.in = inImages
	case r.in == inHeader:
		r.header(line)
	case r.in == inGraph:
		r.graphLine(line)
	case r.in == inImages && line == "":
		r.in = inTables
	case r.in == inImages:
		r.image(line)
	}
}

// graphLine reads a line of the call graph: pairs of blanks and glyphs, a count, and
// a thread or frame.
func (r *sampleReader) graphLine(line string) {
	const margin = 4
	indent := strings.IndexFunc(line, func(c rune) bool { return !strings.ContainsRune(" +!:|", c) })
	if indent < 0 {
		return
	}
	number, text, found := strings.Cut(line[indent:], " ")
	samples, err := strconv.ParseUint(number, 10, 64)
	depth := (indent - margin) / 2
	switch {
	case !found || err != nil || samples > maxSamples || indent < margin || indent%2 != 0, depth > len(r.path)+1, depth > 0 && r.thread == nil:
		r.unread++
	case r.nodes == maxBranches:
		r.full = true
	case depth == 0:
		r.nodes++
		r.startThread(int(samples), text)
	default:
		r.nodes++
		r.frame(depth-1, int(samples), text)
	}
}

func (r *sampleReader) startThread(samples int, text string) {
	text, _ = r.keep(text)
	t := parseThread(text)
	t.Samples = samples
	t.States[task.StateUnknown] = samples
	r.thread, r.path = t, r.path[:0]
	r.profile.Threads = append(r.profile.Threads, t)
}

// frame adds a frame below its caller.
func (r *sampleReader) frame(depth, samples int, text string) {
	n := r.node(text)
	n.Count = samples
	r.path = append(r.path[:depth], n)
	if depth == 0 {
		r.thread.Roots = append(r.thread.Roots, n)
		return
	}
	above := r.path[depth-1]
	above.Return = true
	above.Children = append(above.Children, n)
}

// node makes a node from the text of a frame.
func (r *sampleReader) node(text string) *profile.Node {
	l := parseLabel(text)
	n := &profile.Node{More: l.more, By: unwind.ByReport}
	if symbol := unmark(n, l.symbol); symbol != notation.Unknown {
		n.Function, _ = r.keep(symbol)
	}
	n.File, _ = r.keep(l.file)
	n.Line = l.line
	n.Image = r.imageOf(&l)
	if len(l.pcs) == 0 && n.Function == task.Addr(0).String() { // this is how a pc of 0 is written
		n.Function = ""
	}
	placeNode(n, &l)
	return n
}

// placeNode sets the position of a node in its function.
func placeNode(n *profile.Node, l *label) {
	for i, pc := range l.pcs {
		a := profile.Address{PC: pc}
		if i < len(l.offsets) {
			a.Offset = l.offsets[i]
		}
		if i == 0 {
			n.PC, n.Offset = a.PC, a.Offset
			continue
		}
		n.Also = append(n.Also, a)
	}
}
