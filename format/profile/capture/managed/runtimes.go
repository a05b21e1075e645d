package managed

import (
	"maps"
	"time"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/runtimes"
	"stacksnap/unwind/runtimes/cpython"
	"stacksnap/unwind/runtimes/golang"
)

// Runtimes are those of a process that is captured. The zero value has none and finds none.
type Runtimes struct {
	find   func(*images.Image, task.Memory) (runtimes.Instance, error)
	memory task.Memory
	waits  task.WaitReader // the process's; may be nil
	os     task.OS
	note   func(string)
	all    bool // native frames of interpreters are kept

	seen  map[place]bool // images that were searched
	found []found
	in    *images.Map // that was searched last
	kinds kinds

	threads numbers
	chains  map[task.ThreadID][]task.Chain
	read    time.Time     // when the chains were
	cost    time.Duration // of reading them
	noted   time.Time     // when the locks were
	stale   bool          // a thread had no chain, or that of another

	locks [][]runtimes.Lock // of each runtime, before the last stop

	names   map[task.ThreadID]string // that the runtimes have for threads
	unnamed bool                     // names are to be read

	goes map[place]goRuntime // Go's runtime in images that were searched
	ran  map[task.ThreadID]task.Goroutine

	saved    bool // the process does not run on
	onStacks []golang.OnStacks

	only    runtimes.Condition
	onlyErr error

	then, now []byte // of a stack, to be compared

	kept  keptStacks
	apart int   // stacks whose managed frames are not shown
	last  error // why, of the last of these
}

// found is a runtime with the image that it is in.
type found struct {
	runtimes.Instance
	name string // that it returns
	at   place
}

// place identifies an image.
type place struct {
	path string
	load task.Addr
}

// New returns the runtimes of a process. With all, Join keeps the native frames of
// interpreters. Files has what the process's own memory lacks: that of a core, for example. Note
// takes a line for the reader.
func New(p task.Process, files task.Memory, all bool, note func(string)) *Runtimes {
	return &Runtimes{
		find: find, memory: eitherMemory{p.Memory(), files}, waits: p.Capabilities().Waits, os: p.Info().OS, saved: !p.Info().Live, note: note, all: all,
		threads: numbers{handle: p.Capabilities().ThreadHandle},
		seen:    map[place]bool{}, goes: map[place]goRuntime{}, ran: map[task.ThreadID]task.Goroutine{},
	}
}

// find returns the runtime of an image, nil if there is none.
func find(im *images.Image, m task.Memory) (runtimes.Instance, error) {
	p, err := cpython.Find(im, m)
	if p == nil {
		return nil, err
	}
	return python{p}, err
}

// python is a CPython as an instance of any runtime.
type python struct{ *cpython.Instance }

func (p python) Name() string { return "CPython " + p.Version() }

// search searches the images that are new in m.
func (r *Runtimes) search(m *images.Map) {
	if m == r.in || m == nil {
		return
	}
	r.in = m
	r.kinds = kinds{}
	for _, im := range m.Images {
		at := place{im.Path, im.Load}
		if r.seen[at] {
			continue
		}
		r.seen[at] = true
		instance, err := r.find(im, r.memory)
		switch {
		case err != nil:
			r.note(err.Error() + "; its native frames are shown")
		case instance != nil:
			r.found = append(r.found, found{instance, instance.Name(), at})
		default:
			if g, err := r.Go(im); err == nil {
				r.found = append(r.found, found{g, g.Name(), at})
			}
		}
	}
}

// The pauses between two readings of the chains in a sampling.
const (
	leastPause = 10 * time.Millisecond
	pauseRatio = 20 // of the time that reading them takes
)

// Found searches the images that are new, and reports whether there is a runtime.
func (r *Runtimes) Found(m *images.Map) bool {
	if r != nil {
		r.search(m)
	}
	return r.Any()
}

// Any reports whether a runtime was found.
func (r *Runtimes) Any() bool { return r != nil && len(r.found) > 0 }

// Chains returns what to copy of each thread in the next stop. It reads the memory of a process
// that runs, and not each time, unless fresh is set.
func (r *Runtimes) Chains(threads func() ([]task.ThreadID, error), fresh bool) map[task.ThreadID][]task.Chain {
	pause := max(leastPause, pauseRatio*r.cost)
	if fresh || r.chains == nil || r.stale && time.Since(r.read) > pause {
		ids, err := threads()
		if err != nil {
			return nil
		}
		r.readChains(ids)
	}
	if fresh || time.Since(r.noted) > leastPause {
		r.noteLocks()
		r.noted = time.Now()
	}
	return r.chains
}

func (r *Runtimes) readChains(ids []task.ThreadID) {
	began := time.Now()
	r.stale, r.chains = false, map[task.ThreadID][]task.Chain{}
	r.threads.use(ids, r.waits)
	for i := range r.found {
		chains, err := r.found[i].Chains(r.memory, r.byHandle)
		if err != nil {
			r.note(err.Error() + "; " + notRead(r.found[i].Instance))
		}
		for own, c := range chains {
			if id, ok := r.threads.outer(own); ok {
				c.Runtime = i
				r.chains[id] = append(r.chains[id], c)
				r.unnamed = r.unnamed || r.names[id] == ""
			}
		}
		r.addEvidence(i)
	}
	r.kept.forgetEnded(&r.threads)
	maps.DeleteFunc(r.ran, func(id task.ThreadID, _ task.Goroutine) bool { return !r.threads.has(id) })
	maps.DeleteFunc(r.names, func(id task.ThreadID, _ string) bool { return !r.threads.has(id) })
	r.read = time.Now()
	r.cost = r.read.Sub(began)
}

// notRead returns what follows where the threads of a runtime cannot be read.
func notRead(in runtimes.Instance) string {
	if _, ok := in.(runtimes.Scheduler); ok {
		return "which goroutines its threads run is not shown"
	}
	return "its native frames are shown"
}

// eitherMemory is memory that is read from another where it cannot be read.
type eitherMemory struct{ memory, other task.Memory }

// ReadMemory implements [task.Memory].
func (e eitherMemory) ReadMemory(p []byte, a task.Addr) (int, error) {
	n, err := e.memory.ReadMemory(p, a)
	if n == len(p) || e.other == nil {
		return n, err
	}
	more, err := e.other.ReadMemory(p[n:], a+task.Addr(n))
	return n + more, err
}
