package capture

import (
	"fmt"
	"iter"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/tasks"
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind/cfi"
)

// saving writes what is captured to a recording. A nil saving writes nothing.
type saving struct {
	file  *recording.Saved
	saver *recorded.Saver
	stops []time.Duration // stops since the last snapshot, besides the snapshots' own
	notes []string        // since the last snapshot
	tasks tasks.Tasks     // tasks that no thread runs, for the end
	told  int             // number of regions of the memory map that were written, if it grows while it is used
}

// newSaving begins the recording that the options request, if any. code is the memory through
// which the target is read.
func newSaving(p task.Process, code task.Memory, o *Options, interval time.Duration) (*saving, error) {
	header := recording.Header{Target: p.Info(), Tool: o.Tool, Interval: interval}
	var f *recording.Saved
	var err error
	switch {
	case o.SaveTo != nil:
		f, err = recording.Save(o.SaveTo, header)
	case o.Save != "":
		f, err = recording.Create(o.Save, header)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return savingTo(f, code), nil
}

// savingTo continues a recording that was begun.
func savingTo(f *recording.Saved, code task.Memory) *saving {
	return &saving{file: f, saver: recorded.NewSaver(f.Writer, code, pruner)}
}

func pruner(f object.File, k object.Kind) (recorded.Pruner, error) { return cfi.NewPruner(f, k) }

// memory returns a memory to read instead of code. It records what is read, which has to be
// saved.
func (s *saving) memory(code task.Memory) task.Memory {
	if s == nil {
		return code
	}
	return s.saver.Memory()
}

// place returns the map to use instead of m, which belongs to the memory map l, from the next
// snapshot on.
func (s *saving) place(m *images.Map, l memoryMap) *images.Map {
	if s == nil {
		return m
	}
	s.told = l.known()
	return s.saver.PlaceMap(m, l.all())
}

// tell writes the regions of a memory map that became known since it was placed.
func (s *saving) tell(l memoryMap) {
	if s != nil && l.known() > s.told {
		s.told = l.known()
		s.saver.SetRegions(l.all())
	}
}

// note keeps a line for the next snapshot.
func (s *saving) note(line string) {
	if s != nil {
		s.notes = append(s.notes, line)
	}
}

// profile makes a profile before the recording ends, and adds to the recording what the profile
// says about missing source lines.
func (s *saving) profile(b *profile.Builder) *profile.Profile {
	p := b.Profile()
	for _, line := range b.SourceNotes() {
		s.note(line)
	}
	return p
}

// stopped records a stop that belongs to no snapshot.
func (s *saving) stopped(d time.Duration) {
	if s != nil {
		s.stops = append(s.stops, d)
	}
}

// add writes a snapshot that was walked and named, with observations of its threads. whole means
// that they end a round.
func (s *saving) add(snapshot *task.Snapshot, stacks []profile.Stack, m *images.Map, looks []profile.Look, whole bool) error {
	if s == nil {
		return nil
	}
	sample := recording.Sample{Snapshot: snapshot, OtherStops: s.stops, Notes: s.notes, Looks: savedLooks(looks), Whole: whole}
	s.stops, s.notes = nil, nil
	return s.saver.Save(&sample, m, pcs(stacks))
}

// keepTasks keeps tasks for the end of the recording.
func (s *saving) keepTasks(t *tasks.Tasks) {
	if s != nil {
		s.tasks = *t
	}
}

// close writes the end of the recording, with the tasks and the notes since the last snapshot, and closes
// the file.
func (s *saving) close(e recording.End) error {
	if s == nil {
		return nil
	}
	if left := s.tasks.Save(&e); left > 0 {
		s.note(fmt.Sprintf("tasks that no thread ran, and that the recording leaves out because there are too many: %d", left))
	}
	e.Notes = s.notes
	s.saver.Flush()
	return s.file.Close(e)
}

func pcs(stacks []profile.Stack) iter.Seq[task.Addr] {
	return func(yield func(task.Addr) bool) {
		for i := range stacks {
			for _, f := range stacks[i].Walked() {
				if !yield(f.PC) {
					return
				}
			}
		}
	}
}

func savedLooks(looks []profile.Look) (saved []recording.Look) {
	for _, l := range looks {
		saved = append(saved, recording.Look{Thread: l.Thread, Wait: savedWait(l.Wait)})
	}
	return saved
}

func looksOf(saved []recording.Look) (looks []profile.Look) {
	for _, l := range saved {
		looks = append(looks, profile.Look{Thread: l.Thread, Wait: waitOf(l.Wait)})
	}
	return looks
}

func savedWait(w *profile.Wait) *recording.Wait {
	if w == nil {
		return nil
	}
	return &recording.Wait{
		Call: w.Call, Object: w.Object, Lock: uint8(w.Lock), Addr: w.Addr,
		Owner: w.Owner, OwnerName: w.OwnerName, OwnerPID: w.OwnerPID, Readers: w.Readers, Receives: w.Receives, Variable: w.Variable,
		GoneOwner: w.GoneOwner, Gone: w.Gone, Peer: savedPeer(&w.Peer), Stalled: w.Stalled, Hung: w.Hung,
	}
}

func savedPeer(p *profile.Peer) recording.Peer {
	return recording.Peer{
		PID: p.PID, Name: p.Name, Thread: p.Thread, ThreadName: p.ThreadName, Action: uint8(p.Action), Others: p.Others, Self: p.Self, AlsoSelf: p.AlsoSelf,
	}
}

func waitOf(w *recording.Wait) *profile.Wait {
	if w == nil {
		return nil
	}
	return &profile.Wait{
		Call: w.Call, Object: w.Object, Lock: profile.LockKind(w.Lock), Addr: w.Addr,
		Owner: w.Owner, OwnerName: w.OwnerName, OwnerPID: w.OwnerPID, Readers: w.Readers, Receives: w.Receives, Variable: w.Variable,
		GoneOwner: w.GoneOwner, Gone: w.Gone, Peer: peerOf(&w.Peer), Stalled: w.Stalled, Hung: w.Hung,
	}
}

func peerOf(p *recording.Peer) profile.Peer {
	return profile.Peer{
		PID: p.PID, Name: p.Name, Thread: p.Thread, ThreadName: p.ThreadName, Action: profile.Action(p.Action), Others: p.Others, Self: p.Self, AlsoSelf: p.AlsoSelf,
	}
}
