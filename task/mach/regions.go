package mach

import (
	"iter"

	"stacksnap/task"
)

// maxRegions bounds the listing of a map, which might be endless.
const maxRegions = 1 << 20

// Regions lists the target's mappings without paths; a submap (such as the shared cache) is
// replaced by its own mappings. If the listing fails, the error is yielded last.
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

// endOfMap distinguishes the end of the map from a failure: above the last region the result is
// KERN_INVALID_ADDRESS, or KERN_NO_SPACE where no address is left.
func (p *Process) endOfMap(r Return, a task.Addr) error {
	if a != 0 && (r == invalidAddress || r == noSpace) {
		return nil
	}
	return p.taskError("mach_vm_region", r)
}

// regionCalls is what has been found out about the two calls that return regions.
type regionCalls struct {
	isTold bool // the recursive call returns protections
	missed int  // how often it returned none for a region that has one
}

// maxMissed is how often the recursive call may return no protection before it is no longer
// used.
const maxMissed = 3

// stopRegions are the last regions that were found in a stop, in which the target's map does not
// change. If several threads have their stacks in one region, as Go's do, it is looked up once.
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

// regionAt returns the region at a, or the next one above it.
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

// askRegion gets from the kernel the region at a, or the next one above it. If the recursive
// call returns no protection, or fails, the plain call is made as well, and after a while only
// that one: some kernels fill in only its result.
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
	case ret == success: // the regions do not advance
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
