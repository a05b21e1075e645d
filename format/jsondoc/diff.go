package jsondoc

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/words"
)

// The schema of a comparison, as in JSON.md.
const (
	diffSchema  = "stacksnap.diff"
	diffVersion = 1
)

type jsonDiff struct {
	Schema    string         `json:"schema"`
	Version   int            `json:"version"`
	Tool      string         `json:"tool"`
	Summary   string         `json:"summary"`
	Measure   string         `json:"measure"`
	Scale     string         `json:"scale"`
	By        string         `json:"by"`
	Inverted  bool           `json:"inverted,omitempty"`
	Before    jsonDiffSide   `json:"before"`
	After     jsonDiffSide   `json:"after"`
	View      *jsonView      `json:"view,omitempty"`
	Noise     *jsonNoise     `json:"noise,omitempty"`
	Functions []jsonDiffNode `json:"functions"`
	Trees     []jsonDiffTree `json:"trees"`
}

type jsonDiffSide struct {
	File      string `json:"file"`
	PID       int    `json:"pid,omitempty"`
	Name      string `json:"name,omitempty"`
	Path      string `json:"path,omitempty"`
	Duration  int64  `json:"duration_ns"`
	Snapshots int    `json:"snapshots,omitempty"`
	Threads   int    `json:"threads"`
	Whole     int64  `json:"whole"`
	Selected  int64  `json:"selected"`
}

type jsonDiffTree struct {
	Name          string         `json:"name,omitempty"`
	Main          bool           `json:"main,omitempty"`
	ThreadsBefore int64          `json:"threads_before"`
	ThreadsAfter  int64          `json:"threads_after"`
	Nodes         []jsonDiffNode `json:"nodes"`
}

// jsonDiffNode is a function. In a tree, it has its depth and parent too.
type jsonDiffNode struct {
	Depth       *int         `json:"depth,omitempty"`
	Parent      *int         `json:"parent,omitempty"`
	Function    string       `json:"function,omitempty"`
	Symbol      string       `json:"symbol,omitempty"`
	Overload    string       `json:"overload,omitempty"`
	Image       string       `json:"image,omitempty"`
	ImageOffset *uint64      `json:"image_offset,omitempty"`
	Cut         string       `json:"cut,omitempty"`
	Folded      *jsonFold    `json:"left_out,omitempty"`
	Self        jsonDiffPair `json:"self"`
	Total       jsonDiffPair `json:"total"`
}

type jsonDiffPair struct {
	Before int64    `json:"before"`
	After  int64    `json:"after"`
	Change float64  `json:"change"`
	Margin *float64 `json:"margin,omitempty"`
}

// jsonNoise is the basis of the margins of functions.
type jsonNoise struct {
	Before int     `json:"blocks_before"`
	After  int     `json:"blocks_after"`
	Most   float64 `json:"most"`
}

func newJSONDiff(c *words.Comparison) *jsonDiff {
	d := &jsonDiff{
		Schema: diffSchema, Version: diffVersion, Tool: c.Tool, Summary: words.DiffHeadline(c),
		Measure: c.Measure.String(), Scale: c.Scale.String(), By: c.By.String(), Inverted: c.Inverted,
		Before: newJSONSide(c.Files[0], c.Before.Original(), c.Whole.Before, c.Selected.Before),
		After:  newJSONSide(c.Files[1], c.After.Original(), c.Whole.After, c.Selected.After),
		View:   newJSONView(c.After), Functions: []jsonDiffNode{}, Trees: []jsonDiffTree{},
	}
	if n := c.Noise; n.Known {
		d.Noise = &jsonNoise{n.Before, n.After, n.Most}
	}
	for _, f := range c.Functions {
		n := newDiffNode(c, f.Node, f.Self, f.Total)
		if d.Noise != nil {
			n.Self.Margin, n.Total.Margin = &f.Margin.Self, &f.Margin.Total
		}
		d.Functions = append(d.Functions, n)
	}
	for _, t := range c.Shown() {
		d.Trees = append(d.Trees, newDiffTree(c, t))
	}
	return d
}

func newJSONSide(file string, p *profile.Profile, whole, selected int64) jsonDiffSide {
	return jsonDiffSide{
		File: file, PID: p.Target.PID, Name: p.Target.Name, Path: p.Target.Path, Duration: int64(p.Duration()),
		Snapshots: p.Snapshots, Threads: p.NumThreads(), Whole: whole, Selected: selected,
	}
}

func newDiffTree(c *words.Comparison, t *diff.Tree) jsonDiffTree {
	j := jsonDiffTree{Name: t.Name, Main: t.Main, ThreadsBefore: t.Threads.Before, ThreadsAfter: t.Threads.After, Nodes: []jsonDiffNode{}}
	var path []int // index of the last node at each depth
	for depth, n := range t.Nodes() {
		parent := -1
		if depth > 0 {
			parent = path[depth-1]
		}
		path = append(path[:depth], len(j.Nodes))
		node := newDiffNode(c, n.Node, n.Self, n.Total)
		node.Depth, node.Parent = &depth, &parent
		if n.Cut != nil {
			node.Cut = n.Cut.Reason.String()
		}
		j.Nodes = append(j.Nodes, node)
	}
	return j
}

func newDiffNode(c *words.Comparison, n *profile.Node, self, total diff.Amount) jsonDiffNode {
	j := jsonDiffNode{Function: n.Function, Symbol: n.Raw, Overload: n.Overload, Self: newDiffPair(c, self), Total: newDiffPair(c, total)}
	if n.Image != nil {
		j.Image = n.Image.Name()
		if n.Function == "" {
			j.ImageOffset = &n.Offset
		}
	}
	if f := n.Folded; f != nil {
		j.Folded = &jsonFold{f.Branches, f.Nodes}
	}
	return j
}

func newDiffPair(c *words.Comparison, a diff.Amount) jsonDiffPair {
	return jsonDiffPair{Before: a.Before, After: a.After, Change: c.Change(a)}
}
