package capture

import "stacksnap/task/recording"

// saved is the recording of a series' profile.
type saved struct {
	file      *recording.Saved // nil: none
	snapshots int              // that are in it
	err       error            // the first, after which nothing is written
}

// Save begins a recording of the profile that Begin has started, in a new file
// that it takes over. Without it, on an error, the series goes on.
func (s *Series) Save(to recording.Output) error {
	file, err := recording.Save(to, recording.Header{Target: s.session.process.Info(), Tool: s.tool})
	if err != nil {
		return err
	}
	s.session.saving, s.saved = savingTo(file, s.session.code), saved{file: file}
	s.session.place()
	return nil
}

// countSaved takes the outcome of writing a snapshot.
func (s *Series) countSaved(err error) {
	switch {
	case s.session.saving == nil:
	case err == nil:
		s.saved.snapshots++
	default:
		s.saved.err = err
		s.closeSaved()
	}
}

// closeSaved closes the file and keeps the first error. What is walked in stays
// as it is, for the profile goes on.
func (s *Series) closeSaved() {
	err := s.session.saving.close(recording.End{})
	if s.saved.err == nil {
		s.saved.err = err
	}
	s.session.saving = nil
}

// EndSaved ends the recording that Save began. It returns its path, which is
// empty when there is none: a file without a whole snapshot is removed. On an
// error the recording, if there is one, opens to its last whole snapshot.
func (s *Series) EndSaved() (path string, err error) {
	if s.saved.file == nil {
		return "", nil
	}
	s.closeSaved()
	path, err = s.saved.file.Name(), s.saved.err
	if s.saved.snapshots == 0 {
		_ = s.saved.file.Remove() // it tells nothing
		path = ""
	}
	s.saved = saved{}
	s.session.place()
	return path, err
}

// DropSaved ends and removes the recording that Save began, if it did.
func (s *Series) DropSaved() {
	s.saved.snapshots = 0
	_, _ = s.EndSaved() // nobody misses it
}
