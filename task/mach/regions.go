package mach

import (
	"iter"

	"stacksnap/task"
)

// maxRegions bounds the listing of a map that has no end.
const maxRegions = 1 << 20

// Regions lists the target's mappings, those of submaps in their place (the
// shared cache is one), without paths. A listing that breaks off yields the error
// last.
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
			if !yield(r.region(), nil) || r.end <= a {
				return
			}
			a = r.end
		}
	}
}

// RegionAt implements [task.LoaderReader].
func (p *Process) RegionAt(a task.Addr) (task.Region, bool, error) {
	r, ret := p.regionAt(a)
	if ret != success {
		if ret == invalidAddress || ret == noSpace {
			return task.Region{}, false, nil
		}
		return task.Region{}, false, p.taskError("mach_vm_region", ret)
	}
	return r.region(), true, nil
}

// PathAt implements [task.LoaderReader].
func (p *Process) PathAt(a task.Addr) string { return p.k.regionPath(p.pid, a) }

// endOfMap tells the end of the map from a failure: beyond the last region there is
// KERN_INVALID_ADDRESS, and KERN_NO_SPACE where no room is left.
func (p *Process) endOfMap(r Return, a task.Addr) error {
	if a != 0 && (r == invalidAddress || r == noSpace) {
		return nil
	}
	return p.taskError("mach_vm_region", r)
}

// regionCalls is what has been seen of the two calls that tell of regions.
type regionCalls struct {
	isTold bool // the recursive one gives protections
	missed int  // how often it gave none of a region that has one
}

// maxMissed is how often the recursive call gives no protection before it is not
// asked any more.
const maxMissed = 3

// stopRegions are the last regions that were found in a stop, while which the map of the
// target is what it is: of threads whose stacks are in one, as Go's are, it is asked for
// once.
type stopRegions struct {
	last  [8]region
	count int
}

func (s *stopRegions) at(a task.Addr) (region, bool) {
	for i := range min(s.count, len(s.last)) {
		if s.last[i].contains(a) {
			return s.last[i], true
		}
	}
	return region{}, false
}

func (s *stopRegions) add(r region) {
	s.last[s.count%len(s.last)] = r
	s.count++
}

// regionAt finds the region at a, or the next above it.
func (p *Process) regionAt(a task.Addr) (region, Return) {
	if !p.stopped {
		return p.askRegion(a)
	}
	if r, known := p.mapped.at(a); known {
		return r, success
	}
	r, ret := p.askRegion(a)
	if ret == success {
		p.mapped.add(r)
	}
	return r, ret
}

// askRegion asks the kernel for the region at a, or the next above it. Where the recursive
// call gives no protection, or fails, the plain call is asked as well, and alone
// after a while: some kernels fill in only that one.
func (p *Process) askRegion(a task.Addr) (region, Return) {
	if !p.regions.isTold && p.regions.missed >= maxMissed {
		r, ret := p.k.region(p.task, a)
		if ret == success && (r.end <= a || r.end <= r.start) {
			return region{}, invalidAddress
		}
		return r, ret
	}
	r, ret := p.k.regionRecurse(p.task, a)
	if ret == success && r.prot != 0 && r.end > a {
		p.regions.isTold = true
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
		p.regions.missed++
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

// region is what is told of it; a file's offset alone is one.
func (r *region) region() task.Region {
	out := task.Region{Start: r.start, End: r.end, Prot: r.prot, Shared: r.shared}
	if r.file {
		out.Offset = r.offset
	}
	return out
}
