package stackshot

import (
	"cmp"
	"slices"
	"sort"

	"stacksnap/task"
)

// Image is a file loaded in a process or in the kernel. Addresses in the kernel are
// without its slide, as in frames there.
type Image struct {
	Load task.Addr
	// End is the start of the next image, or the farthest possible end: stackshots do
	// not have the lengths of images.
	End    task.Addr
	UUID   [16]byte
	Name   string // the kernel or a shared cache; else ""
	Kernel bool
	// Inside means that Load is the start of the image's code, not of its header, or the start
	// of the kernel cache that contains it.
	Inside bool
}

// The values of Image.Name.
const (
	KernelName      = "kernel"
	KernelCacheName = "kernelcache"
	SharedCacheName = "dyld_shared_cache"
)

// The maximum code size of an image: the reach of calls, on arm64 through islands, on
// x86_64 directly. A shared cache's region is at most that of x86_64
// (SHARED_REGION_SIZE_X86_64, osfmk/mach/shared_region.h).
const (
	maxImage = 1 << 30
	maxCache = 8 << 30
)

// Images are lists of images. All processes share the lists of the kernel and of a
// shared cache.
type Images []ImageList

// ImageList is images sorted by address.
type ImageList struct {
	Images []Image
	Slide  uint64 // to be added to their addresses
}

// Images returns what is loaded in the process, and in the kernel if the stackshot
// has it.
func (p *Process) Images() Images {
	kernel := ImageList{Images: p.Shot.kernelImages()}
	if p.isKernel() {
		return Images{kernel}
	}
	return Images{kernel, p.cacheImages(), {Images: Sorted(imagesOf(p.Task.Images))}}
}

// At returns the image that contains an address, with its End. It reports false if
// there is none.
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

// around returns the last image that starts at or below an address, and the start of
// the next one. It ignores images that the slide moves out of the address space.
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

// most returns the highest possible end of an image.
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

// Sorted returns images by address, without those whose address is unknown. End is
// not set.
func Sorted(list []Image) []Image {
	list = slices.DeleteFunc(list, func(im Image) bool { return im.Load == 0 })
	slices.SortStableFunc(list, func(a, b Image) int { return cmp.Compare(a.Load, b.Load) })
	return list
}

// isKernel reports whether this is the kernel's own task.
func (p *Process) isKernel() bool { return p.Task.ID == 0 }

// kernelImages returns the images of the kernel's task by address. They are computed
// once, even if there are none.
func (s *Shot) kernelImages() []Image {
	if s.kernel == nil {
		s.kernel = Sorted(s.reportedKernel())
	}
	return s.kernel
}

// reportedKernel returns the kernel's images in the stackshot, the kernel first; never
// nil.
func (s *Shot) reportedKernel() []Image {
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

// inKernel returns the kernel, which comes first, and its extensions.
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

// imagesOf returns images outside the kernel, alone or in a shared cache.
func imagesOf(loads []LoadInfo) []Image {
	list := make([]Image, 0, len(loads))
	for _, l := range loads {
		list = append(list, Image{Load: task.Addr(l.Load), UUID: l.UUID})
	}
	return list
}

// cacheImages returns the images in the shared cache or, if they are unknown, the
// cache itself as one image.
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

// sorted returns the images of a layout by address. It is sorted once for all
// processes with that cache, whatever their slide.
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

// noCache means that a task uses no shared region (kTaskSharedRegionNone).
const noCache = 0x20000000

// Cache returns the process's shared cache, with its layout if the stackshot has it;
// nil if there is none or it is unknown.
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

// layoutOf returns the layout of a cache, if the stackshot has it.
func (s *Shot) layoutOf(c *SharedCache) []LoadInfo {
	if s.SharedCache != nil && s.SharedCache.UUID == c.UUID {
		return s.Layout
	}
	return nil
}

// base returns the start of the cache, if it is known.
func (c *SharedCache) base() (task.Addr, bool) {
	switch {
	case c == nil:
		return 0, false
	case c.FirstMapping != 0:
		return task.Addr(c.FirstMapping), true
	}
	return task.Addr(c.Base), c.Base != 0
}

// Start returns the start of the cache, 0 if it is unknown.
func (c *SharedCache) Start() task.Addr {
	a, _ := c.base()
	return a
}
