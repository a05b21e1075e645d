package mach

import (
	"iter"

	"stacksnap/task"
)

// maxRegions bounds the listing of a map that has no end.
const maxRegions = 1 << 20

// Regions lists the target's mappings, those of submaps in their place (the
// shared cache is one). A listing that breaks off yields the error last.
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		var a task.Addr
		for range maxRegions {
			r, ret := p.regionAt(a)
			if ret != success {
				if err := p.endOfMap(ret, a); err != nil {
					yield(task.Region{}, err)
				}
				return
			}
			if !yield(p.taskRegion(&r), nil) || r.end <= a {
				return
			}
			a = r.end
		}
	}
}

// endOfMap tells the end of the map from a failure: XNU answers
// KERN_INVALID_ADDRESS beyond the last region, Darling KERN_NO_SPACE.
func (p *Process) endOfMap(r Return, a task.Addr) error {
	if a != 0 && (r == invalidAddress || r == noSpace) {
		return nil
	}
	return p.taskError("mach_vm_region", r)
}

// regionAt finds the region at a, or the next above it. Where the recursive
// call gives no protection, or fails, the plain call is asked as well: some
// kernels fill in only that one.
func (p *Process) regionAt(a task.Addr) (region, Return) {
	r, ret := p.k.regionRecurse(p.task, a)
	if ret == success && r.prot != 0 && r.end > a {
		return r, success
	}
	if ret.ended() {
		return region{}, ret
	}
	plain, plainRet := p.k.region(p.task, a)
	if plainRet.ended() {
		return region{}, plainRet
	}
	plainGood := plainRet == success && plain.end > a && plain.end > plain.start
	good := ret == success && r.end > a && r.end > r.start
	switch {
	case good && plainGood && plain.start == r.start && plain.prot != 0:
		r.prot, r.end = plain.prot, min(r.end, plain.end)
		return r, success
	case good:
		return r, success
	case plainGood:
		return plain, success
	case ret == success: // regions that make no progress
		return region{}, invalidAddress
	}
	return region{}, ret
}

func (p *Process) taskRegion(r *region) task.Region {
	out := task.Region{Start: r.start, End: r.end, Prot: r.prot, Shared: r.shared}
	if r.file {
		out.Offset = r.offset
		out.Path = p.k.regionPath(p.pid, r.start)
	}
	return out
}
