package apple

import "slices"

// A stack has at most maxLevels lines, because each line is indented by its depth: a
// runaway recursion of 10,000 frames would have 100 MB of blanks. The middle of a
// deeper stack is omitted; the keptInner innermost lines stay.
const (
	maxLevels = 512
	keptInner = 128
)

// omitted replaces the omitted frames of deep stacks.
const omitted = "<frames left out of a deep stack>"

// measure computes the height of each branch.
func (f *forest) measure() {
	for _, b := range slices.Backward(f.all) { // children come after their parents, so they are done first
		for _, c := range b.children {
			b.height = max(b.height, c.height+1)
		}
	}
}

// prune omits the middle of deep stacks.
func (f *forest) prune() {
	for _, b := range f.all {
		if b.level != maxLevels-keptInner-2 || b.level+b.height < maxLevels {
			continue
		}
		gap := &branch{place: place{function: omitted}, level: b.level + 1, height: keptInner}
		for _, c := range b.children {
			gap.count += c.count
			gap.children = append(gap.children, tops(c)...)
		}
		gap.children = joined(gap.children)
		b.children = []*branch{gap}
		f.all = append(f.all, gap)
	}
}

// tops returns the outermost branches of a tree that are low enough to be kept.
func tops(root *branch) (low []*branch) {
	for todo := []*branch{root}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if b.height < keptInner {
			low = append(low, b)
		} else {
			todo = append(todo, b.children...)
		}
	}
	return low
}

// joined merges the branches in list that have the same place and no children.
func joined(list []*branch) (different []*branch) {
	index := map[place]*branch{}
	for _, b := range list {
		same := index[b.place]
		if same == nil || len(b.children) > 0 {
			if different = append(different, b); len(b.children) == 0 {
				index[b.place] = b
			}
			continue
		}
		same.count += b.count
		same.more = same.more || b.more
		for _, c := range b.at {
			same.add(c.address, c.samples)
		}
	}
	return different
}
