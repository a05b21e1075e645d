package format

// Interned gives each thing a number, in the order in which they are met.
type Interned[T comparable] struct {
	All     []T // by number
	numbers map[T]int
}

// NewInterned returns one that has met nothing.
func NewInterned[T comparable]() Interned[T] { return Interned[T]{numbers: map[T]int{}} }

// Of is the number of a thing.
func (t *Interned[T]) Of(thing T) int {
	i, ok := t.numbers[thing]
	if !ok {
		i = len(t.All)
		t.numbers[thing] = i
		t.All = append(t.All, thing)
	}
	return i
}
