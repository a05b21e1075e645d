package chrome

import (
	"strconv"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// chunkSamples is how many samples one event has.
const chunkSamples = 1 << 12

// What V8 names the node above all stacks, and what stands for times of which no sample
// is told.
const (
	chromeRoot = "(root)"
	noSample   = "<no sample>"
)

// chromeNode is a node of a tree of V8's profiles.
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

// samples writes the stacks of a thread as one profile: a tree, and then which node of it
// each sample ends in, how long after the one before. Where the next snapshot has none of
// the thread's a node says so, for readers draw a sample until the next.
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

// chromeChunks writes samples, so many in one event.
type chromeChunks struct {
	writer  *chromeWriter
	head    chromeEvent
	samples []int
	deltas  []int64
	last    int64         // microseconds, of the last sample
	until   time.Duration // when the last sample ends
	none    int           // the node for times without a sample
}

// tree writes the nodes of a thread's tree, and returns their numbers: that of nil is of
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

// node writes a node below another one, and returns its number.
func (c *chromeChunks) node(parent int, f chromeFrame) int {
	c.writer.nodes++
	c.writer.Text(",")
	c.writer.Value(chromeNode{c.writer.nodes, parent, f})
	return c.writer.nodes
}

// chromeFrameOf is a function in a file. Lines are told from 0 on there, and −1 is none.
func chromeFrameOf(name, file string) chromeFrame {
	return chromeFrame{Function: name, URL: file, Line: -1, Column: -1}
}

// begin opens an event up to what is in its profile.
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

// end writes what there is.
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
