package profile

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// Grouping is the criterion by which threads are merged into one entry.
type Grouping uint8

// The groupings.
const (
	ByThread  Grouping = iota // not merged
	ByQueue                   // threads that serve dispatch queues of the same label
	ByProcess                 // all threads
	ByState                   // samples in the same state, of any thread
	ByEntry                   // threads that begin in the same function; see [Profile.Gather]
)

var groupingNames = [...]string{"thread", "queue", "process", "state", "entry"}

// String returns the grouping in a word.
func (g Grouping) String() string {
	if int(g) >= len(groupingNames) {
		return "unknown"
	}
	return groupingNames[g]
}

// Together describes an entry that merges several threads.
type Together struct {
	By      Grouping
	Queue   string     // for ByQueue: the label; empty: threads without a queue
	State   task.State // for ByState: the state of the samples
	Entry   string     // for ByEntry: the function in which they begin
	Threads []ThreadName
}

// GroupBy returns a profile with one entry for each group of threads, sorted by samples,
// largest first. The trees are by function. Facts on single threads, such as their waits,
// are left out. p does not change.
func (p *Profile) GroupBy(by Grouping) *Profile {
	if by == ByThread {
		return p
	}
	changed := p.turned()
	changed.View.By = by
	all := groups{by: by, index: map[groupKey]*gathered{}}
	for _, t := range p.Threads {
		if by == ByState {
			all.addStates(t)
		} else {
			all.addThread(t)
		}
	}
	changed.Threads = all.threads()
	return changed
}

// groups are the groups so far.
type groups struct {
	by    Grouping
	index map[groupKey]*gathered
	order []*gathered
}

type groupKey struct {
	queue string
	state task.State
	entry string
	runs  bool // for ByEntry: the thread was runnable in most samples
}

// gathered is a group while threads are added to it.
type gathered struct {
	entry Thread
	tree  *grower
}

func (all *groups) of(key groupKey) *gathered {
	g := all.index[key]
	if g == nil {
		g = &gathered{tree: newOrchard().grower()}
		g.entry.Together = &Together{By: all.by, Queue: key.queue, State: key.state, Entry: key.entry}
		g.entry.Queue, g.entry.State = key.queue, key.state
		all.index[key] = g
		all.order = append(all.order, g)
	}
	return g
}

// addThread adds all samples of a thread to its group.
func (all *groups) addThread(t *Thread) {
	key := groupKey{}
	if all.by == ByQueue {
		key.queue = t.Queue
	}
	all.of(key).addThread(t)
}

// addThread adds all samples of a thread.
func (g *gathered) addThread(t *Thread) {
	weight := t.Weight()
	g.addFacts(t, t.Samples*weight, t.Empty*weight)
	for state, n := range t.states() {
		g.entry.States[state] += n * weight
	}
	g.entry.User += t.User
	g.entry.System += t.System
	g.entry.Used += t.Used
	g.entry.Spent.Add(t.Spent)
	for path := range g.tree.paths(t.Roots) {
		g.take(path, path[len(path)-1].Node, weight)
	}
}

// take counts the samples of n at the last node of a path.
func (g *gathered) take(path []frame, n *Node, weight int) {
	last := &path[len(path)-1]
	at, _ := g.tree.child(parent(path), last.number, last.Node)
	last.at = at
	g.tree.count(at, n, weight)
}

// addFacts adds facts that do not depend on stacks. One thread may be in several groups.
func (g *gathered) addFacts(t *Thread, samples, empty int) {
	e := &g.entry
	if e.Samples == 0 || t.First < e.First {
		e.First = t.First
	}
	e.Last = max(e.Last, t.Last)
	e.Samples += samples
	e.Empty += empty
	if e.Err == "" {
		e.Err = t.Err
	}
	e.Together.Threads = append(e.Together.Threads, t.named())
	e.Together.Threads = append(e.Together.Threads, t.Same...)
}

// addStates adds a thread's samples to the groups of its states.
func (all *groups) addStates(t *Thread) {
	whole := t.states()
	rest := whole // samples without any frame
	weight := t.Weight()
	for state, n := range whole {
		if n == 0 {
			continue
		}
		g := all.of(groupKey{state: task.State(state)})
		for path := range g.tree.paths(t.Roots) {
			part := t.inState(path[len(path)-1].Node, task.State(state))
			rest[state] -= part.Self
			g.entry.Spent.Add(part.Spent)
			g.take(path, part, weight)
		}
		g.entry.States[state] += n * weight
		g.addFacts(t, n*weight, max(0, rest[state])*weight)
	}
}

// states returns the number of samples in each state. For samples without a state it takes
// that of the thread.
func (t *Thread) states() States {
	s := t.States
	told := 0
	for _, n := range s {
		told += n
	}
	if told < t.Samples {
		s.add(t.State, t.Samples-told)
	}
	return s
}

// inState returns a node with only the samples in one state, and the time that can only
// belong to that state.
func (t *Thread) inState(n *Node, state task.State) *Node {
	in := n.States
	if in == nil && n.Self > 0 {
		in = new(States)
		in.add(t.onlyState(), n.Self)
	}
	part := &Node{}
	if in == nil || in[state] == 0 {
		return part
	}
	part.Self = in[state]
	part.States = new(States)
	part.States.add(state, part.Self)
	switch {
	case state == task.Running:
		part.Spent = Spent{OnCPU: n.Spent.OnCPU, Queued: n.Spent.Queued}
	case in[state] == n.Self-in[task.Running]:
		part.Spent.Blocked = n.Spent.Blocked
	}
	return part
}

// onlyState returns the state of all samples of a thread; unknown if there are several.
func (t *Thread) onlyState() task.State {
	only, states := task.StateUnknown, t.states()
	for state, n := range states {
		if n > 0 && n == t.Samples {
			only = task.State(state)
		}
	}
	return only
}

// threads returns the entries of the completed groups.
func (all *groups) threads() []*Thread {
	list := make([]*Thread, len(all.order))
	for i, g := range all.order {
		g.entry.Roots = g.tree.roots()
		list[i] = &g.entry
	}
	slices.SortStableFunc(list, func(a, b *Thread) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.State, b.State), cmp.Compare(a.Queue, b.Queue))
	})
	return list
}

// Gather returns a profile in which threads with the same entry, the function in which they
// begin, are one, if there are at least that many: those that mostly ran, and the others.
// Counts and times are sums. A thread whose entry is empty stays as it is, and the order stays
// too. p does not change.
func (p *Profile) Gather(least int, entry func(*Thread) string) *Profile {
	changed := p.turned()
	all := groups{by: ByEntry, index: map[groupKey]*gathered{}}
	keys, sizes := make([]groupKey, len(p.Threads)), map[groupKey]int{}
	for i, t := range p.Threads {
		keys[i] = groupKey{entry: entry(t), runs: t.MostlyRan()}
		sizes[keys[i]] += t.Weight()
	}
	for i, t := range p.Threads {
		if keys[i].entry == "" || sizes[keys[i]] < least {
			changed.Threads = append(changed.Threads, t)
			continue
		}
		g := all.of(keys[i])
		if len(g.entry.Together.Threads) == 0 {
			changed.Threads = append(changed.Threads, &g.entry)
		}
		g.addThread(t)
		g.addWaits(t)
	}
	for _, g := range all.order {
		g.entry.Roots, g.entry.Waits = g.tree.roots(), sortedWaits(g.entry.Waits)
	}
	return changed
}
