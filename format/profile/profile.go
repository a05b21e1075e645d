// Package profile is the model that every writer reads: the stacks of one or
// many snapshots of a process, named and merged into one call tree a thread.
// It holds plain data and does not need the target any more. A [Builder] opens debug files
// to name what was captured.
package profile

import (
	"time"

	"stacksnap/images"
	"stacksnap/task"
)

// Profile is what was captured of one process.
type Profile struct {
	Target task.Info
	Tool   string // the program that captured, with its version
	// Start is when the target was first told to stop, End when it ran on after the
	// last stop.
	Start, End time.Time     // End is zero where that is not known
	Interval   time.Duration // wanted between two snapshots; 0 when there is only one
	Snapshots  int
	// MissedTicks counts the snapshots that were due but could not be taken in time.
	MissedTicks int
	// Halted counts the snapshots in which every thread was stopped by another than us:
	// job control, or a debugger.
	Halted int

	Stops       int           // times the target was stopped: at least one a snapshot
	Stopped     time.Duration // in all stops together
	LongestStop time.Duration
	OwnCPU      time.Duration // CPU time that the program itself used meanwhile; 0: not measured

	// Frames counts the frames captured, over all snapshots; inlined functions have
	// none of their own.
	Frames int
	// Walks counts the stacks that were to be walked, Bottoms those of them whose
	// walk reached the outermost frame.
	Walks, Bottoms int
	// MissedThreads counts threads that appeared faster than they could be captured.
	MissedThreads int

	// Threads are in the order in which a report shows them: the main thread first
	// and then by id of one snapshot, by weight of many.
	Threads []*Thread
	// Deadlocks are those that stood in more than one look, or stand at the end.
	Deadlocks []Deadlock
	// Images are those in which a frame lies, lowest address first; of a translated
	// program of which there are no frames, all that were mapped at the end. Of a report
	// that was opened they are all that it lists, or else names.
	Images []*Image
	Cache  *images.SharedCache // of a Darwin process; nil: none is mapped
	Main   *Image              // the program itself, whether a frame lies in it or not; nil when unknown
	Notes  []string            // one line each: what could not be read, what to beware of
	View   *View               // how it differs from what was captured; nil: it does not

	// Report is what a report that was opened has besides, and the writer of its form gives back;
	// it is of the package that has both. Nil: there is none.
	Report any

	times []byte // of snapshots, where timelines were kept; see snapshotTimes
}

// Sampled reports whether the profile merges more than one snapshot.
func (p *Profile) Sampled() bool { return p.Snapshots > 1 }

// Duration returns the time from the first stop to the end of the last, 0 where
// the clock was set back meanwhile.
func (p *Profile) Duration() time.Duration { return max(0, p.End.Sub(p.Start)) }

// NumThreads returns how many threads were captured, counting each of those that
// [Profile.FoldThreads] made one entry of.
func (p *Profile) NumThreads() int {
	n := 0
	for _, t := range p.Straight().Threads {
		n += t.Weight()
	}
	return n
}

// MainThread returns the main thread, nil when it is not known or has ended.
func (p *Profile) MainThread() *Thread {
	for _, t := range p.Threads {
		if t.Main {
			return t
		}
	}
	return nil
}
