package dyld

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/task"
)

// maxImages is the maximum number of images read. libdyld truncates lists at the same
// length.
const maxImages = 8192

var (
	errNoList   = errors.New("the system does not say where dyld's list of images is")
	errNotBegun = errors.New("dyld has not run yet in the process")
	errChanging = errors.New("dyld's list of images kept changing while it was read")
	errTooMany  = fmt.Errorf("dyld's list of images has more than %d entries", maxImages)
)

// entry is one image in the list.
type entry struct {
	load, path task.Addr
	// stays: dyld never unloads it. That is true for dyld itself and for what was
	// loaded at launch: the first initialImageCount of the list (dyld2.cpp,
	// setNeverUnloadRecursive; dyld4's Loader.h, neverUnload). Since dyld4 that count
	// is 1, whatever was loaded (ExternallyViewableState.cpp, createMinimalInfo).
	stays bool
}

// readList reads the list while dyld does not change it. dyld sets the pointer to the
// list to null during a change, and a change of the generation reveals that the list
// changed during the reading. If all l.Tries attempts fail, readList returns the last
// list that was readable, with an error.
func (l *Loader) readList(p task.Process) (infos Infos, entries []entry, err error) {
	for try := range max(1, l.Tries) {
		if try > 0 && l.Pause != nil {
			l.Pause(try)
		}
		var stable bool
		var now Infos
		var list []entry
		now, list, stable, err = readOnce(p)
		if list != nil || entries == nil {
			infos, entries = now, list
		}
		if stable || errors.Is(err, errNoList) || errors.Is(err, errNotBegun) {
			return infos, entries, err
		}
	}
	return infos, entries, err
}

// readOnce reads the list once. stable means that the generation was the same before
// and after.
func readOnce(p task.Process) (infos Infos, entries []entry, stable bool, err error) {
	infos, err = infosOf(p)
	if err != nil {
		return infos, nil, false, err
	}
	if infos.notBegun() {
		return infos, nil, false, errNotBegun
	}
	if infos.Array == 0 {
		return infos, nil, false, errChanging
	}
	entries, err = readEntries(p.Memory(), &infos)
	after, afterErr := infosOf(p)
	if afterErr != nil || after.Generation() != infos.Generation() {
		return infos, entries, false, errors.Join(errChanging, err)
	}
	return infos, entries, err == nil || errors.Is(err, errTooMany), err
}

// notBegun reports whether dyld has not made a list yet, by the timestamp if the
// version has one.
func (i *Infos) notBegun() bool {
	if i.Version >= fTimestamp.since {
		return i.Timestamp == 0 && i.Array == 0
	}
	return i.Array == 0 && i.Count == 0
}

// readEntries reads the array. If it is only partly readable, the entries before the
// fault are returned with the error.
func readEntries(mem task.Memory, infos *Infos) ([]entry, error) {
	var tooMany error
	count := int(min(infos.Count, maxImages))
	if infos.Count > maxImages {
		tooMany = errTooMany
	}
	size := imageEntryWords * infos.pointer
	b := make([]byte, count*size)
	n, err := mem.ReadMemory(b, infos.Array)
	if n == len(b) {
		err = nil
	} else {
		err = fmt.Errorf("dyld's list of images, after %d of %d: %w", n/size, count, errors.Join(err, &task.FaultError{Addr: infos.Array + task.Addr(n)}))
	}
	entries := make([]entry, 0, n/size)
	for i := range n / size {
		entries = append(entries, entryAt(b, i, infos))
	}
	return entries, errors.Join(tooMany, err)
}

// entryAt decodes the i-th entry of the array.
func entryAt(b []byte, i int, infos *Infos) entry {
	b = b[i*imageEntryWords*infos.pointer:]
	return entry{
		load:  pointerAt(b, infos.pointer),
		path:  pointerAt(b[infos.pointer:], infos.pointer),
		stays: uint64(i) < infos.InitialCount,
	}
}

func pointerAt(b []byte, size int) task.Addr {
	if size == 4 {
		return task.Addr(binary.LittleEndian.Uint32(b))
	}
	return task.Addr(binary.LittleEndian.Uint64(b))
}
