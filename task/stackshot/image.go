package stackshot

import (
	"cmp"
	"slices"
	"sort"

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

// Images are lists of images. Those of the kernel and of a shared cache are one for all
// processes.
type Images []ImageList

// ImageList is images by address.
type ImageList struct {
	Images []Image
	Slide  uint64 // what is to be added to their addresses
}

// Images returns what is loaded in the process, and in the kernel where the stackshot
// tells that.
func (p *Process) Images() Images {
	kernel := ImageList{Images: p.Shot.kernelImages()}
	if p.isKernel() {
		return Images{kernel}
	}
	return Images{kernel, p.cacheImages(), {Images: Sorted(imagesOf(p.Task.Images))}}
}

// At returns the image that an address lies in, with its end; false where there is none.
func (all Images) At(a task.Addr) (Image, bool) {
	var found Image
	next := ^task.Addr(0)
	for _, list := range all {
		below, above := list.around(a)
		next = min(next, above)
		if below.Load > found.Load {
			found = below
		}
	}
	found.End = min(found.most(), next)
	return found, found.Load != 0 && a < found.End
}

// around returns the last image that begins at an address or below it, and where the next
// one begins. Images that the slide moves out of the address space are nowhere.
func (l *ImageList) around(a task.Addr) (below Image, above task.Addr) {
	slide, i := task.Addr(l.Slide), 0
	if a >= slide {
		i = sort.Search(len(l.Images), func(i int) bool { return l.Images[i].Load > a-slide })
	}
	if i > 0 {
		below = l.Images[i-1]
		below.Load += slide
	}
	if i < len(l.Images) && l.Images[i].Load+slide > a {
		return below, l.Images[i].Load + slide
	}
	return below, ^task.Addr(0)
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

// isKernel reports whether it is the kernel's own task.
func (p *Process) isKernel() bool { return p.Task.ID == 0 }

// kernelImages are those of the kernel's task by address. They are looked for once, also
// where there are none.
func (s *Shot) kernelImages() []Image {
	if s.kernel == nil {
		s.kernel = Sorted(s.toldOfKernel())
	}
	return s.kernel
}

// toldOfKernel are those that the stackshot tells itself, the kernel first; not nil.
func (s *Shot) toldOfKernel() []Image {
	list := []Image{}
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

// imagesOf are images that stand alone or in a shared cache.
func imagesOf(loads []LoadInfo) []Image {
	list := make([]Image, 0, len(loads))
	for _, l := range loads {
		list = append(list, Image{Load: task.Addr(l.Load), UUID: l.UUID})
	}
	return list
}

// cacheImages are those of the shared cache or, where they are not told, that itself.
func (p *Process) cacheImages() ImageList {
	c, layout := p.Cache()
	base, placed := c.base()
	switch {
	case c == nil || len(layout) == 0 && !placed:
		return ImageList{}
	case len(layout) == 0:
		return ImageList{Images: []Image{{Load: base, UUID: c.UUID, Name: SharedCacheName}}}
	}
	return ImageList{p.Shot.sorted(layout), c.Slide}
}

// sorted are the images of a layout, which is sorted once for all who have that cache, by
// whatever slide.
func (s *Shot) sorted(layout []LoadInfo) []Image {
	if s.layouts == nil {
		s.layouts = map[*LoadInfo][]Image{}
	}
	list, known := s.layouts[&layout[0]]
	if !known {
		list = Sorted(imagesOf(layout))
		s.layouts[&layout[0]] = list
	}
	return list
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
