package capture

import (
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
)

// Series takes snapshots when it is told to, into one profile after another.
type Series struct {
	session *session
	tool    string
	saved   saved
}

// NewSeries reads what can be read before the first snapshot. Binaries, which may
// be nil, have what the files of the process lack.
func NewSeries(p task.Process, tool string, from *binaries.Index) (*Series, error) {
	s, err := newSession(p, Options{Tool: tool, Binaries: from})
	if err != nil {
		return nil, err
	}
	return &Series{session: s, tool: tool}, nil
}

// Begin starts a new profile, which is not saved unless Save is called.
func (s *Series) Begin() {
	s.DropSaved()
	s.session.builder = profile.NewBuilder(s.session.process.Info(), s.tool)
}

// Note tells a reader of the profile, and of its recording, a line.
func (s *Series) Note(line string) { s.session.note(line) }

// Take adds one snapshot, with what those threads wait for of which that is
// wanted: it takes some time after the stop. On an error, what was captured
// before it is added. That it could not be saved is no error here: EndSaved tells.
func (s *Series) Take(wanted func(*task.Thread) bool) error {
	err := s.session.take()
	if err != nil && len(s.session.snapshot.Threads) == 0 {
		return err
	}
	if err == nil {
		s.session.findWaits(wanted)
	}
	s.countSaved(s.session.add())
	return err
}

// Thread returns a thread of the last snapshot and its stack.
func (s *Series) Thread(id task.ThreadID) (*task.Thread, *profile.Stack, bool) {
	threads := s.session.snapshot.Threads
	i := slices.IndexFunc(threads, func(t task.Thread) bool { return t.ID == id })
	if i < 0 || i >= len(s.session.stacks) {
		return nil, nil, false
	}
	return &threads[i], &s.session.stacks[i], true
}

// Wait returns what a thread of the last snapshot was found to wait for, nil when
// it did not wait. Known is false where the thread was not asked, or had not yet
// gone back to where it was stopped.
func (s *Series) Wait(id task.ThreadID) (w *profile.Wait, known bool) {
	for _, l := range s.session.looks {
		if l.Thread == id {
			return l.Wait, true
		}
	}
	return nil, false
}

// Innermost names the function that a stack is in. The image stands in for a name
// that is not known, and for code of no image, such as generated code, the region
// that it is in: its addresses, one by one, tell nobody anything.
func (s *Series) Innermost(st *profile.Stack) string {
	if len(st.Frames) == 0 {
		return ""
	}
	f := st.Frames[0]
	loc := s.session.follow.images.Locate(f.PC, f.Return)
	switch {
	case loc.Function != "":
		return loc.Function
	case loc.Image != nil:
		return loc.Image.Name()
	}
	n := profile.Node{PC: f.PC}
	return "code of no file, near " + n.Area().String()
}

// Images are those that the target had loaded when it was last asked.
func (s *Series) Images() *images.Map { return s.session.follow.images }

// Stopped is for how long the target has been stopped since Begin.
func (s *Series) Stopped() time.Duration { return s.session.builder.Stopped() }

// Profile returns what was added since Begin.
func (s *Series) Profile() *profile.Profile { return s.session.saving.profile(s.session.builder) }
