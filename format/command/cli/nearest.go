package cli

// maxTypos is how far a flag that is meant may be from one that is typed.
const maxTypos = 2

// nearest is the flag that was probably meant by one which there is not; empty
// where none is near.
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

// typos is how many letters are to be changed, put in or left out to make one word
// of another (Levenshtein's distance).
func typos(a, b string) int {
	row := make([]int, len(b)+1) // the distances of a's beginning to those of b
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
