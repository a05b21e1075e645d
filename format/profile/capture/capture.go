// Package capture turns a process into a profile: it takes snapshots, walks the
// stacks that they copied, and stops the process again, for longer copies, where
// a stack went on beyond the first.
package capture

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

const (
	maxStops   = 5 // of one snapshot, until every stack is copied
	limitSteps = 8 // by what factor a copy that was too short grows
)

// OneShot takes one snapshot of every thread at one instant. On an error the
// profile has what was captured before it; it is nil when nothing was.
func OneShot(p task.Process, tool string) (*profile.Profile, error) {
	s := newSession(p, tool)
	if err := s.take(); err != nil {
		if len(s.snapshot.Threads) == 0 {
			return nil, err
		}
		s.add()
		return s.builder.Profile(), err
	}
	s.findWaits(nil)
	s.add()
	return s.builder.Profile(), nil
}

// session is what is kept of one process from one stop to the next.
type session struct {
	process  task.Process
	builder  *profile.Builder
	unwinder *unwind.Unwinder
	images   *images.Map
	layout   layout
	snapshot task.Snapshot
	stacks   []profile.Stack
}

func newSession(p task.Process, tool string) *session {
	s := &session{process: p, builder: profile.NewBuilder(p.Info(), tool)}
	s.snapshot.Want = map[task.ThreadID][]task.Addr{}
	s.load(readLayout(p))
	return s
}

// load finds the images. It is done before the first stop too, so that there
// are names even if the target does not live to tell them afterwards.
func (s *session) load(l layout) {
	m, errs := images.Load(s.process)
	for _, err := range errs {
		s.builder.Note(err.Error())
	}
	s.images, s.layout = m, l
	s.unwinder = unwind.New(unwind.Options{
		CodeMask:   s.process.Info().CodeMask,
		Executable: l.executable,
	})
	nameQueues(s.process, m)
}

// take stops the target until every stack is copied to its end. A repetition
// that fails leaves what the stop before it gave.
func (s *session) take() error {
	if err := task.Take(s.process, &s.snapshot); err != nil {
		s.walk()
		return err
	}
	s.refresh()
	for stop := 1; s.walk() && stop < maxStops; stop++ {
		longer := task.Snapshot{Limit: s.snapshot.Limit, Want: s.snapshot.Want}
		err := task.Take(s.process, &longer)
		if err != nil || len(longer.Threads) == 0 {
			return err
		}
		s.builder.CountStop(s.snapshot.Stopped)
		s.snapshot = longer
	}
	return nil
}

// refresh loads the images anew if code was mapped or unmapped since.
func (s *session) refresh() {
	if l := readLayout(s.process); l.stamp != 0 && l.stamp != s.layout.stamp {
		s.load(l)
	}
}

// walk walks every stack, and tells whether another stop would copy more of one:
// Limit and Want then say what.
func (s *session) walk() (again bool) {
	s.stacks = s.stacks[:0]
	for i := range s.snapshot.Threads {
		t := &s.snapshot.Threads[i]
		frames, stop := s.unwinder.Walk(nil, t, s.images, s.process.Memory())
		s.stacks = append(s.stacks, profile.Stack{Frames: frames, Stop: stop})
		if stop.Reason == unwind.NotCaptured && s.ask(t, stop.Need) {
			again = true
		}
	}
	return again
}

// ask notes that the word at need was missed. It tells whether that can be
// helped.
func (s *session) ask(t *task.Thread, need task.Addr) bool {
	for i := range t.Stacks {
		if st := &t.Stacks[i]; st.Truncated() && need >= st.End() && need < st.Top {
			if s.snapshot.Limit >= task.MaxStackLimit {
				return false
			}
			s.snapshot.Limit = min(s.snapshot.Limit*limitSteps, task.MaxStackLimit)
			return true
		}
	}
	wants := s.snapshot.Want[t.ID]
	for _, a := range wants {
		if need >= a && need < a+task.Addr(s.snapshot.Limit) {
			return false // it was asked for, and could not be had
		}
	}
	s.snapshot.Want[t.ID] = append(wants, need)
	return true
}

// findWaits asks what each thread waits for, or each of which that is wanted,
// while the target runs on.
func (s *session) findWaits(wanted func(*task.Thread) bool) {
	finder := waits.New(s.process, s.images, s.snapshot.Threads)
	for i := range s.stacks {
		if t := &s.snapshot.Threads[i]; wanted == nil || wanted(t) {
			s.stacks[i].Wait = finder.Find(t, s.stacks[i].Frames)
		}
	}
}

// add puts the snapshot and its stacks into the profile.
func (s *session) add() { s.builder.Add(&s.snapshot, s.stacks, s.images) }

// queueLabeler is a process whose threads work for dispatch queues.
type queueLabeler interface{ SetQueueOffsets(task.Addr) error }

// dataSymbols is a file that can look for a variable.
type dataSymbols interface {
	DataSymbol(name string) (vmaddr uint64, ok bool)
}

// nameQueues tells the process where libdispatch describes its queues. Without
// it the queues have no names.
func nameQueues(p task.Process, m *images.Map) {
	q, ok := p.(queueLabeler)
	if !ok {
		return
	}
	for _, im := range m.Images {
		if f, ok := im.File.(dataSymbols); ok && im.Name() == "libdispatch.dylib" {
			if vmaddr, ok := f.DataSymbol("_dispatch_queue_offsets"); ok {
				_ = q.SetQueueOffsets(im.Addr(vmaddr)) // a library that is not understood costs the names only
			}
		}
	}
}
