package format

// interned gives each thing a number, in the order in which they are met.
type interned[T comparable] struct {
	numbers map[T]int
	all     []T
}

func newInterned[T comparable]() interned[T] { return interned[T]{numbers: map[T]int{}} }

// of is the number of a thing.
func (t *interned[T]) of(thing T) int {
	i, ok := t.numbers[thing]
	if !ok {
		i = len(t.all)
		t.numbers[thing] = i
		t.all = append(t.all, thing)
	}
	return i
}
