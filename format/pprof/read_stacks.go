package pprof

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stacksnap/format/internal/protobuf"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

// sample adds one stack.
func (in *pprofReader) sample(m []byte) error {
	var locations, values []uint64
	var who pprofThread
	err := protobuf.Each(m, func(f protobuf.Field) (err error) {
		switch {
		case f.Number == 1:
			locations, err = f.Numbers(locations)
		case f.Number == 2:
			values, err = f.Numbers(values)
		case f.Number == 3 && f.IsText:
			err = in.label(f.Bytes, &who)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read a sample: %w", err)
	}
	if len(values) != len(in.typeList) {
		return fmt.Errorf("a sample has %d values, not %d", len(values), len(in.typeList))
	}
	samples, cpu := values[in.count], uint64(0)
	if in.cpu >= 0 {
		cpu = values[in.cpu]
	}
	if samples > maxPprofCounted || cpu > maxPprofCounted {
		return fmt.Errorf("a sample counts %d, %d ns", int64(samples), int64(cpu))
	}
	if in.sum += int64(max(samples, cpu)); in.sum > maxPprofCounted {
		return errPprofSize
	}
	return in.add(in.thread(who), locations, int(samples), time.Duration(cpu))
}

// label sets in who what a label says of the thread.
func (in *pprofReader) label(m []byte, who *pprofThread) error {
	var v [4]uint64
	if err := protobuf.Numbers(m, v[:]); err != nil {
		return err
	}
	text := in.text(v[2])
	switch in.text(v[1]) {
	case "thread":
		who.name = text
	case "queue":
		who.queue = text
	case "thread_id":
		if who.id = v[3]; text != "" {
			who.id, _ = strconv.ParseUint(text, 0, 64) // 0 if it is no number
		}
	case "pid":
		if in.pid != nil && *in.pid != v[3] {
			return fmt.Errorf("it is of several processes, %d and %d", *in.pid, v[3])
		}
		in.pid = &v[3]
	}
	return nil
}

func (in *pprofReader) thread(who pprofThread) *profile.Thread {
	t := in.threads[who]
	if t == nil {
		t = &profile.Thread{ID: task.ThreadID(who.id), Name: who.name, Queue: who.queue}
		in.threads[who] = t
		in.p.Threads = append(in.p.Threads, t)
	}
	return t
}

// add adds a stack with its samples and CPU time. The innermost location comes first.
func (in *pprofReader) add(t *profile.Thread, locations []uint64, samples int, cpu time.Duration) error {
	t.Samples += samples
	t.Spent.OnCPU += cpu
	var at *profile.Node
	cut := ""
	for i := len(locations) - 1; i >= 0; i-- {
		l := in.locations[locations[i]]
		if mark := in.mark(&l); mark != "" {
			cut = mark
			continue
		}
		for line := max(len(l.lines), 1) - 1; line >= 0; line-- {
			if in.frames++; in.frames > in.maxFrames || len(in.nodes)+len(in.roots) > in.maxNodes {
				return errPprofSize
			}
			edge := pprofEdge{at, locations[i], line}
			if at == nil {
				at = in.root(pprofRoot{t, cut, edge}, &l)
			} else {
				at = in.child(edge, &l)
			}
			at.Count += samples
			cut = ""
		}
	}
	if at == nil { // time between samples has no frames
		t.Empty += samples
		return nil
	}
	at.Self += samples
	at.Spent.OnCPU += cpu
	return nil
}

// mark returns the name of a location that [Write] wrote for a truncated or missing stack;
// empty if it is a frame.
func (in *pprofReader) mark(l *pprofFrames) string {
	if l.mapping != 0 || l.address != 0 || len(l.lines) != 1 {
		return ""
	}
	name := in.text(uint64(in.functions[l.lines[0][0]].Name))
	if name == words.NoStack || name == words.BetweenSamples || strings.HasPrefix(name, "<cut: ") {
		return name
	}
	return ""
}

func (in *pprofReader) root(r pprofRoot, l *pprofFrames) *profile.Node {
	n := in.roots[r]
	if n == nil {
		n = in.node(l, r.edge.line)
		n.Cut = words.CutOf(r.cut)
		r.thread.Roots = append(r.thread.Roots, n)
		in.roots[r] = n
	}
	return n
}

func (in *pprofReader) child(e pprofEdge, l *pprofFrames) *profile.Node {
	n := in.nodes[e]
	if n == nil {
		n = in.node(l, e.line)
		e.parent.Children = append(e.parent.Children, n)
		in.nodes[e] = n
	}
	return n
}

// node returns the frame for one line of a location.
func (in *pprofReader) node(l *pprofFrames, line int) *profile.Node {
	n := &profile.Node{PC: task.Addr(l.address)}
	n.Image = in.images[l.mapping]
	if line < len(l.lines) {
		f := in.functions[l.lines[line][0]]
		n.Function, n.Raw, n.File = in.text(uint64(f.Name)), in.text(uint64(f.Raw)), in.text(uint64(f.File))
		if n.Line = int(int32(l.lines[line][1])); n.Line < 0 {
			n.Line = 0
		}
		n.Inlined = line < len(l.lines)-1
	}
	if name, ok := strings.CutSuffix(n.Function, " (guess)"); ok {
		n.Function, n.By = name, unwind.ByScan
	}
	n.Function, n.Kernel = strings.CutSuffix(n.Function, words.KernelMark)
	nameless(n)
	return n
}

// nameless removes the name that [Write] gives to code without a name: its image and the
// offset there.
func nameless(n *profile.Node) {
	if n.Image == nil {
		if n.Function == "" || n.Function == n.Area().String() {
			n.Function = ""
		}
		return
	}
	text, ok := strings.CutPrefix(n.Function, words.ImageLabel(n.Image)+"+0x")
	offset, err := strconv.ParseUint(text, 16, 64)
	if ok && err == nil {
		n.Function, n.Start = "", n.Image.Load+task.Addr(offset)
	}
}
