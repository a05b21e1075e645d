package cfi

import "stacksnap/task"

// term is a value on an expression's stack: a number, or while registers are unknown
// a symbolic value.
type term struct {
	kind termKind
	reg  task.Reg // a register, or rule.CFA
	n    uint64
}

type termKind uint8

const (
	number  termKind = iota // n
	linear                  // reg + n
	pointed                 // *(reg + n)
)

// plus returns t + n. It reports false if no term can express it.
func (t term) plus(n uint64) (term, bool) {
	if t.kind == pointed && n != 0 {
		return term{}, false
	}
	t.n += n
	return t, true
}

// add returns a + b. It reports false if no term can express it.
func add(a, b term) (term, bool) {
	if a.kind == number {
		a, b = b, a
	}
	if b.kind != number {
		return term{}, false
	}
	return a.plus(b.n)
}

// subtract returns a − b. It reports false if no term can express it.
func subtract(a, b term) (term, bool) {
	if b.kind != number {
		return term{}, false
	}
	return a.plus(-b.n)
}
