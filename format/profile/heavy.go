package profile

import (
	"cmp"
	"slices"
	"time"
)

// Heaviest returns the stack that takes the heaviest branch at each frame, from the
// outermost inwards; nil if the thread has no frame. It ends at a frame that was innermost
// in more samples than any branch below it has.
func (t *Thread) Heaviest() []*Node {
	return t.descend(heavier, func(n, branch *Node) bool { return n.Self > branch.Count })
}

// Busiest is Heaviest by CPU time instead of samples, if the thread's is known and not 0.
func (t *Thread) Busiest() []*Node {
	used := map[*Node]time.Duration{}
	whole := addUsed(used, t.Roots)
	if whole == 0 {
		return t.Heaviest()
	}
	return t.descend(func(a, b *Node) int { return cmp.Compare(used[b], used[a]) },
		func(n, branch *Node) bool { return n.Spent.OnCPU > used[branch] })
}

// addUsed records the CPU time of each node with everything below it, and returns the total.
func addUsed(used map[*Node]time.Duration, nodes []*Node) (whole time.Duration) {
	for _, n := range nodes {
		used[n] = n.Spent.OnCPU + addUsed(used, n.Children)
		whole += used[n]
	}
	return whole
}

// descend returns the stack that takes the first branch in an order at each frame, and ends
// at the frame that outweighs that branch.
func (t *Thread) descend(order func(a, b *Node) int, outweighs func(n, branch *Node) bool) (stack []*Node) {
	for nodes := t.Roots; len(nodes) > 0; {
		branch := slices.MinFunc(nodes, order)
		if len(stack) > 0 && outweighs(stack[len(stack)-1], branch) {
			break
		}
		stack = append(stack, branch)
		nodes = branch.Children
	}
	return stack
}

// Weight returns the number of threads in the entry.
func (t *Thread) Weight() int { return 1 + len(t.Same) }

// SelfTime is the samples in which a function was innermost.
type SelfTime struct {
	Location // Offset, File and Line are those of one of its addresses, or of the area
	Samples  int
	States   *States // number of samples in each state, as far as known
	Spent    Spent   // time of the samples, if known
	Several  bool    // the samples were at several addresses
}

// AreaLocation returns n's location; for code without a function, that of its area.
func (n *Node) AreaLocation() Location {
	l := n.Location
	if l.Function == "" && l.Image != nil && n.Area() >= l.Image.Load {
		l.Offset = uint64(n.Area() - l.Image.Load)
	}
	return l
}

// SelfTimes returns the innermost functions of all threads, sorted by samples, largest
// first, and the number of samples that have a frame. Code without a name whose function's
// start is unknown counts as one function for each image, and code in no file, such as
// generated code, as one: its addresses mean nothing to the user.
func (p *Profile) SelfTimes() (times []SelfTime, total int) {
	index := map[functionKey]int{}
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Self == 0 {
				continue
			}
			k := functionKey{image: n.Image, function: n.Function, overload: n.Overload}
			if n.Function == "" && n.Image != nil {
				k.pc = n.Start
			}
			i, ok := index[k]
			if !ok {
				i = len(times)
				index[k] = i
				times = append(times, SelfTime{Location: n.Location})
			} else if times[i].Offset != n.Offset {
				times[i].merge(n)
			}
			times[i].Samples += n.Self * t.Weight()
			times[i].States = times[i].States.plus(n.States, t.Weight())
			times[i].Spent.Add(n.Spent)
			total += n.Self * t.Weight()
		}
	}
	slices.SortStableFunc(times, func(a, b SelfTime) int { return cmp.Compare(b.Samples, a.Samples) })
	return times, total
}

// merge records that the function has another address. Code without a name is then shown at its
// function's start.
func (s *SelfTime) merge(n *Node) {
	s.Several = true
	if n.Function == "" {
		s.Location = n.AreaLocation()
	}
}
