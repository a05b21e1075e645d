package profile

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// mainQueue is the label that libdispatch gives the queue of the main thread.
const mainQueue = "com.apple.main-thread"

// threadStarts are the outermost functions of threads that were created by
// another one, on Darwin.
var threadStarts = [...]string{"thread_start", "start_wqthread", "_pthread_start", "_pthread_wqthread"}

// markMain marks the thread that the program was started on. On Linux its id is
// the process's. Darwin does not say: it is the one that serves the main queue,
// or else the oldest (ids only grow), unless that one was created by another.
func markMain(target task.Info, threads []*Thread) {
	if i := slices.IndexFunc(threads, isMain(target)); i >= 0 {
		threads[i].Main = true
		return
	}
	if target.OS != task.Darwin || len(threads) == 0 {
		return
	}
	oldest := slices.MinFunc(threads, byID)
	if !startedByAnother(oldest) {
		oldest.Main = true
	}
}

// SetMain marks as the main thread the one that is it, where the system tells that, and
// puts the threads in the order of a report.
func (p *Profile) SetMain(is func(*Thread) bool) {
	for _, t := range p.Threads {
		t.Main = is(t)
	}
	sortThreads(p.Threads, p.Sampled())
	crashedFirst(p.Target.Crash, p.Threads)
}

// EndImages has images end with the last frame in them, where it is not known how long
// they are.
func (p *Profile) EndImages() {
	for _, im := range p.Images {
		im.End = im.Load
	}
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Image != nil && n.PC >= n.Image.Load {
				n.Image.End = max(n.Image.End, n.PC+1)
			}
		}
	}
}

func isMain(target task.Info) func(*Thread) bool {
	return func(t *Thread) bool {
		if target.OS == task.Linux {
			return uint64(t.ID) == uint64(target.PID)
		}
		return t.Queue == mainQueue
	}
}

func startedByAnother(t *Thread) bool {
	return slices.ContainsFunc(t.Roots, func(n *Node) bool {
		return slices.Contains(threadStarts[:], n.Function)
	})
}

func byID(a, b *Thread) int { return cmp.Compare(a.ID, b.ID) }

// sortThreads puts the main thread first and the others by id or, of many
// snapshots, all by weight.
func sortThreads(threads []*Thread, byWeight bool) {
	slices.SortStableFunc(threads, func(a, b *Thread) int {
		if byWeight && a.Samples != b.Samples {
			return cmp.Compare(b.Samples, a.Samples)
		}
		if a.Main != b.Main {
			return mainFirst(a)
		}
		return cmp.Or(byID(a, b), cmp.Compare(a.First, b.First))
	})
}

// crashedFirst puts the thread in which the process crashed before the others.
func crashedFirst(c *task.Crash, threads []*Thread) {
	if c == nil || c.Thread == 0 {
		return
	}
	slices.SortStableFunc(threads, func(a, b *Thread) int {
		switch {
		case a.ID == b.ID:
			return 0
		case a.ID == c.Thread:
			return -1
		case b.ID == c.Thread:
			return 1
		}
		return 0
	})
}

// sortNodes puts the heavier of siblings first, in the whole tree.
func sortNodes(roots []*Node) {
	slices.SortStableFunc(roots, heavier)
	for _, n := range preorder(roots) {
		slices.SortStableFunc(n.Children, heavier)
	}
}

// heavier orders siblings: what stands for several comes last.
func heavier(a, b *Node) int {
	if (a.Folded == nil) != (b.Folded == nil) {
		if a.Folded == nil {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.PC, b.PC))
}

func mainFirst(a *Thread) int {
	if a.Main {
		return -1
	}
	return 1
}
