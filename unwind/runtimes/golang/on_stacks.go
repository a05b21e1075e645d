package golang

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// OnStacks are the goroutines that threads run, by their stacks.
type OnStacks []*onStack

type onStack struct {
	low, high task.Addr
	goroutine task.Goroutine
}

// OnStacks returns the goroutines that threads run in a process that does not run on, where the
// numbers that the runtime has of threads are not known to be the system's.
func (r *Runtime) OnStacks(m task.Memory) (all OnStacks) {
	l := r.layout
	g := make(words, l.goroutineBytes())
	_ = r.eachThread(m, func(t runtimeThread) { // with an error, the others are
		at, err := task.ReadPointer(m, t.at+task.Addr(l.current), 8)
		if err != nil || at == 0 || task.ReadFull(m, g, at) != nil || !l.isRun(g, t.at) {
			return
		}
		ran := task.Goroutine{ID: g.word(l.id), Labels: r.labels(m, at, g)}
		all = append(all, &onStack{g.addr(stackLow), g.addr(stackHigh), ran})
	})
	slices.SortFunc(all, func(a, b *onStack) int { return cmp.Compare(a.low, b.low) })
	return all
}

// At returns the goroutine whose stack has an address.
func (all OnStacks) At(a task.Addr) (task.Goroutine, bool) {
	i, _ := slices.BinarySearchFunc(all, a, func(s *onStack, a task.Addr) int { return cmp.Compare(s.low, a+1) })
	if i == 0 || a >= all[i-1].high {
		return task.Goroutine{}, false
	}
	return all[i-1].goroutine, true
}
