package apple

import "slices"

// A stack has at most maxLevels lines, for each is indented by its callers, and a
// runaway recursion of 10,000 would be 100 MB of blanks. Of a deeper one the middle is
// left out: keptInner lines of those that were innermost stay.
const (
	maxLevels = 512
	keptInner = 128
)

// omitted stands for the frames of deep stacks that are left out.
const omitted = "<frames left out of a deep stack>"

// measure finds out how high each branch is.
func (f *forest) measure() {
	for _, b := range slices.Backward(f.all) { // what is below it comes first
		for _, c := range b.children {
			b.height = max(b.height, c.height+1)
		}
	}
}

// prune leaves out the middle of deep stacks.
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

// tops returns the outermost branches of a tree that are not higher than is kept.
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

// joined makes one branch of those that are the same and have called nothing.
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
