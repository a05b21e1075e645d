package cfi

import "stacksnap/task"

// term is a value on an expression's stack: a number, or, while it is not known
// what the registers hold, what a number will be made of.
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

// plus returns t + n.
func (t term) plus(n uint64) (term, bool) {
	if t.kind == pointed && n != 0 {
		return term{}, false
	}
	t.n += n
	return t, true
}

// add returns a + b, where the sum is a term.
func add(a, b term) (term, bool) {
	if a.kind == number {
		a, b = b, a
	}
	if b.kind != number {
		return term{}, false
	}
	return a.plus(b.n)
}

// subtract returns a − b, where the difference is a term.
func subtract(a, b term) (term, bool) {
	if b.kind != number {
		return term{}, false
	}
	return a.plus(-b.n)
}
