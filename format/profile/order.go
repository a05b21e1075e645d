package profile

import (
	"cmp"
	"slices"
	"strings"

	"stacksnap/task"
)

// mainQueue is libdispatch's label of the main thread's queue.
const mainQueue = "com.apple.main-thread"

// threadStarts are the outermost functions of Darwin threads that another thread has
// created.
var threadStarts = [...]string{"thread_start", "start_wqthread", "_pthread_start", "_pthread_wqthread"}

// markMain marks the main thread. On Linux its id is the pid. On Darwin it is the thread
// that serves the main queue, or else the one with the lowest id (ids only grow), unless
// another thread has created that one.
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

// SetMain marks as main the thread for which is returns true, and sorts the threads for a
// report.
func (p *Profile) SetMain(is func(*Thread) bool) {
	for _, t := range p.Threads {
		t.Main = is(t)
	}
	sortThreads(p.Threads, p.Sampled())
	crashedFirst(p.Target.Crash, p.Threads)
}

// EndImages sets the end of each image to that of the last frame in it, for images of
// unknown size.
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

// sortThreads sorts threads by samples if byWeight is set, then the main thread first, then
// by id.
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

// crashedFirst moves the thread that crashed to the front.
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

// sortNodes sorts all siblings in a tree, the heaviest first.
func sortNodes(roots []*Node) {
	slices.SortStableFunc(roots, heavier)
	for _, n := range preorder(roots) {
		slices.SortStableFunc(n.Children, heavier)
	}
}

// heavier compares siblings: the heavier comes first, a folded node last.
func heavier(a, b *Node) int {
	if (a.Folded == nil) != (b.Folded == nil) {
		if a.Folded == nil {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.PC, b.PC),
		strings.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line)) // managed frames share addresses
}

func mainFirst(a *Thread) int {
	if a.Main {
		return -1
	}
	return 1
}
