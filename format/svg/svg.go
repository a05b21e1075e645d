// Package svg writes flame graphs as pictures in one file, without scripts, which browsers
// and issue trackers show.
package svg

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// The measures of a picture, in its pixels. They are those of flamegraph.pl.
const (
	width     = 1200
	margin    = 10
	rowHeight = 16
	above     = 44  // for the title
	textWidth = 7.1 // of a character of 12 pixels
	leastRect = 0.1 // narrower frames are omitted
	leastName = 3   // characters; a name cut to fewer is omitted
	maxRows   = 400 // deeper frames are omitted
)

// Write draws a flame graph of all threads. The width of a frame is its share of the samples,
// and its tooltip has the name and the share. Callers are below the functions that they call,
// or above them with --invert. A truncated stack has a frame that says so in the place of the
// missing callers.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	root := treeOf(r)
	rows := min(root.rows(), maxRows)
	d := &drawing{out: bufio.NewWriterSize(w, 64<<10), total: max(root.count, 1), height: above + rows*rowHeight + margin}
	d.printf(`<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="monospace" font-size="12">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#fffdf5"/>`+"\n", width, d.height, width, d.height)
	d.printf("<desc>")
	d.text(words.Clean(r.Tool, words.MaxText))
	d.printf("</desc>\n")
	d.heading(words.GroupName(&r.Group), 18)
	if len(r.Profiles) == 1 {
		d.heading(words.Headline(r.Profiles[0]), 34)
	}
	d.frame(root, margin, 0)
	d.printf("</svg>\n")
	return d.out.Flush()
}

// drawing is the state of writing a picture.
type drawing struct {
	out    *bufio.Writer // keeps an error for Flush
	total  int           // samples of all threads; 1 if there are none
	height int
}

func (d *drawing) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.out, format, args...) }

// text writes a text with the escapes of XML.
func (d *drawing) text(s string) { _ = xml.EscapeText(d.out, []byte(s)) }

// heading writes a line above the graph.
func (d *drawing) heading(text string, y int) {
	d.printf(`<text x="%d" y="%d">`, margin, y)
	d.text(cut(text, width-2*margin))
	d.printf("</text>\n")
}

// widthOf returns the width of a box, in pixels.
func (d *drawing) widthOf(b *box) float64 {
	return float64(b.count) / float64(d.total) * (width - 2*margin)
}

// frame draws a box and those above it, except those too narrow or too high to be drawn.
func (d *drawing) frame(b *box, x float64, row int) {
	wide := d.widthOf(b)
	if wide < leastRect || row >= maxRows {
		return
	}
	y := d.height - margin - (row+1)*rowHeight
	d.printf("<g><title>")
	d.text(fmt.Sprintf("%s (%s, %.2f%%)", b.name, words.Plural(b.count, "sample"), 100*float64(b.count)/float64(d.total)))
	d.printf(`</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" rx="2"/>`, x, y, wide, rowHeight-1, colour(b.name))
	if name := cut(b.name, wide-6); name != "" {
		d.printf(`<text x="%.1f" y="%d">`, x+3, y+rowHeight-4)
		d.text(name)
		d.printf("</text>")
	}
	d.printf("</g>\n")
	for _, above := range b.above {
		d.frame(above, x, row+1)
		x += d.widthOf(above)
	}
}

// cut shortens a name to fit into that many pixels. It returns an empty text if too little
// would be left.
func cut(name string, pixels float64) string {
	room := int(pixels / textWidth)
	if words.Columns(name) <= room {
		return name
	}
	if room < leastName {
		return ""
	}
	return words.Clip(name, room)
}

// colour returns a warm colour, always the same one for a name.
func colour(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes all
	v := h.Sum32()
	return fmt.Sprintf("#%02x%02x%02x", 215+v%40, 110+v>>8%110, 60+v>>16%50)
}

// box is a frame of the graph.
type box struct {
	name  string
	count int // samples in it and in the boxes above
	above []*box
}

// rows returns the height of the graph from this box on, in boxes. It stops at maxRows, as
// stacks can be very deep.
func (b *box) rows() int { return b.rowsTo(maxRows) }

func (b *box) rowsTo(most int) int {
	highest := 0
	for _, above := range b.above {
		if most > 1 {
			highest = max(highest, above.rowsTo(most-1))
		}
	}
	return highest + 1
}

// treeOf returns the graph of a report: its processes, if there are several, their threads,
// and the frames of these.
func treeOf(r *report.Report) *box {
	root := &box{name: "all"}
	for _, p := range r.Profiles {
		to := root
		if len(r.Profiles) > 1 {
			to = &box{name: words.ProcessLabel(p)}
		}
		for t := range words.ThreadsByFunction(p) {
			to.add(threadOf(p, t))
		}
		if to != root {
			root.add(to)
		}
	}
	return root
}

// add puts a box on top, unless it has no samples.
func (b *box) add(above *box) {
	if above.count > 0 {
		b.count += above.count
		b.above = append(b.above, above)
	}
}

// threadOf returns the box of a thread, with its frames above.
func threadOf(p *profile.Profile, t *profile.Thread) *box {
	b := &box{name: words.ThreadTitle(p, t)}
	if t.Empty > 0 {
		b.add(&box{name: words.NoStack, count: t.Empty * t.Weight()})
	}
	inverted := p.View != nil && p.View.Inverted
	path := []*box{b}
	for depth, n := range t.Nodes() {
		path = path[:depth+1]
		node := &box{name: words.Label(n), count: n.Count * t.Weight()}
		if depth == 0 {
			b.count += node.count
		}
		path[depth].above = append(path[depth].above, node.orCut(n, t, inverted))
		path = append(path, node)
	}
	return b
}

// orCut returns the box itself unless callers are missing. Otherwise it adds a box that says
// so: below, or on top if the stack begins with the innermost frame.
func (b *box) orCut(n *profile.Node, t *profile.Thread, inverted bool) *box {
	switch {
	case n.Cut == nil:
		return b
	case inverted:
		b.above = append(b.above, &box{name: words.CutLabel(n.Cut), count: n.Self * t.Weight()})
		return b
	}
	return &box{name: words.CutLabel(n.Cut), count: b.count, above: []*box{b}}
}
