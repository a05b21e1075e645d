package cli

// maxTypos is the largest edit distance between a typed flag and one that is suggested.
const maxTypos = 2

// nearest returns the flag whose name is nearest to an unknown one; empty if none is near.
func (o *Options) nearest(typed string) string {
	best, least := "", maxTypos+1
	for _, g := range o.groups() {
		for _, f := range g.flags {
			if d := typos(typed, f.name); d < least && d < len(f.name)/2 {
				best, least = f.name, d
			}
		}
	}
	return best
}

// typos returns the Levenshtein distance between two words, in bytes.
func typos(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the distance from a's prefix so far to b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
