package profile

import (
	"cmp"
	"slices"
)

// Heaviest returns the stack that takes the branch with the most samples at each
// frame, from the outermost in; nil when the thread has none.
func (t *Thread) Heaviest() []*Node {
	var stack []*Node
	for nodes := t.Roots; len(nodes) > 0; {
		n := slices.MinFunc(nodes, heavier)
		stack = append(stack, n)
		nodes = n.Children
	}
	return stack
}

// Weight returns how many threads the entry stands for.
func (t *Thread) Weight() int { return 1 + len(t.Same) }

// SelfTime is how often a function was the innermost one.
type SelfTime struct {
	Location // Offset, File and Line are those of one address of several, or the area's
	Samples  int
	States   *States // in how many of them a thread was in each state, as far as that is known
	Spent    Spent   // of the time that goes with them, where that is known
}

// AreaLocation returns n's location; where n has no function, that of its area.
func (n *Node) AreaLocation() Location {
	l := n.Location
	if l.Function == "" && l.Image != nil && n.Area() >= l.Image.Load {
		l.Offset = uint64(n.Area() - l.Image.Load)
	}
	return l
}

// SelfTimes returns the innermost functions of all threads, most samples first,
// and the number of all samples that have a frame. Code that is of no file, such as
// generated code, counts as one function, for its addresses tell nobody anything.
func (p *Profile) SelfTimes() (times []SelfTime, total int) {
	index := map[functionKey]int{}
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Self == 0 {
				continue
			}
			k := functionKey{image: n.Image, function: n.Function, overload: n.Overload}
			if n.Image != nil {
				k.pc = n.functionKey().pc
			}
			i, ok := index[k]
			if !ok {
				i = len(times)
				index[k] = i
				times = append(times, SelfTime{Location: n.Location})
			} else if n.Function == "" && times[i].Offset != n.Offset {
				times[i].Location = n.AreaLocation()
			}
			times[i].Samples += n.Self * t.Weight()
			times[i].States = times[i].States.plus(n.States, t.Weight())
			times[i].Spent.add(n.Spent)
			total += n.Self * t.Weight()
		}
	}
	slices.SortStableFunc(times, func(a, b SelfTime) int { return cmp.Compare(b.Samples, a.Samples) })
	return times, total
}
