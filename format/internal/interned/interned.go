// Package interned gives things numbers.
package interned

// Table gives each thing a number, in the order in which they are met.
type Table[T comparable] struct {
	All     []T // by number
	numbers map[T]int
}

// New returns one that has met nothing.
func New[T comparable]() Table[T] { return Table[T]{numbers: map[T]int{}} }

// Of is the number of a thing.
func (t *Table[T]) Of(thing T) int {
	i, ok := t.numbers[thing]
	if !ok {
		i = len(t.All)
		t.numbers[thing] = i
		t.All = append(t.All, thing)
	}
	return i
}
