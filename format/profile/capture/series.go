package capture

import (
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/goroutines"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// Series takes one snapshot at each call of Take, into one profile after another.
type Series struct {
	shot  *shot
	taken int // snapshots since Begin
	saved saved
}

// NewSeries reads what can be read before the first snapshot. It uses only the options Tool,
// Binaries, Native and NoRuntimes.
func NewSeries(p task.Process, o Options) (*Series, error) {
	s := &Series{shot: &shot{pid: p.Info().PID}}
	if err := s.shot.begin(p, Options{Tool: o.Tool, Binaries: o.Binaries, Native: o.Native, NoRuntimes: o.NoRuntimes}); err != nil {
		return nil, err
	}
	return s, nil
}

// Begin starts a new profile, which is not saved unless Save is called.
func (s *Series) Begin() {
	s.DropSaved()
	s.taken = 0
	s.shot.builder = profile.NewBuilder(s.shot.process.Info(), s.shot.options.Tool)
}

// Note adds a line for readers of the profile and of its recording.
func (s *Series) Note(line string) { s.shot.note(line) }

// Take adds one snapshot of all threads. Once the target runs again, it finds out what the
// threads wait for which wanted selects (nil: all). That takes some time. On an error, what this
// call had captured is added. A failure to save is returned by EndSaved.
func (s *Series) Take(wanted func(*task.Thread) bool) error {
	s.shot.wanted, s.shot.err = wanted, nil
	s.taken++
	captureAll([]*shot{s.shot})
	if s.shot.err == nil || len(s.shot.snapshot.Threads) > 0 {
		s.countSaved(s.shot.add())
	}
	return s.shot.err
}

// AddTasks adds the tasks that no thread runs. It is called once, after the last snapshot. The
// target runs meanwhile.
func (s *Series) AddTasks() {
	s.shot.target.addTasks(&goroutines.Source{Snapshot: s.taken == 1, Threads: s.shot.snapshot.Threads, Stacks: s.shot.stacks})
}

// Thread returns a thread of the last snapshot and its stack.
func (s *Series) Thread(id task.ThreadID) (*task.Thread, *profile.Stack, bool) {
	threads := s.shot.snapshot.Threads
	i := slices.IndexFunc(threads, func(t task.Thread) bool { return t.ID == id })
	if i < 0 || i >= len(s.shot.stacks) {
		return nil, nil, false
	}
	return &threads[i], &s.shot.stacks[i], true
}

// Wait returns what a thread of the last snapshot waits for, nil when it does not wait. known is
// false if that was not examined, or if the thread had not yet returned to where it was stopped.
func (s *Series) Wait(id task.ThreadID) (w *profile.Wait, known bool) {
	for _, l := range s.shot.looks {
		if l.Thread == id {
			return l.Wait, true
		}
	}
	return nil, false
}

// Innermost returns the name of a stack's innermost function. If that has none, it returns the
// name of the image or, for code of no image, such as generated code, the region: the single
// addresses would mean nothing.
func (s *Series) Innermost(st *profile.Stack) string {
	if len(st.Frames) == 0 {
		return ""
	}
	f := st.Frames[0]
	loc := s.shot.tracker.images.Locate(f.PC, f.Return)
	switch {
	case loc.Function != "":
		return loc.Function
	case loc.Image != nil:
		return loc.Image.Name()
	}
	n := profile.Node{PC: f.PC}
	return "code of no file, near " + n.Area().String()
}

// Images returns the images that the target had loaded when that was last read.
func (s *Series) Images() *images.Map { return s.shot.tracker.images }

// Stopped returns how long the target has been stopped in all since Begin.
func (s *Series) Stopped() time.Duration { return s.shot.builder.Stopped() }

// Deadlocks returns those found since Begin. It does not need the names and source lines that
// Profile adds.
func (s *Series) Deadlocks() []profile.Deadlock { return s.shot.builder.Deadlocks() }

// Profile returns what was added since Begin.
func (s *Series) Profile() *profile.Profile { return s.shot.saving.profile(s.shot.builder) }

// saved is the recording of a series' profile.
type saved struct {
	file      *recording.Saved // nil: none
	snapshots int              // snapshots that are in it
	err       error            // the first error, after which nothing is written
}

// Save begins a recording of the profile that Begin has started, in a new file, and takes ownership of
// the file. If Save fails, the series goes on without it.
func (s *Series) Save(to recording.Output) error {
	file, err := recording.Save(to, recording.Header{Target: s.shot.process.Info(), Tool: s.shot.options.Tool})
	if err != nil {
		return err
	}
	s.shot.recordTo(savingTo(file, s.shot.code))
	s.saved = saved{file: file}
	return nil
}

// countSaved counts a snapshot that was written, or keeps the error and closes the file.
func (s *Series) countSaved(err error) {
	switch {
	case s.shot.saving == nil:
	case err == nil:
		s.saved.snapshots++
	default:
		s.saved.err = err
		s.closeSaved()
	}
}

// closeSaved closes the file and keeps the first error. The images to walk with do not change,
// because the profile goes on.
func (s *Series) closeSaved() {
	err := s.shot.saving.close(recording.End{})
	if s.saved.err == nil {
		s.saved.err = err
	}
	s.shot.saving, s.shot.tracker.saving = nil, nil
}

// EndSaved ends the recording that Save began, and returns its path. The path is empty when
// there is none: a file without a complete snapshot is removed. After an error, the recording,
// if there is one, can be read to its last complete snapshot.
func (s *Series) EndSaved() (path string, err error) {
	if s.saved.file == nil {
		return "", nil
	}
	s.closeSaved()
	path, err = s.saved.file.Name(), s.saved.err
	if s.saved.snapshots == 0 {
		_ = s.saved.file.Remove() // it is of no use
		path = ""
	}
	s.saved = saved{}
	s.shot.recordTo(nil)
	return path, err
}

// DropSaved ends and removes the recording that Save began, if it did.
func (s *Series) DropSaved() {
	s.saved.snapshots = 0
	_, _ = s.EndSaved() // nobody misses it
}
