package apple

import (
	"cmp"
	"slices"
)

// leastCount is the smallest count in the tables after the call graph.
const leastCount = 5

// row is a line of a table.
type row struct {
	text  string
	count int
}

// totals lists the places that have many lines in the call graph. It counts lines,
// not samples.
func (s *sampleWriter) totals() {
	s.Line("Total number in stack (recursive counted multiple, when >=%d):", leastCount)
	for _, r := range rows(s.seen, (*place).name) {
		s.Line("        %d       %s", r.count, r.text)
	}
}

// top lists the functions by how often they were innermost.
func (s *sampleWriter) top() {
	s.Line("Sort by top of stack, same collapsed (when >= %d):", leastCount)
	for _, r := range rows(s.tops, (*place).withoutOffset) {
		s.Line("        %s        %d", r.text, r.count)
	}
}

// rows returns the rows of a table, the largest count first. Places with the same
// text share a row.
func rows(counts map[place]int, text func(*place) string) (list []row) {
	sums := map[string]int{}
	for p, n := range counts {
		sums[text(&p)] += n
	}
	for text, n := range sums {
		if n >= leastCount {
			list = append(list, row{text, n})
		}
	}
	slices.SortFunc(list, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.text, b.text))
	})
	return list
}
