// Package capture turns a process into a profile: it takes snapshots, walks the
// stacks that they copied, and stops the process again, for longer copies, where
// a stack went on beyond the first.
package capture

import (
	"errors"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

const (
	maxStops   = 5 // of one snapshot, until every stack is copied
	limitSteps = 8 // by what factor a copy that was too short grows
)

// OneShot takes one snapshot of every thread at one instant, and keeps those that
// are wanted; of the options, those about sampling do not matter. On an error the profile has what was
// captured before it; it is nil when nothing was.
func OneShot(p task.Process, o Options) (*profile.Profile, error) {
	wanted, err := o.Threads.filter(p)
	if err != nil {
		return nil, err
	}
	s, err := newSession(p, o)
	if err != nil {
		return nil, err
	}
	takeErr := s.take()
	if takeErr != nil && len(s.snapshot.Threads) == 0 {
		return nil, errors.Join(takeErr, s.saving.close(recording.End{}))
	}
	if takeErr == nil {
		s.findWaits(wanted) // any thread may own what a wanted one waits for
	}
	s.stacks = keep(&s.snapshot, s.stacks, wanted)
	err = errors.Join(takeErr, s.add(), s.saving.close(recording.End{}))
	return s.builder.Profile(), err
}

// session is what is kept of one process from one stop to the next.
type session struct {
	process  task.Process
	options  Options
	builder  *profile.Builder
	unwinder *unwind.Unwinder
	loaded   *images.Map // as it was found
	images   *images.Map // loaded, as it is walked in
	layout   layout
	snapshot task.Snapshot
	stacks   []profile.Stack
	looks    []profile.Look // at threads of the snapshot
	saving   *saving
}

func newSession(p task.Process, o Options) (*session, error) {
	s := &session{process: p, options: o, builder: profile.NewBuilder(p.Info(), o.Tool)}
	s.snapshot.Want = map[task.ThreadID][]task.Addr{}
	var err error
	if s.saving, err = newSaving(p, o.Save, o.Tool, 0); err != nil {
		return nil, err
	}
	noteProblems(p, s.note)
	s.load(readLayout(p))
	return s, nil
}

// note tells a reader of the report, and of the recording, a line.
func (s *session) note(line string) {
	s.builder.Note(line)
	s.saving.note(line)
}

// problems is a saved process of which something may be wrong.
type problems interface{ Problems() []error }

func noteProblems(p task.Process, note func(string)) {
	if saved, ok := p.(problems); ok {
		for _, err := range saved.Problems() {
			note(err.Error())
		}
	}
}

// load finds the images. It is done before the first stop too, so that there
// are names even if the target does not live to tell them afterwards.
func (s *session) load(l layout) {
	m, errs := images.LoadSaved(s.process, s.options.Binaries)
	for _, err := range errs {
		s.note(err.Error())
	}
	nameQueues(s.process, m)
	if s.loaded != nil {
		_ = s.loaded.Close() // of those that were mapped before, nothing is asked any more
	}
	s.loaded, s.layout = m, l
	s.place()
}

// place makes what is walked with: anew for each recording, for it is to be told
// all that is asked, and an unwinder does not ask again for what it remembers.
func (s *session) place() {
	s.images = s.saving.place(s.loaded, s.layout)
	s.unwinder = unwind.New(unwind.Options{
		CodeMask:   s.process.Info().CodeMask,
		Executable: s.layout.executable,
	})
}

// take stops the target until every stack is copied to its end. A repetition
// that fails leaves what the stop before it gave.
func (s *session) take() error {
	s.looks = s.looks[:0]
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
		s.saving.stopped(s.snapshot.Stopped)
		keepFacts(&longer, &s.snapshot)
		s.snapshot = longer
	}
	return nil
}

// keepFacts takes over what the threads did before the first stop: after it they
// are still busy with having been stopped.
func keepFacts(s, before *task.Snapshot) {
	for i := range s.Threads {
		t := &s.Threads[i]
		j := slices.IndexFunc(before.Threads, func(b task.Thread) bool { return b.ID == t.ID })
		if j < 0 {
			continue
		}
		b := &before.Threads[j]
		t.State, t.User, t.System = b.State, b.User, b.System
	}
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
		frames, stop := s.unwinder.Walk(nil, t, s.images, s.saving.memory(s.process))
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
			s.looks = append(s.looks, profile.Look{Thread: t.ID, Wait: finder.Find(t, s.stacks[i].Frames)})
		}
	}
}

// add puts the snapshot and its stacks into the profile, and the recording.
func (s *session) add() error {
	s.builder.Add(&s.snapshot, s.stacks, s.images)
	s.builder.Look(s.looks, true)
	return s.saving.add(&s.snapshot, s.stacks, s.images, s.looks, true)
}

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
