package capture

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// partedLine is the note on a snapshot that was taken in several stops.
const partedLine = "the stacks are not of one moment: the threads are so many that they were stopped in several parts, as one stop of all would last longer than --max-stop allows"

// partRounds is how often to look for threads that appeared while others were stopped.
const partRounds = 4

// takeParts takes the snapshot in parts. Each part is walked before the next is stopped, and
// only the part of its stacks that the walks led through is kept.
func (s *shot) takeParts() (err error) {
	var whole task.Snapshot
	known, rounds := map[task.ThreadID]bool{}, 0
	whole.Threads = make([]task.Thread, 0, s.parts.Left())
	stacks := make([]profile.Stack, 0, s.parts.Left())
	part := s.parts.Next()
	for part != nil && err == nil {
		for _, id := range part {
			known[id] = true
		}
		err = s.completeStop(s.takePart(part))
		s.parts.Took(len(part), s.snapshot.LongestStop)
		for i := range s.snapshot.Threads {
			trim(&s.snapshot.Threads[i], &s.stacks[i])
		}
		whole.Append(&s.snapshot)
		stacks = append(stacks, s.stacks...)
		s.frames = nil // the frames of the part are kept
		if part = s.parts.Next(); part == nil && err == nil && rounds < partRounds {
			rounds++
			part, err = s.lateThreads(known)
		}
	}
	s.keepParts(&whole, stacks)
	if whole.Parted && s.options.Suspend != task.SuspendNone {
		s.note(partedLine)
	}
	return err
}

// keepParts replaces the snapshot with what was captured of all parts.
func (s *shot) keepParts(whole *task.Snapshot, stacks []profile.Stack) {
	whole.Limit, whole.Want = s.snapshot.Limit, s.snapshot.Want
	whole.Skip, whole.Insist, whole.Unhurried = s.snapshot.Skip, s.snapshot.Insist, s.snapshot.Unhurried
	s.snapshot, s.stacks = *whole, stacks
}

// takePart stops a part of the threads.
func (s *shot) takePart(part []task.ThreadID) error {
	s.snapshot.Part = part
	s.snapshot.PrepareFor(s.process, part)
	return s.snapshot.TakePrepared(s.process)
}

// lateThreads returns the first part of the threads that have appeared since the threads were
// listed.
func (s *shot) lateThreads(known map[task.ThreadID]bool) ([]task.ThreadID, error) {
	ids, err := s.process.Threads()
	if err != nil {
		return nil, err
	}
	s.parts.Add(slices.DeleteFunc(slices.Clone(ids), func(id task.ThreadID) bool { return known[id] }))
	return s.parts.Next(), nil
}

// takePartAgain stops threads of the part once more: those whose stacks need a longer copy or,
// after a walk in images of another moment, all. It stops as many at once as it has room for.
func (s *shot) takePartAgain(v verdict, again *task.Snapshot) error {
	ids := slices.Clone(s.lacking)
	if v == remappedCode {
		ids = s.snapshot.Part
	}
	for some := range slices.Chunk(ids, max(1, partCopies/again.Limit)) {
		again.Part = some
		if err := task.Take(s.process, again); err != nil {
			return err
		}
		s.countStop(again.Stopped)
		keepFacts(again, &s.snapshot)
		var own task.Snapshot
		own.Append(again)
		s.replace(&own)
	}
	return nil
}

// partCopies is the maximum size, in bytes, of the stacks that are copied at once when threads
// are stopped once more.
const partCopies = 16 << 20

// replace replaces the threads of a part that were stopped once more.
func (s *shot) replace(again *task.Snapshot) {
	for i := range again.Threads {
		t := &again.Threads[i]
		j := slices.IndexFunc(s.snapshot.Threads, func(o task.Thread) bool { return o.ID == t.ID })
		if j >= 0 {
			s.snapshot.Threads[j] = *t
		}
	}
}

// trimSlack is how many bytes of a stack are kept above the last frame.
const trimSlack = 256

// trim drops the part of a stack above its last frame, if the walk reached the bottom: it has
// data of the thread, and memory that was never used.
func trim(t *task.Thread, s *profile.Stack) {
	if s.Stop.Reason != unwind.Bottom {
		return
	}
	for i := range t.Stacks {
		st := &t.Stacks[i]
		used := 0
		for _, f := range s.Frames {
			if st.Contains(f.SP, 1) {
				used = max(used, int(f.SP-st.Base)+trimSlack)
			}
		}
		if used > 0 && used < len(st.Bytes) {
			st.Bytes = st.Bytes[:used]
		}
	}
}
