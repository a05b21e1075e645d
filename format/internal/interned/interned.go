// Package interned numbers values.
package interned

// Table assigns numbers to values, in the order of their first use.
type Table[T comparable] struct {
	All     []T // the values, indexed by number
	numbers map[T]int
}

// New returns an empty table.
func New[T comparable]() Table[T] { return Table[T]{numbers: map[T]int{}} }

// Of returns the number of a value. A value without one gets the next.
func (t *Table[T]) Of(thing T) int {
	i, ok := t.numbers[thing]
	if !ok {
		i = len(t.All)
		t.numbers[thing] = i
		t.All = append(t.All, thing)
	}
	return i
}
