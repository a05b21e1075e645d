package runtimes

import "stacksnap/task"

// Condition is what a thread may be in the middle of, in a runtime.
type Condition uint8

// The conditions.
const (
	Any              Condition = iota // none is asked for
	HoldsLock                         // the lock that threads hold while they run managed functions
	HandlesException                  // or raises one
	CollectsGarbage
)

// String returns what such threads do.
func (c Condition) String() string {
	names := [...]string{"run", "hold the GIL", "handle an exception", "collect garbage"}
	if int(c) >= len(names) {
		c = Any
	}
	return names[c]
}

// Conditioner is an [Instance] that knows which of its threads meet a condition.
type Conditioner interface {
	// Evidence returns what to copy of each thread of the last Chains in the stop, beside its frames, to
	// know whether it meets a condition. The error says in one line why that cannot be known.
	Evidence(c Condition, m task.Memory) (map[task.ThreadID][]task.Chain, error)
	// Meets reports whether a thread met a condition when its evidence was copied.
	Meets(c Condition, id task.ThreadID, evidence []task.CopiedChain, m task.Memory) bool
}
