package dyld

import (
	"errors"

	"stacksnap/task"
)

// place is where a process's dyld_all_image_infos is.
type place struct {
	at      task.Addr
	pointer int // pointer size of the process: 4 or 8 bytes
}

// placeOf returns where the list is now. The dyld on disk hands over to the one in
// the shared cache, which has its own list (dyld4, ExternallyViewableState.cpp,
// prepareInCacheDyldAllImageInfos).
func placeOf(p task.Process) (place, error) {
	if l := p.Capabilities().Loader; l != nil {
		at, pointer, err := l.Loader()
		var exited *task.ExitedError
		switch {
		case err == nil && at != 0:
			return place{at, pointer}, nil
		case err == nil:
			return place{}, errNotBegun
		case errors.As(err, &exited):
			return place{}, err
		}
	}
	info := p.Info()
	if info.LoaderInfo == 0 {
		return place{}, errNoList
	}
	if info.LoaderPointerSize == 0 {
		return place{info.LoaderInfo, info.Arch.PointerSize()}, nil
	}
	return place{info.LoaderInfo, info.LoaderPointerSize}, nil
}

// infosOf reads the list's header. If that fails, it queries p again for the list's
// address, because the list may have moved.
func infosOf(p task.Process) (Infos, error) {
	at, err := placeOf(p)
	if err != nil {
		return Infos{}, err
	}
	infos, err := ReadInfos(p.Memory(), at.at, at.pointer)
	if err == nil {
		return infos, nil
	}
	again, askErr := placeOf(p)
	if askErr != nil || again == at {
		return infos, err
	}
	return ReadInfos(p.Memory(), again.at, again.pointer)
}

// CacheOf returns the shared cache that p has mapped. It reports false if there is
// none, or the list is unreadable.
func CacheOf(p task.Process) (SharedCache, bool) {
	infos, err := infosOf(p)
	return infos.Cache, err == nil && infos.Cache.Mapped() && infos.Cache.Base != 0
}

// ReadGeneration reads the current generation of p's list, in one small read.
func ReadGeneration(p task.Process) (Generation, error) {
	infos, err := infosOf(p)
	return infos.Generation(), err
}

// timestampAddress returns the address of a list's timestamp.
func timestampAddress(infos task.Addr, pointer int) task.Addr {
	if pointer == 4 {
		return infos + task.Addr(fTimestamp.at32)
	}
	return infos + task.Addr(fTimestamp.at64)
}
