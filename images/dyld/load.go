package dyld

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

// maxPath is PATH_MAX of Darwin with room to spare.
const maxPath = 4096

// Loader reads which images a process has loaded. The zero Loader tries once
// and looks at no file.
type Loader struct {
	// Tries is how often a list is read that dyld is changing; at least once.
	Tries int
	// Pause waits between two tries; nil: not at all. A process that stands cannot
	// finish its change.
	Pause func()
	// Open opens the file of an image, for the symbols that memory does not have.
	// Nil: the target's files are not those of this machine.
	Open func(path string, want macho.Want) (*macho.File, error)
}

// Loaded is what a process has loaded.
type Loaded struct {
	Infos  Infos
	Images []object.Placed // as dyld lists them, dyld itself last
}

// Load reads the images of p with a Loader for a live process: a few short
// retries, and the files of this machine if p runs on it. The errors say what is
// missing; what could be read is returned in any case. An image of which
// nothing could be read is there with its Err.
func Load(p task.Process) ([]object.Placed, []error) {
	l := Loader{}
	if p.Info().Live {
		l.Tries, l.Pause = 5, func() { time.Sleep(20 * time.Millisecond) }
		if runtime.GOOS == "darwin" {
			l.Open = macho.Open
		}
	}
	loaded, errs := l.Load(p)
	return loaded.Images, errs
}

// Load reads the images of p. A saved process may note images of its own
// ([task.Noter]): those that dyld's list lacks are added, and one whose header
// was not saved is placed by its note, with an ID and no symbols. One error
// tells of all of these.
func (l *Loader) Load(p task.Process) (Loaded, []error) {
	b := builder{loader: l, process: p, seen: make(map[task.Addr]bool), noted: newNoted(p)}
	infos, entries, err := l.readList(p)
	if err != nil && !(errors.Is(err, errNoList) && len(b.noted.byLoad) > 0) {
		b.errs = append(b.errs, err)
	}
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
	return Loaded{Infos: infos, Images: b.images}, b.errs
}

// builder gathers images.
type builder struct {
	loader  *Loader
	process task.Process
	images  []object.Placed
	seen    map[task.Addr]bool
	noted   noted
	errs    []error
}

// addEntry adds an image of the list.
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
		path, _ = task.ReadCString(b.process.Memory(), infos.DyldPath, maxPath) // or its header knows
	}
	b.add(infos.DyldLoad, path, nil)
}

// add reads the image at load and appends it, with an error if there is one.
func (b *builder) add(load task.Addr, path string, pathErr error) {
	b.seen[load] = true
	placed := object.Placed{Path: path, Load: load}
	f, err := macho.FromMemory(b.process.Memory(), load, b.opener(path))
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
	placed.File, placed.Slide = f, f.Slide()
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

// ownName returns the path by which an image without one goes.
func (b *builder) ownName(f *macho.File) string {
	if f.Type() == macho.Execute {
		return b.process.Info().Path
	}
	name, _ := f.InstallName()
	return name + f.DylinkerName() // it has one or the other
}

// chooseMain marks the program: the image of type MH_EXECUTE, wherever it
// stands. Of several (an executable that was loaded as a plug-in) the one of the
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
	}
}
