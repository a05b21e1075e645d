package images

import (
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/dyld"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/images/sharedcache"
	"stacksnap/task"
)

// backing returns memory made of the binaries that a core's notes name, and of the
// shared cache that the notes or dyld's list name.
func backing(p task.Process, from *binaries.Index) *fileMemory {
	m, noted := new(fileMemory), p.Info().SavedImages
	cache, ok := listedCache(p, from)
	if !ok {
		cache, ok = notedCache(noted, from)
	}
	if ok {
		m.caches = append(m.caches, cache)
	}
	for _, im := range noted {
		if at, in := cache.load(im.ID); !ok || !in || at != im.Load {
			m.addFile(im, p.Info().Arch, from)
		}
	}
	return m
}

// addFile adds an image if from has its binary.
func (m *fileMemory) addFile(im task.SavedImage, arch task.Arch, from *binaries.Index) {
	f, err := from.MachO(im.Path, macho.Want{Arch: arch, ID: im.ID})
	if err != nil || f.InSharedCache() { // in the cache, at another address
		return
	}
	if slide, ok := slideOf(im, f); ok {
		m.files = append(m.files, placedFile{f, slide})
	}
}

// listedCache returns the shared cache that dyld's list names, if the core has that
// list.
func listedCache(p task.Process, from *binaries.Index) (placedCache, bool) {
	cache, ok := dyld.CacheOf(p)
	if !ok {
		return placedCache{}, false
	}
	c, _, ok := from.Cache(cache.UUID[:])
	if !ok {
		return placedCache{}, false
	}
	return placedCache{c, uint64(cache.Base) - c.Start()}, true
}

// notedCache returns the shared cache that contains the images in the notes.
func notedCache(noted []task.SavedImage, from *binaries.Index) (placedCache, bool) {
	cached := map[placedCache]int{}
	for _, im := range noted {
		if c, vmaddr, ok := from.Cache(im.ID); ok && im.Load != 0 {
			cached[placedCache{c, uint64(im.Load) - vmaddr}]++
		}
	}
	return mostNoted(cached)
}

// mostNoted returns the cache and slide that most images agree on. A few may have
// been loaded from elsewhere.
func mostNoted(cached map[placedCache]int) (most placedCache, ok bool) {
	for c, n := range cached {
		if n > cached[most] || n == cached[most] && c.slide < most.slide {
			most, ok = c, true
		}
	}
	return most, ok
}

func slideOf(im task.SavedImage, f *macho.File) (uint64, bool) {
	if im.HasSlide {
		return im.Slide, true
	}
	text, ok := f.TextVMAddr()
	return uint64(im.Load) - text, ok && im.Load != 0
}

// fileMemory has the contents of files at the addresses where they were mapped,
// except for writable segments.
type fileMemory struct {
	files  []placedFile
	caches []placedCache
}

type placedFile struct {
	*macho.File
	slide uint64
}

type placedCache struct {
	*sharedcache.Cache
	slide uint64
}

// load returns where the cache has the image with this ID; false if it has none.
func (c placedCache) load(id []byte) (task.Addr, bool) {
	if c.Cache == nil || len(id) != len(sharedcache.Image{}.UUID) {
		return 0, false
	}
	im, ok := c.Images()[[16]byte(id)]
	return task.Addr(im.VMAddr + c.slide), ok
}

// ReadMemory implements task.Memory.
func (m *fileMemory) ReadMemory(p []byte, a task.Addr) (int, error) {
	for _, f := range m.files {
		vmaddr := uint64(a) - f.slide
		for _, s := range f.Segments() {
			if s.Prot&task.Write == 0 && s.Prot != 0 && vmaddr-s.VMAddr < s.Size {
				return readFile(f, p[:min(uint64(len(p)), s.VMAddr+s.Size-vmaddr)], vmaddr, len(p), a)
			}
		}
	}
	for _, c := range m.caches {
		if n, err := c.ReadMemory(p, a-task.Addr(c.slide)); n == len(p) {
			return n, nil
		} else if n > 0 {
			return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
		}
	}
	return 0, &task.FaultError{Addr: a}
}

func readFile(f placedFile, p []byte, vmaddr uint64, wanted int, a task.Addr) (int, error) {
	n, err := f.ReadCode(p, vmaddr)
	if n < wanted {
		return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
	}
	return n, nil
}

var _ object.File = (*macho.File)(nil)
