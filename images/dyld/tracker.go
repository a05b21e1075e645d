package dyld

import (
	"time"

	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

const (
	maxGone = 64 // images kept that are no longer in the list
	// stoppedTries is how often a list is read before the process is stopped for it.
	stoppedTries = 4

	launchPatience = 500 * time.Millisecond // how long to wait for dyld to start in a new process
	launchStep     = 5 * time.Millisecond
)

// Tracker reads repeatedly which images a live process has loaded. An image that is
// still at the same address with the same path and ID is not read again. One that is
// gone is kept for a while, because it may come back.
type Tracker struct {
	process task.Process
	loader  Loader
	pause   func(time.Duration)
	stop    func() (resume func() error, err error) // nil: the process must not be stopped
	stopped func(time.Duration)
	loads   int // number of Loads so far
	known   map[key]*image
	gone    []*image      // the known images missing from the last list, the latest last
	main    object.Placed // the program, as first described
	at      place         // where the list is
	paths   pages
}

// key identifies a known image.
type key struct {
	load task.Addr
	path string
}

// image is an image that was read.
type image struct {
	object.Placed
	listed string // path in the list
	file   *macho.File
	memory *steady // nil: it is Fixed, or unreadable
	seen   int     // number of Loads in which it was listed
	last   int     // number of the last Load in which it was listed
	errs   []error
}

// Listed is the result of a [Tracker]'s Load.
type Listed struct {
	Loaded
	// Whole: Images are exactly those of the generation in Infos. Otherwise the list
	// changed during the reading, and each image was there at some time.
	Whole bool
	// Gone are images that were in the list before and are not now.
	Gone []object.Placed
	// Timestamp is the address of the time of the list's last change; 0: not known.
	Timestamp task.Addr
}

// NewTracker returns a Tracker for a live process.
func NewTracker(p task.Process) *Tracker {
	loader := liveLoader()
	loader.Budget = object.NewBudget(object.MaxKept, object.MaxRead)
	return &Tracker{process: p, loader: loader, pause: time.Sleep, known: map[key]*image{}, paths: pages{mem: p.Memory()}}
}

// StopBy lets Load stop the process briefly if its list keeps changing. stopped is
// called with the duration of each stop. Without it, images of such a process may be
// missing.
func (t *Tracker) StopBy(stop func() (resume func() error, err error), stopped func(time.Duration)) {
	t.stop, t.stopped = stop, stopped
	t.loader.Tries = min(t.loader.Tries, stoppedTries)
}

// Close closes the files of all images that the Tracker has returned.
func (t *Tracker) Close() {
	for _, im := range t.known {
		im.close()
	}
	clear(t.known)
}

func (im *image) close() {
	if im.file != nil {
		_ = im.file.Close() // read-only
	}
}

// Load reads the list, and the images in it that are not known. The errors say what
// is missing.
func (t *Tracker) Load() (Listed, []error) {
	t.loads++
	t.paths.forget()
	r := reading{Tracker: t, whole: true, found: map[entry]*image{}}
	r.readList()
	r.readImages()
	if r.stop != nil && r.gaveUp() {
		r.readStopped()
	}
	return r.listed(), r.errs
}

// Spoiled reports whether a read of an image that a [Tracker] returned has failed
// because the image was gone, or possibly gone.
func Spoiled(p *object.Placed) bool {
	m, ok := p.Code.(*steady)
	return ok && m.spoiled
}

// NoteChurning records that an image was not where the list has it.
func NoteChurning(p *object.Placed) {
	if m, ok := p.Code.(*steady); ok {
		m.churning = true
	}
}

// forget closes the images that have been gone longest.
func (t *Tracker) forget() {
	for len(t.gone) > maxGone {
		im := t.gone[0]
		im.close()
		delete(t.known, key{im.Load, im.listed})
		t.gone = t.gone[1:]
	}
}
