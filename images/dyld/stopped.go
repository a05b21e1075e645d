package dyld

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"stacksnap/task"
)

// Limits of what is done and copied while a process is stopped for its list.
const (
	maxStops    = 6                      // stops for one Load
	maxShown    = 8                      // images copied in one stop
	shownPath   = 1 << 10                // PATH_MAX of Darwin
	shownHeader = 32 << 10               // a header and its load commands
	firstShown  = 4 << 10                // bytes of a header read at once
	spareShown  = 64                     // entries that may be added before the process is stopped
	stopPause   = 100 * time.Microsecond // doubled each time, because the list may be null
)

// The used fields of a mach_header (<mach-o/loader.h>).
const (
	headerBytes   = 32
	sizeofcmdsAt  = 20
	largestHeader = shownHeader - headerBytes
)

// stoppedList holds what is copied from a process during a stop. Its memory is
// allocated before, because nothing may be allocated during the stop.
type stoppedList struct {
	mem      task.Memory
	at       place
	familiar map[task.Addr]familiarity // by load address
	head     []byte
	array    []byte
	infos    Infos
	listed   int // entries in array
	shown    []shown
}

// familiarity says whether the image at an address is known.
type familiarity uint8

const (
	unfamiliar familiarity = iota
	familiar               // known, but may be another by now
	permanent
)

// shown is an entry with its path and header, as far as readable.
type shown struct {
	entry
	path, header []byte
}

// gaveUp reports whether images are missing because the list kept changing.
func (r *reading) gaveUp() bool { return slices.ContainsFunc(r.errs, isChange) }

func isChange(err error) bool { return errors.Is(err, errChanging) || errors.Is(err, errMoving) }

// readStopped reads the list while the process is stopped. Path and header of an
// image are copied in the same stop, so that they belong together; those of fixed
// images are read afterwards.
func (r *reading) readStopped() {
	for try := range maxStops {
		if try > 0 {
			r.pause(stopPause << (try - 1))
		}
		s, ok := r.stopAndCopy()
		if !ok {
			continue
		}
		r.take(s)
		if len(r.todo()) == 0 {
			r.errs = slices.DeleteFunc(r.errs, isChange)
			return
		}
	}
}

// stopAndCopy stops the process and copies the list. It reports false if the process could
// not be stopped, or was stopped while dyld changed the list.
func (r *reading) stopAndCopy() (*stoppedList, bool) {
	s := r.newStoppedList()
	began := time.Now()
	resume, err := r.stop()
	if err != nil {
		return nil, false
	}
	s.copy()
	err = resume()
	r.stopped(time.Since(began))
	r.fail(err)
	r.room = s.infos.Count
	return s, s.listed > 0
}

// newStoppedList allocates the room.
func (r *reading) newStoppedList() *stoppedList {
	at, err := placeOf(r.process)
	if err != nil {
		at = r.at
	}
	s := &stoppedList{mem: r.process.Memory(), at: at, familiar: map[task.Addr]familiarity{}, shown: make([]shown, 0, maxShown)}
	for k, im := range r.known {
		s.familiar[k.load] = familiar
		if im.Fixed {
			s.familiar[k.load] = permanent
		}
	}
	s.head = make([]byte, infosSize(at.pointer))
	count := min(int(min(max(r.infos.Count, r.room), maxImages))+spareShown, maxImages)
	s.array = make([]byte, count*imageEntryWords*at.pointer)
	for i := range s.shown[:maxShown] {
		s.shown[:maxShown][i] = shown{path: make([]byte, shownPath), header: make([]byte, shownHeader)}
	}
	return s
}

// copy copies the list and some images. It runs while the process is stopped and
// allocates nothing. Unknown images come first, and of these the last in the list:
// the newest, which are the most likely to go.
func (s *stoppedList) copy() {
	n, _ := s.mem.ReadMemory(s.head, s.at.at)
	infos, ok := parseInfos(s.head[:n], s.at)
	if !ok || infos.Array == 0 {
		return
	}
	s.infos = infos
	size := imageEntryWords * infos.pointer
	want := int(min(infos.Count, maxImages)) * size
	if want > len(s.array) { // more entries than there is room for
		return
	}
	if n, _ = s.mem.ReadMemory(s.array[:want], infos.Array); n < want {
		return
	}
	s.listed = want / size
	s.showAll(unfamiliar)
	s.showAll(familiar)
}

func (s *stoppedList) showAll(these familiarity) {
	for i := s.listed - 1; i >= 0 && len(s.shown) < cap(s.shown); i-- {
		if e := entryAt(s.array, i, &s.infos); e.load != 0 && !e.stays && s.familiar[e.load] == these {
			s.show(e)
		}
	}
}

// show copies the path and the header of an entry.
func (s *stoppedList) show(e entry) {
	s.shown = s.shown[:len(s.shown)+1]
	x := &s.shown[len(s.shown)-1]
	x.entry = e
	n, _ := s.mem.ReadMemory(x.path, e.path)
	x.path = x.path[:n]
	n, _ = s.mem.ReadMemory(x.header[:firstShown-int(e.load%firstShown)], e.load)
	if want := sizeOfHeader(x.header[:n]); want > n && want <= len(x.header) {
		more, _ := s.mem.ReadMemory(x.header[n:want], e.load+task.Addr(n))
		n += more
	}
	x.header = x.header[:n]
}

// sizeOfHeader returns the size of a header with its load commands, or [math.MaxInt]
// if it is unknown or too large.
func sizeOfHeader(b []byte) int {
	if len(b) < headerBytes {
		return math.MaxInt
	}
	cmds := binary.LittleEndian.Uint32(b[sizeofcmdsAt:])
	if cmds > largestHeader {
		return math.MaxInt
	}
	return headerBytes + int(cmds)
}

// take makes the copied list the current one, and finds its images.
func (r *reading) take(s *stoppedList) {
	s.infos.slideCache(r.process.Memory())
	r.whole, r.sound, r.infos, r.entries = false, true, s.infos, nil
	for i := range s.listed {
		r.entries = append(r.entries, entryAt(s.array, i, &s.infos))
	}
	r.addDyld()
	r.paths.forget()
	for i := range s.shown {
		r.takeShown(&s.shown[i])
	}
	r.acceptFixed(r.readGroup(r.todo()))
}

// takeShown adds an image whose header was copied during the stop.
func (r *reading) takeShown(x *shown) {
	path, ok := x.pathName()
	if !ok || len(x.header) < sizeOfHeader(x.header) {
		delete(r.found, x.entry)
		return
	}
	if im := r.known[key{x.load, path}]; im != nil && im.isIn(x.header) {
		r.found[x.entry] = im
		return
	}
	memory := &steady{mem: r.process.Memory(), list: &r.at, guarded: true}
	memory.copies = []copied{{x.load, x.header}}
	r.accept(map[entry]*image{x.entry: r.readIn(memory, x.entry, path, nil)})
}

// pathName returns the path, "" if the entry has none. It reports false if it was
// unreadable.
func (x *shown) pathName() (string, bool) {
	end := bytes.IndexByte(x.path, 0)
	if x.entry.path == 0 || end < 0 {
		return "", x.entry.path == 0
	}
	return string(x.path[:end]), true
}

// isIn reports whether a known image has this header.
func (im *image) isIn(header []byte) bool {
	if im.file == nil || im.memory == nil || im.memory.spoiled || len(im.errs) > 0 {
		return false
	}
	at, id := im.file.IDOffset(), im.file.ID()
	return at != 0 && uint64(len(header)) >= at+uint64(len(id)) && string(header[at:at+uint64(len(id))]) == string(id)
}
