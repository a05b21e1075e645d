package jsondoc

import (
	"fmt"
	"strconv"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

func addressOf(text string) (task.Addr, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no address", words.Elide(text, words.MaxText))
	}
	return task.Addr(n), nil
}

// timesOf stores durations, given in nanoseconds. It returns an error if one is negative or
// too large.
func timesOf(from []int64, to ...*time.Duration) error {
	for i, n := range from {
		if n < 0 || n > maxCounted {
			return fmt.Errorf("a time is %d ns", n)
		}
		*to[i] = time.Duration(n)
	}
	return nil
}

func (j *jsonSpent) times() (s profile.Spent, err error) {
	if j == nil {
		return s, nil
	}
	err = timesOf([]int64{j.OnCPU, j.Queued, j.Blocked}, &s.OnCPU, &s.Queued, &s.Blocked)
	return s, err
}

// alsoSize is the size of a [profile.Address] in bytes.
const alsoSize = 16

// documentTree is the tree of a thread while it is read.
type documentTree struct {
	nodes []*profile.Node // in the order of the document
	roots []*profile.Node
	own   int64 // the sum of Self of all nodes
}

// readNode reads a node of a thread. Its parent must come before it.
func (d *documentReader) readNode(tree *documentTree) error {
	if d.nodes++; d.nodes > d.room || d.kept > maxDocumentText {
		return errDocumentSize
	}
	i := len(tree.nodes)
	j := jsonNode{}
	if err := d.in.Decode(&j); err != nil {
		return err
	}
	if j.Parent < -1 || j.Parent >= i {
		return fmt.Errorf("node %d is below node %d", i, j.Parent)
	}
	n, err := d.node(&j)
	if err != nil {
		return fmt.Errorf("node %d: %w", i, err)
	}
	if tree.own += int64(n.Self); tree.own > maxCounted {
		return errDocumentSize
	}
	tree.nodes = append(tree.nodes, n)
	if j.Parent < 0 {
		tree.roots = append(tree.roots, n)
	} else {
		parent := tree.nodes[j.Parent]
		parent.Children = append(parent.Children, n)
	}
	return nil
}

// name returns text, and keeps one copy of equal texts, because many nodes have the
// same function.
func (d *documentReader) name(text string) string {
	if kept, ok := d.names[text]; ok {
		return kept
	}
	d.names[text] = text
	d.kept += len(text)
	return text
}

func (d *documentReader) node(j *jsonNode) (*profile.Node, error) {
	n := &profile.Node{
		Location: profile.Location{
			Function: d.name(j.Function), Raw: d.name(j.Symbol), Overload: d.name(j.Overload), Inlined: j.Inlined, Kernel: j.Kernel,
			File: d.name(j.File), Line: j.Line, Column: j.Column,
		},
		Return: j.Return, Why: d.name(j.Why), Count: j.Count, Self: j.Self,
	}
	switch {
	case j.Count < 0 || j.Self < 0 || j.Self > j.Count || int64(j.Count) > maxCounted:
		return nil, fmt.Errorf("%d samples, %d its own", j.Count, j.Self)
	case j.Folded != nil:
		return nil, fmt.Errorf("it stands for what was left out")
	}
	var err error
	if n.PC, err = addressOf(j.Address); err != nil {
		return nil, err
	}
	if n.Start, err = addressOf(j.Start); err != nil {
		return nil, err
	}
	if n.Spent, err = j.Spent.times(); err != nil {
		return nil, err
	}
	if n.Image, err = d.image(j.Image); err != nil {
		return nil, err
	}
	switch {
	case j.Offset != nil:
		n.Offset = *j.Offset
	case j.Function == "" && j.ImageOffset != nil:
		n.Offset = *j.ImageOffset
	}
	n.By, n.More = methodOf(j), j.AlsoMore
	if n.Cut, err = j.Cut.cut(); err != nil {
		return nil, err
	}
	if n.Cut != nil {
		n.Cut.Detail = d.name(n.Cut.Detail)
	}
	d.kept += len(j.Also) * alsoSize
	for _, text := range j.Also {
		a, err := addressOf(text)
		if err != nil {
			return nil, err
		}
		n.Also = append(n.Also, profile.Address{PC: a, Offset: n.Offset + uint64(a-n.PC)})
	}
	return n, nil
}

// methodOf returns the unwinding method of a frame. An unknown method, from a later
// version, counts as reliable unless the node is a guess.
func methodOf(j *jsonNode) unwind.Method {
	by, ok := words.Named(j.By, unwind.ByReport)
	switch {
	case ok:
		return by
	case j.Guess:
		return unwind.ByScan
	}
	return unwind.ByCFI
}

func (j *jsonCut) cut() (*profile.Cut, error) {
	if j == nil {
		return nil, nil
	}
	need, err := addressOf(j.Need)
	if err != nil {
		return nil, err
	}
	reason, ok := words.Named(j.Reason, unwind.Unsteady)
	if !ok || reason == unwind.Bottom {
		return &profile.Cut{Reason: unwind.NoCaller, Need: need, Detail: j.Reason}, nil
	}
	return &profile.Cut{Reason: reason, Need: need, Detail: j.Detail}, nil
}

// image returns the image with that index. The document may list its images after the
// nodes.
func (d *documentReader) image(number *int) (*profile.Image, error) {
	if number == nil {
		return nil, nil
	}
	if *number < 0 || *number >= maxDocumentImages {
		return nil, fmt.Errorf("it is in image %d", *number)
	}
	for len(d.images) <= *number {
		d.images = append(d.images, &profile.Image{})
	}
	return d.images[*number], nil
}
