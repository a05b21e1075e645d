package dyld

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"stacksnap/images/bundle"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

// maxPath is somewhat more than Darwin's PATH_MAX, in bytes.
const maxPath = 4096

// Loader reads which images a process has loaded. The zero Loader tries once and
// opens no files.
type Loader struct {
	// Tries is how often to read a list that dyld is changing; at least once.
	Tries int
	// Pause waits before a retry; try counts from 1. nil: no wait, for a process that
	// is stopped and cannot finish its change.
	Pause func(try int)
	// Open opens the file of an image, for symbols that are not in memory. nil: the
	// target's files are not on this machine.
	Open func(path string, want macho.Want) (*macho.File, error)
	// Bundle returns the bundle of a program by the files beside it; nil if Open is.
	Bundle func(program string) object.Bundle
	// Budget limits the cost of all images together; nil: no limit.
	Budget *object.Budget
}

// Loaded is what a process has loaded.
type Loaded struct {
	Infos  Infos
	Images []object.Placed // in the order of dyld's list, dyld itself last
	Budget *object.Budget  // shared by the images; may be nil
}

// Load reads the images of p once. For a live process it uses a [Tracker]. The errors
// say what is missing; everything readable is returned in any case. An unreadable
// image has its Err set.
func Load(p task.Process) (Loaded, []error) {
	if p.Info().Live {
		l, errs := NewTracker(p).Load()
		return l.Loaded, errs
	}
	return new(Loader).Load(p)
}

// dyld sets the list to null during a change, usually for microseconds. The retries
// take a tenth of a second in all.
const (
	liveTries  = 10
	firstPause = 100 * time.Microsecond // doubled each time
)

// liveLoader returns a Loader for a live process: with a few retries, and with the
// files of this machine on Darwin.
func liveLoader() Loader {
	l := Loader{Tries: liveTries, Pause: func(try int) { time.Sleep(firstPause << (try - 1)) }}
	if runtime.GOOS == "darwin" {
		l.Open, l.Bundle = macho.Open, bundle.Of
	}
	return l
}

// Load reads the images of p. A saved process may have notes of its images
// ([task.Info].SavedImages). Those missing from dyld's list are added, and one whose header was
// not saved is placed by its note, with an ID but no symbols. One error is returned
// for all of these.
func (l *Loader) Load(p task.Process) (Loaded, []error) {
	b := builder{loader: l, process: p, seen: make(map[task.Addr]bool), noted: newNoted(p)}
	infos, entries, err := l.readList(p)
	if err != nil && !(errors.Is(err, errNoList) && len(b.noted.byLoad) > 0) {
		b.errs = append(b.errs, err)
	}
	b.cache = infos.Cache.Base
	for _, e := range entries {
		b.addEntry(e)
	}
	b.addDyld(&infos)
	if len(entries) == 0 {
		b.scanRegions()
	}
	b.addNoted()
	if err := b.noted.err(); err != nil {
		b.errs = append(b.errs, err)
	}
	b.chooseMain()
	return Loaded{Infos: infos, Images: b.images, Budget: l.Budget}, b.errs
}

// builder collects images.
type builder struct {
	loader  *Loader
	process task.Process
	images  []object.Placed
	seen    map[task.Addr]bool
	noted   noted
	cache   task.Addr // start of the shared cache
	errs    []error
}

// addEntry adds an image in the list.
func (b *builder) addEntry(e entry) {
	if e.load == 0 || b.seen[e.load] {
		return
	}
	path, pathErr := task.ReadCString(b.process.Memory(), e.path, maxPath)
	b.add(e.load, path, pathErr)
}

// addDyld adds dyld, which is not in its own list.
func (b *builder) addDyld(infos *Infos) {
	if infos.DyldLoad == 0 || b.seen[infos.DyldLoad] {
		return
	}
	var path string
	if infos.DyldPath != 0 {
		path, _ = task.ReadCString(b.process.Memory(), infos.DyldPath, maxPath) // if unreadable, the header has the path
	}
	b.add(infos.DyldLoad, path, nil)
}

// add reads the image at load and appends it, with an error if there is one.
func (b *builder) add(load task.Addr, path string, pathErr error) {
	b.seen[load] = true
	placed := object.Placed{Path: path, Load: load}
	f, err := macho.FromMemory(b.process.Memory(), load, b.opener(path))
	if err == nil {
		f.SeekDSYM(path)
	}
	if err != nil && b.placeNoted(&placed) {
		b.images = append(b.images, placed)
		return
	}
	if err != nil {
		placed.Err = err
		b.errs = append(b.errs, fmt.Errorf("image %s: %w", imageName(path, load), errors.Join(err, pathErr)))
		b.images = append(b.images, placed)
		return
	}
	f.Limit(b.loader.Budget)
	f.SetSharedCache(b.cache)
	placed.File, placed.Slide, placed.Fixed = f, f.Slide(), f.Type() == macho.Execute
	if at := f.IDOffset(); at != 0 {
		placed.IDAt = load + task.Addr(at)
	}
	if placed.Path == "" {
		placed.Path = b.ownName(f)
	}
	if pathErr != nil {
		b.errs = append(b.errs, fmt.Errorf("path of the image at %v: %w", load, pathErr))
	}
	b.images = append(b.images, placed)
}

func imageName(path string, load task.Addr) string {
	if path == "" {
		return "at " + load.String()
	}
	return path
}

func (b *builder) opener(path string) func(macho.Want) (*macho.File, error) {
	if b.loader.Open == nil || path == "" {
		return nil
	}
	return func(want macho.Want) (*macho.File, error) { return b.loader.Open(path, want) }
}

// ownName returns an image's path as the image itself has it; for a program, the path
// that the process reports.
func (b *builder) ownName(f *macho.File) string {
	if f.Type() == macho.Execute {
		return b.process.Info().Path
	}
	name, _ := f.InstallName()
	return name + f.DylinkerName() // each image has only one of them
}

// chooseMain marks the program: the image of type MH_EXECUTE, at any position. If
// there are several (an executable loaded as a plug-in), it is the one with the
// process's path, else the first.
func (b *builder) chooseMain() {
	main := -1
	for i, im := range b.images {
		f, ok := im.File.(*macho.File)
		if !ok || f.Type() != macho.Execute {
			continue
		}
		if main < 0 || im.Path == b.process.Info().Path && b.images[main].Path != im.Path {
			main = i
		}
	}
	if main < 0 {
		main = b.notedMain()
	}
	if main >= 0 {
		b.images[main].Main = true
		b.describeMain(&b.images[main])
	}
}

// describeMain sets the program's architecture variant, and its bundle by the
// property list beside it or in it.
func (b *builder) describeMain(main *object.Placed) {
	if b.loader.Bundle != nil {
		main.Bundle = b.loader.Bundle(b.process.Info().Path)
	}
	f, ok := main.File.(*macho.File)
	if !ok {
		return
	}
	main.Variant = f.Variant()
	if main.Bundle == (object.Bundle{}) {
		main.Bundle = bundle.In(infoList(f))
	}
}

// infoList returns the property list in a program, nil if it has none.
func infoList(f *macho.File) []byte {
	for _, s := range f.Sections() {
		if s.Segment == "__TEXT" && s.Name == "__info_plist" && s.Size <= bundle.MaxSize {
			list, _ := f.SectionData(s.Segment, s.Name) // nil if there is none
			return list.Data
		}
	}
	return nil
}
