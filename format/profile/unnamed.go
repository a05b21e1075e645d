package profile

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// Unnamed returns the images in which functions on the stacks have no name, those with
// most such functions first.
func (p *Profile) Unnamed() []*Image {
	found := map[*Image]map[task.Addr]bool{}
	for _, t := range p.Threads {
		for _, n := range preorder(t.Roots) {
			if n.Function != "" || n.Image == nil || n.Image.Generated {
				continue
			}
			if found[n.Image] == nil {
				found[n.Image] = map[task.Addr]bool{}
			}
			found[n.Image][n.Area()] = true
		}
	}
	var list []*Image
	for _, im := range p.Images {
		if len(found[im]) > 0 {
			list = append(list, im)
		}
	}
	slices.SortStableFunc(list, func(a, b *Image) int { return cmp.Compare(len(found[b]), len(found[a])) })
	return list
}
