package chrome

import (
	"strconv"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// chunkSamples is the number of samples in one event.
const chunkSamples = 1 << 12

// V8's name for the root of all stacks, and the name of the node for times without a
// sample.
const (
	chromeRoot = "(root)"
	noSample   = "<no sample>"
)

// chromeNode is a node in the tree of a V8 profile.
type chromeNode struct {
	ID     int         `json:"id"`
	Parent int         `json:"parent,omitempty"`
	Frame  chromeFrame `json:"callFrame"`
}

type chromeFrame struct {
	Function string `json:"functionName"`
	URL      string `json:"url"`
	Script   int    `json:"scriptId"`
	Line     int    `json:"lineNumber"`
	Column   int    `json:"columnNumber"`
}

// samples writes the stacks of a thread as one V8 profile: a tree, and for each sample the
// node that it ends in and the time since the previous sample. Readers draw a sample until
// the next; so a gap in the thread's snapshots gets a sample of the node for it.
func (o *chromeWriter) samples(t *profile.Thread, tid uint64) {
	o.profiles++
	c := &chromeChunks{writer: o, head: chromeEvent{
		Phase: "P", Category: "disabled-by-default-v8.cpu_profiler", TID: tid, ID: "0x" + strconv.FormatInt(int64(o.profiles), 16),
	}}
	first := c.head
	first.Name, first.Args = "Profile", map[string]any{"data": map[string]int64{"startTime": 0}}
	o.event(first)
	c.head.Name = "ProfileChunk"
	numbers := c.tree(t)
	next := -1
	for m := range o.profile.Moments(t) {
		if next >= 0 && m.Snapshot != next {
			c.add(c.none, c.until)
		}
		c.add(numbers[m.Node], m.At)
		next, c.until = m.Snapshot+1, m.Until
	}
	if next >= 0 {
		c.add(c.none, c.until)
	}
	c.end()
}

// chromeChunks writes samples, up to chunkSamples in one event.
type chromeChunks struct {
	writer  *chromeWriter
	head    chromeEvent
	samples []int
	deltas  []int64
	last    int64         // time of the last sample, in microseconds
	until   time.Duration // end of the last sample
	none    int           // the node for times without a sample
}

// tree writes the nodes of a thread's tree and returns their numbers. That of nil is for
// samples without a stack.
func (c *chromeChunks) tree(t *profile.Thread) map[*profile.Node]int {
	c.begin()
	c.writer.Text(`"nodes":[`)
	c.writer.nodes++
	root := c.writer.nodes
	c.writer.Value(chromeNode{root, 0, chromeFrameOf(chromeRoot, "")})
	c.none = c.node(root, chromeFrameOf(noSample, ""))
	numbers := map[*profile.Node]int{nil: c.node(root, chromeFrameOf(words.NoStack, ""))}
	var path []int
	for depth, n := range t.Nodes() {
		parent := root
		if depth > 0 {
			parent = path[depth-1]
		} else if n.Cut != nil {
			parent = c.node(root, chromeFrameOf(words.CutLabel(n.Cut), ""))
		}
		file := ""
		if n.Image != nil {
			file = words.Clean(n.Image.Path, words.MaxPath)
		}
		number := c.node(parent, chromeFrameOf(words.Label(n), file))
		path = append(path[:depth], number)
		if n.Self > 0 {
			numbers[n] = number
		}
	}
	c.writer.Text(`],"samples":[]},"timeDeltas":[]}}}`)
	return numbers
}

// node writes a node below parent and returns its number.
func (c *chromeChunks) node(parent int, f chromeFrame) int {
	c.writer.nodes++
	c.writer.Text(",")
	c.writer.Value(chromeNode{c.writer.nodes, parent, f})
	return c.writer.nodes
}

// chromeFrameOf returns a function in a file. Lines count from 0, and −1 means none.
func chromeFrameOf(name, file string) chromeFrame {
	return chromeFrame{Function: name, URL: file, Line: -1, Column: -1}
}

// begin writes the start of an event, up to the members of its profile.
func (c *chromeChunks) begin() {
	o := c.writer
	o.Separate(o.events)
	o.events++
	c.head.PID = o.pid
	o.Text("\n")
	o.Opened(c.head)
	o.Text(`"args":{"data":{"cpuProfile":{`)
}

func (c *chromeChunks) add(node int, at time.Duration) {
	now := (c.writer.shift + at).Microseconds()
	c.samples = append(c.samples, node)
	c.deltas = append(c.deltas, now-c.last)
	if c.last = now; len(c.samples) == chunkSamples {
		c.end()
	}
}

// end writes the samples that are left.
func (c *chromeChunks) end() {
	if len(c.samples) == 0 {
		return
	}
	c.begin()
	o := c.writer
	o.Column("samples", len(c.samples), func(i int) { o.Integer(int64(c.samples[i])) })
	o.Text(`},`)
	o.Column("timeDeltas", len(c.deltas), func(i int) { o.Integer(c.deltas[i]) })
	o.Text(`}}}`)
	c.samples, c.deltas = c.samples[:0], c.deltas[:0]
}
