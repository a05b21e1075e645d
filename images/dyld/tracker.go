package dyld

import (
	"time"

	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

const (
	maxGone = 64 // images kept that are not in the list
	// stoppedTries is how often a list is read before the process is stopped for it.
	stoppedTries = 4

	launchPatience = 500 * time.Millisecond // for dyld to begin in a process that was just started
	launchStep     = 5 * time.Millisecond
)

// Tracker reads which images a live process has loaded, again and again. What is
// still there, at the same address, with the same path and ID, is not read
// again, and what has gone is kept for a while: it may come back.
type Tracker struct {
	process task.Process
	loader  Loader
	pause   func(time.Duration)
	stop    func() (resume func() error, err error) // nil: it is not to be stopped
	stood   func(time.Duration)
	loads   int // so far, of which the first is number 1
	known   map[key]*image
	gone    []*image      // of known, that were not in the list last: the latest last
	main    object.Placed // the program, as it was described first
	at      place         // of the list
	paths   pages
}

// key is what an image is known by.
type key struct {
	load task.Addr
	path string
}

// image is an image that was read.
type image struct {
	object.Placed
	listed string // its path in the list
	file   *macho.File
	memory *steady // nil: it is Fixed, or nothing of it could be read
	seen   int     // in how many loads it was listed
	last   int     // the load in which it was listed last
	errs   []error
}

// Listed is what a process has loaded, as a [Tracker] finds it.
type Listed struct {
	Loaded
	// Whole: Images are all those of the generation of Infos, and nothing else was
	// there in it. Otherwise they came and went while they were read: each was
	// there at some time.
	Whole bool
	// Gone are images that were there before and are not in the list now.
	Gone []object.Placed
	// Timestamp is where the time of the list's last change stands; 0: not known.
	Timestamp task.Addr
}

// NewTracker follows the images of a live process.
func NewTracker(p task.Process) *Tracker {
	loader := liveLoader()
	loader.Budget = object.NewBudget(object.MaxKept, object.MaxRead)
	return &Tracker{process: p, loader: loader, pause: time.Sleep, known: map[key]*image{}, paths: pages{mem: p.Memory()}}
}

// StopBy has the process stopped for a moment where its list does not rest for as
// long as it takes to read that, and stood told of how long it was. Without it such
// a process has few images.
func (t *Tracker) StopBy(stop func() (resume func() error, err error), stood func(time.Duration)) {
	t.stop, t.stood = stop, stood
	t.loader.Tries = min(t.loader.Tries, stoppedTries)
}

// Close closes the files of all images that the tracker has given out.
func (t *Tracker) Close() {
	for _, im := range t.known {
		im.close()
	}
	clear(t.known)
}

func (im *image) close() {
	if im.file != nil {
		_ = im.file.Close() // it was only read
	}
}

// Load reads the list, and those of its images that are not known. The errors say
// what is missing.
func (t *Tracker) Load() (Listed, []error) {
	t.loads++
	t.paths.forget()
	r := reading{Tracker: t, whole: true, found: map[entry]*image{}}
	r.readList()
	r.readImages()
	if r.stop != nil && r.gaveUp() {
		r.readStanding()
	}
	return r.listed(), r.errs
}

// Spoiled reports whether something of an image that a [Tracker] gave out could not
// be read, because it had gone, or nobody can tell whether it had.
func Spoiled(p *object.Placed) bool {
	m, ok := p.Code.(*steady)
	return ok && m.spoiled
}

// NoteRestless notes that an image was seen not to be where it was listed.
func NoteRestless(p *object.Placed) {
	if m, ok := p.Code.(*steady); ok {
		m.restless = true
	}
}

// forget drops those that have been gone for longest.
func (t *Tracker) forget() {
	for len(t.gone) > maxGone {
		im := t.gone[0]
		im.close()
		delete(t.known, key{im.Load, im.listed})
		t.gone = t.gone[1:]
	}
}
