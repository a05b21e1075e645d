package stackshot

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// Image is a file that is loaded in a process or in the kernel. Of the kernel and of
// what is loaded in it addresses are without the slide, as those of frames there.
type Image struct {
	Load task.Addr
	// End is where the next image begins, or as far above as one can reach: stackshots
	// do not tell how long images are.
	End    task.Addr
	UUID   [16]byte
	Name   string // of what is known to be the kernel or a shared cache; else empty
	Kernel bool
	// Inside: Load is not where its header is, but where its code begins, or the caches
	// of the kernel that hold it.
	Inside bool
}

// What images are called of which that is known.
const (
	KernelName      = "kernel"
	KernelCacheName = "kernelcache"
	SharedCacheName = "dyld_shared_cache"
)

// The most that an image can have of code: calls reach so far on arm64 by way of
// islands, and on x86_64 at once. A shared cache's region is smaller than that of x86_64
// (SHARED_REGION_SIZE_X86_64, osfmk/mach/shared_region.h).
const (
	maxImage = 1 << 30
	maxCache = 8 << 30
)

// Images are lists of images, each by address. Those of the kernel and of the shared
// cache are one for all processes.
type Images [][]Image

// Images returns what is loaded in the process, and in the kernel where the stackshot
// tells that.
func (p *Process) Images() Images {
	s := p.Shot
	if s.kernelSorted == nil {
		s.kernelSorted = Sorted(s.kernelImages())
	}
	if p.isKernel() {
		return Images{s.kernelSorted}
	}
	return Images{s.kernelSorted, p.cacheImages(), Sorted(p.ownImages())}
}

// At returns the image that an address lies in, with its end; false where there is none.
func (all Images) At(a task.Addr) (Image, bool) {
	var found Image
	next := ^task.Addr(0)
	for _, list := range all {
		i, exact := slices.BinarySearchFunc(list, a, func(im Image, a task.Addr) int { return cmp.Compare(im.Load, a) })
		if exact {
			i++
		}
		if i < len(list) {
			next = min(next, list[i].Load)
		}
		if i > 0 && list[i-1].Load > found.Load {
			found = list[i-1]
		}
	}
	found.End = min(found.most(), next)
	return found, found.Load != 0 && a < found.End
}

// most is the highest end that an image can have.
func (im *Image) most() task.Addr {
	most := task.Addr(maxImage)
	if im.Name == SharedCacheName {
		most = maxCache
	}
	if im.Load+most < im.Load {
		return ^task.Addr(0)
	}
	return im.Load + most
}

// Sorted returns images by address, without those whose place is not known. The end of
// those is not set.
func Sorted(list []Image) []Image {
	list = slices.DeleteFunc(list, func(im Image) bool { return im.Load == 0 })
	slices.SortStableFunc(list, func(a, b Image) int { return cmp.Compare(a.Load, b.Load) })
	return list
}

// isKernel tells whether it is the kernel's own task.
func (p *Process) isKernel() bool { return p.Task.ID == 0 }

// kernelImages are those of the kernel's task: the kernel first, and its extensions.
func (s *Shot) kernelImages() (list []Image) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.ID != 0 {
			continue
		}
		if t.KernelCache != nil {
			list = append(list, Image{Load: task.Addr(t.KernelCache.Load), UUID: t.KernelCache.UUID, Name: KernelCacheName, Kernel: true, Inside: true})
		}
		list = append(list, inKernel(t.Images, false)...)
		list = append(list, inKernel(t.TextExec, true)...)
	}
	if len(list) == 0 {
		return slices.Clone(s.kernel)
	}
	return list
}

// inKernel are the kernel, which comes first, and its extensions.
func inKernel(loads []LoadInfo, inside bool) (list []Image) {
	for i, l := range loads {
		im := Image{Load: task.Addr(l.Load), UUID: l.UUID, Kernel: true, Inside: inside}
		if i == 0 {
			im.Name = KernelName
		}
		list = append(list, im)
	}
	return list
}

// ownImages are those of the program that are in no shared cache.
func (p *Process) ownImages() []Image {
	list := make([]Image, 0, len(p.Task.Images))
	for _, l := range p.Task.Images {
		list = append(list, Image{Load: task.Addr(l.Load), UUID: l.UUID})
	}
	return list
}

// cacheImages are those of the shared cache or, where they are not told, that itself.
func (p *Process) cacheImages() []Image {
	c, layout := p.Cache()
	base, placed := c.base()
	switch {
	case c == nil || len(layout) == 0 && !placed:
		return nil
	case len(layout) == 0:
		return []Image{{Load: base, UUID: c.UUID, Name: SharedCacheName}}
	}
	sorted := p.Shot.cacheSorted[c]
	if sorted == nil {
		for _, l := range layout {
			sorted = append(sorted, Image{Load: task.Addr(l.Load + c.Slide), UUID: l.UUID})
		}
		if p.Shot.cacheSorted == nil {
			p.Shot.cacheSorted = map[*SharedCache][]Image{}
		}
		sorted = Sorted(sorted)
		p.Shot.cacheSorted[c] = sorted
	}
	return sorted
}

// noCache says that a task is attached to no shared region (kTaskSharedRegionNone).
const noCache = 0x20000000

// Cache returns the shared cache of the process, with what is in it where the stackshot
// tells that; nil where there is none, or it is not known which.
func (p *Process) Cache() (*SharedCache, []LoadInfo) {
	s, t := p.Shot, p.Task
	switch {
	case p.isKernel() || t.flags()&noCache != 0:
		return nil, nil
	case t.SharedCache != nil:
		return t.SharedCache, s.layoutOf(t.SharedCache)
	case t.CacheID != nil:
		for i := range s.Caches {
			if s.Caches[i].Info.ID == uint32(*t.CacheID) {
				return &s.Caches[i].Info, s.Caches[i].Layout
			}
		}
		return nil, nil
	case t.flags()&User64 != 0 && s.SharedCache != nil && s.SharedCache.UUID != [16]byte{}:
		return s.SharedCache, s.layoutOf(s.SharedCache)
	}
	return nil, nil
}

// layoutOf is what is in a cache, if that is the one whose layout is told.
func (s *Shot) layoutOf(c *SharedCache) []LoadInfo {
	if s.SharedCache != nil && s.SharedCache.UUID == c.UUID {
		return s.Layout
	}
	return nil
}

// base is where the cache begins, as far as that is told.
func (c *SharedCache) base() (task.Addr, bool) {
	switch {
	case c == nil:
		return 0, false
	case c.FirstMapping != 0:
		return task.Addr(c.FirstMapping), true
	}
	return task.Addr(c.Base), c.Base != 0
}

// Start returns where the cache begins, 0 where that is not told.
func (c *SharedCache) Start() task.Addr {
	a, _ := c.base()
	return a
}
