package dyld

import (
	"errors"
	"fmt"
	"slices"

	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

// How often one Load reads a list that keeps changing: if the process can be stopped,
// and if not.
const (
	maxChanges     = 8
	maxChangesOnly = 256
)

// reading is one Load of a Tracker.
type reading struct {
	*Tracker
	infos   Infos
	entries []entry
	sound   bool // entries are consistent
	whole   bool // the list has not changed since it was first read
	found   map[entry]*image
	room    uint32 // entries that the last stop would have needed room for
	errs    []error
}

func (r *reading) fail(err error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

// readList reads the list. On the first Load it waits for a process that was just
// started.
func (r *reading) readList() {
	var err error
	r.infos, r.entries, err = r.loader.readList(r.process)
	for waited := launchStep; r.loads == 1 && waited <= launchPatience && errors.Is(err, errNotBegun); waited += launchStep {
		r.pause(launchStep)
		r.infos, r.entries, err = r.loader.readList(r.process)
	}
	r.fail(err)
	// A list that stays null belongs to a process that was stopped while dyld changed
	// it, or before dyld ran. Nothing more can be read.
	r.sound = err == nil || errors.Is(err, errTooMany)
	r.whole = r.sound || r.infos.Array == 0
	r.addDyld()
}

// addDyld adds dyld, which is not in its own list.
func (r *reading) addDyld() {
	r.at = place{r.infos.At, r.infos.pointer}
	if r.infos.DyldLoad != 0 {
		r.entries = append(r.entries, entry{r.infos.DyldLoad, r.infos.DyldPath, true})
	}
}

// readImages reads the images of the entries, as many at a time as can be read
// without a change of the list.
func (r *reading) readImages() {
	group := len(r.entries)
	for changes := 0; ; {
		todo := r.todo()
		if len(todo) == 0 {
			return
		}
		if changes == r.maxChanges() {
			r.fail(fmt.Errorf("%d images: %w", len(todo), errMoving))
			return
		}
		fresh := r.readGroup(todo[:max(1, min(group, len(todo)))])
		if r.unchanged() {
			r.accept(fresh)
			group *= 2
			continue
		}
		changes++
		r.acceptFixed(fresh)
		group = max(1, min(group, len(todo))/2)
		if !r.readAgain() {
			r.fail(errChanging)
			return
		}
	}
}

func (r *reading) maxChanges() int {
	if r.stop == nil {
		return maxChangesOnly
	}
	return maxChanges
}

// todo returns the entries whose image is not found yet; of several at one address,
// the first.
func (r *reading) todo() (todo []entry) {
	seen := map[task.Addr]bool{}
	for _, e := range r.entries {
		if e.load == 0 || seen[e.load] {
			continue
		}
		seen[e.load] = true
		if r.found[e] == nil {
			todo = append(todo, e)
		}
	}
	return todo
}

// unchanged reports whether the list still has the same generation.
func (r *reading) unchanged() bool {
	infos, err := infosOf(r.process)
	return err == nil && infos.Generation() == r.infos.Generation()
}

// readAgain reads the list after a change. It reports false if it is unreadable.
func (r *reading) readAgain() bool {
	r.whole = false
	r.paths.forget()
	var err error
	r.infos, r.entries, err = r.loader.readList(r.process)
	r.sound = err == nil || errors.Is(err, errTooMany)
	r.addDyld()
	return r.sound
}

// readGroup reuses the known images of some entries and reads the others.
func (r *reading) readGroup(group []entry) (fresh map[entry]*image) {
	fresh = map[entry]*image{}
	for _, e := range group {
		path, err := "", error(nil)
		if e.path != 0 {
			path, err = task.ReadCString(&r.paths, e.path, maxPath)
		}
		if im := r.known[key{e.load, path}]; im != nil && err == nil && im.isCurrent() {
			r.found[e] = im
			continue
		}
		fresh[e] = r.read(e, path, err)
	}
	return fresh
}

// isCurrent reports whether a known image still is the one that was read. Its path
// was compared before. Fixed images are always current, because they never go away.
func (im *image) isCurrent() bool {
	switch {
	case im.file == nil || len(im.errs) > 0:
		return false
	case im.Fixed:
		return true
	}
	return im.IDAt != 0 && !im.memory.spoiled && im.memory.isThere()
}

// accept adds images that were read without a change of the list to the known ones.
// If the list has changed before, it also reads their contents now, while the images
// are there.
func (r *reading) accept(fresh map[entry]*image) {
	for e, im := range fresh {
		k := key{im.Load, im.listed}
		if old := r.known[k]; old != nil {
			r.replaced(old)
		}
		r.known[k], r.found[e] = im, im
		if im.memory != nil && (r.loads > 1 || !r.whole) {
			im.memory.keep()
		}
	}
}

// acceptFixed adds only the fixed images among those read while the list changed:
// nothing else can have been at their addresses.
func (r *reading) acceptFixed(fresh map[entry]*image) {
	for e, im := range fresh {
		if r.sound && im.Fixed && len(im.errs) == 0 {
			r.accept(map[entry]*image{e: im})
		} else {
			im.close()
		}
	}
}

// replaced closes an image that another image has replaced, and forgets it.
func (r *reading) replaced(old *image) {
	old.close()
	r.gone = slices.DeleteFunc(r.gone, func(im *image) bool { return im == old })
}

// read reads the image of an entry.
func (r *reading) read(e entry, path string, pathErr error) *image {
	return r.readIn(&steady{mem: r.process.Memory(), list: &r.at}, e, path, pathErr)
}

// readIn reads the image of an entry through memory.
func (r *reading) readIn(memory *steady, e entry, path string, pathErr error) *image {
	im := &image{Placed: object.Placed{Path: path, Load: e.load}, listed: path}
	b := builder{loader: &r.loader, process: r.process}
	f, err := macho.FromMemory(memory, e.load, b.opener(path))
	if err == nil {
		f.SeekDSYM(path)
	}
	if err != nil {
		im.Err = err
		im.errs = []error{fmt.Errorf("image %s: %w", imageName(path, e.load), errors.Join(err, pathErr))}
		return im
	}
	f.Limit(r.loader.Budget)
	f.SetSharedCache(r.infos.Cache.Base)
	im.file, im.File, im.Slide = f, f, f.Slide()
	if im.Path == "" {
		im.Path = b.ownName(f)
	}
	if pathErr != nil && e.load != r.infos.DyldLoad { // if unreadable, the header has the path
		im.errs = []error{fmt.Errorf("path of the image at %v: %w", e.load, pathErr)}
	}
	if at := f.IDOffset(); at != 0 {
		im.IDAt = e.load + task.Addr(at)
	}
	if im.Fixed = r.isFixed(f, e); !im.Fixed {
		memory.idAt, memory.id, memory.image = im.IDAt, f.ID(), f
		im.memory, im.Code = memory, memory
	}
	memory.guarded = !im.Fixed
	return im
}

// isFixed reports whether an image is never unloaded: dyld says so, it is in the
// shared cache, or it is the program itself. Another executable can be loaded later
// as a plug-in, and is not fixed.
func (r *reading) isFixed(f *macho.File, e entry) bool {
	return e.stays || f.InSharedCache() || f.Type() == macho.Execute && (r.main.File == nil || r.main.Load == e.load)
}

// listed returns the result of a Load.
func (r *reading) listed() Listed {
	b := builder{loader: &r.loader, process: r.process, seen: map[task.Addr]bool{}}
	for _, e := range r.entries {
		im := r.found[e]
		if im == nil || b.seen[e.load] {
			continue
		}
		b.seen[e.load] = true
		r.errs = append(r.errs, im.errs...)
		r.note(im)
		b.images = append(b.images, im.Placed)
	}
	if len(r.entries) == 0 && r.loads == 1 {
		b.scanRegions()
		r.errs = append(r.errs, b.errs...)
	}
	r.chooseMain(&b)
	l := Listed{Loaded: Loaded{r.infos, b.images, r.loader.Budget}, Whole: r.whole && len(b.images) > 0}
	if r.infos.Version >= fTimestamp.since {
		l.Timestamp = timestampAddress(r.infos.At, r.at.pointer)
	}
	l.Gone = r.missing()
	return l
}

// chooseMain marks the program, and describes it the first time.
func (r *reading) chooseMain(b *builder) {
	loader := r.loader
	if r.main.File != nil {
		loader.Bundle = nil
	}
	b.loader = &loader
	b.chooseMain()
	i := slices.IndexFunc(b.images, func(p object.Placed) bool { return p.Main })
	switch {
	case i < 0:
	case r.main.File != nil && r.main.File == b.images[i].File:
		b.images[i].Bundle = r.main.Bundle
	case r.main.File == nil:
		r.main = b.images[i]
	}
}

// note records that an image is in the list. The contents of one that was missing
// from any Load are read ahead.
func (r *reading) note(im *image) {
	im.seen++
	im.last = r.loads
	m := im.memory
	if m == nil {
		return
	}
	m.churning = m.churning || im.seen != r.loads
	m.settled = r.loads > 1
	if m.churning && !m.kept {
		m.keep()
	}
}

// missing returns the known images that are not in the list now.
func (r *reading) missing() (gone []object.Placed) {
	r.gone = slices.DeleteFunc(r.gone, func(im *image) bool { return im.last == r.loads })
	for k, im := range r.known {
		switch {
		case im.last == r.loads:
		case im.memory == nil || im.memory.spoiled:
			im.close()
			delete(r.known, k)
		case !slices.Contains(r.gone, im):
			im.memory.churning = true
			r.gone = append(r.gone, im)
		}
	}
	r.gone = slices.DeleteFunc(r.gone, func(im *image) bool { return im.memory.spoiled })
	r.forget()
	for _, im := range r.gone {
		gone = append(gone, im.Placed)
	}
	return gone
}
