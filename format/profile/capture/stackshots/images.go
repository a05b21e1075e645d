package stackshots

import (
	"cmp"
	"slices"

	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// place returns a map of the images that contain frames; other loaded images are not looked up.
// It returns the same map while these images are the same.
func (c *collector) place(v *process, p *stackshot.Process, t *taken) *images.Map {
	if !v.use(usedBy(c.withCache(p), t)) && v.placed != nil {
		return v.placed
	}
	exact, others := make([]object.Placed, 0, len(v.used)), []object.Placed(nil)
	info := p.Info()
	for _, told := range v.used {
		im := object.Placed{Path: told.Name, Load: told.Load, Slide: uint64(told.Load), File: &toldFile{told, info.Arch}}
		if told.Inside {
			others = append(others, im) // the address of its header is not known
			continue
		}
		if im.Path == "" {
			im.Path = c.pathOf(info.PID, told, info.Arch)
		}
		exact = append(exact, im)
	}
	m := images.NewMap(append(images.WithSymbols(exact, c.options.Binaries, c.budget), others...))
	if cache, _ := p.Cache(); cache != nil && cache.Start() != 0 {
		m.Cache = &images.SharedCache{UUID: cache.UUID, Base: cache.Start(), Slide: cache.Slide}
	}
	v.placed = m
	return m
}

// use adds images to those in use, and reports whether any is new. If an image is where another
// one was, as after exec, the earlier ones are no longer in use.
func (v *process) use(list []stackshot.Image) (isNew bool) {
	for _, im := range list {
		i := slices.IndexFunc(v.used, func(u stackshot.Image) bool { return im.Load < u.End && u.Load < im.End })
		switch {
		case i < 0:
			isNew = true
			v.used = append(v.used, im)
		case v.used[i].UUID != im.UUID || v.used[i].Load != im.Load:
			v.used = slices.Clone(list)
			return true
		}
	}
	return isNew
}

// cacheKey identifies a shared cache at a load address.
type cacheKey struct {
	uuid  [16]byte
	slide uint64
}

// withCache returns the images of a process, including those of its shared cache if the cache's
// file is available.
func (c *collector) withCache(p *stackshot.Process) stackshot.Images {
	all := p.Images()
	cache, layout := p.Cache()
	if c.options.Binaries == nil || cache == nil || len(layout) > 0 {
		return all
	}
	list := c.cached(cacheKey{cache.UUID, cache.Slide})
	if list == nil {
		return all
	}
	all = slices.DeleteFunc(slices.Clone(all), func(l stackshot.ImageList) bool {
		return len(l.Images) > 0 && l.Images[0].Name == stackshot.SharedCacheName
	})
	return append(all, stackshot.ImageList{Images: list})
}

// cached returns the images in a cache; nil if its file is not available.
func (c *collector) cached(key cacheKey) []stackshot.Image {
	list, known := c.caches[key]
	if known {
		return list
	}
	if cache, _, ok := c.options.Binaries.Cache(key.uuid[:]); ok {
		for _, im := range cache.Images() {
			list = append(list, stackshot.Image{Load: task.Addr(im.VMAddr + key.slide), UUID: im.UUID})
		}
		list = stackshot.Sorted(list)
	}
	c.caches[key] = list
	return list
}

// pathOf returns the install name of an image whose file is available, or else the path from
// which the process has loaded it; it may be empty.
func (c *collector) pathOf(pid int, im stackshot.Image, arch task.Arch) string {
	if path := installedAs(c.options.Binaries, im.UUID, arch); path != "" {
		return path
	}
	if c.path == nil || im.Kernel {
		return ""
	}
	return c.path(pid, im.Load)
}

// installedAs returns the install name of an image; empty if its file is not available.
func installedAs(from *binaries.Index, id [16]byte, arch task.Arch) string {
	if from == nil {
		return ""
	}
	if path, ok := from.Path(id[:]); ok {
		f, err := from.MachO("", macho.Want{Arch: arch, ID: id[:]})
		if err != nil {
			return path
		}
		name, _ := f.InstallName()
		_ = f.Close() // it was only read
		return cmp.Or(name, path)
	}
	return ""
}

// usedBy returns the images that contain frames.
func usedBy(all stackshot.Images, v *taken) (list []stackshot.Image) {
	used := map[task.Addr]bool{}
	for _, s := range v.stacks {
		for k := range s.Frames {
			at := s.Frames[k].PC
			if s.Frames[k].Return {
				at-- // a return address: use an address within the call
			}
			if im, ok := all.At(at); ok && !used[im.Load] {
				used[im.Load] = true
				list = append(list, im)
			}
		}
	}
	return list
}

// toldFile is an image that is known only from the stackshot's facts, as a file that begins at
// vmaddr 0.
type toldFile struct {
	of   stackshot.Image
	arch task.Arch
}

var _ object.File = (*toldFile)(nil)

func (f *toldFile) Arch() task.Arch                     { return f.arch }
func (f *toldFile) ID() []byte                          { return f.of.UUID[:] }
func (f *toldFile) Symbol(uint64) (object.Symbol, bool) { return object.Symbol{}, false }
func (f *toldFile) HasSymbols() bool                    { return false }
func (f *toldFile) FunctionStart(uint64) (uint64, bool) { return 0, false }
func (f *toldFile) Close() error                        { return nil }

// Segments implements [object.File]: everything up to the image's end may be code.
func (f *toldFile) Segments() []object.Segment {
	return []object.Segment{{Name: "__TEXT", Size: uint64(f.of.End - f.of.Load), Prot: task.Read | task.Execute}}
}

// Section implements [object.File].
func (f *toldFile) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}
