// Package profile is the model that all formats write: the stacks of one or more snapshots of
// a process, with names, merged into one call tree for each thread. A [Profile] is plain data
// and independent of the target. A [Builder] makes it, and opens debug files for the names.
package profile

import (
	"time"

	"stacksnap/images"
	"stacksnap/task"
)

// Profile is what was captured of one process.
type Profile struct {
	Target task.Info
	Tool   string // name and version of the capturing program
	// Start is when the first stop was ordered, End when the target ran on after the last
	// one.
	Start, End time.Time     // End is zero if unknown
	Interval   time.Duration // intended time between snapshots; 0 for a single one
	Snapshots  int
	// MissedTicks is the number of snapshots that were due but not taken in time.
	MissedTicks int
	// Halted is the number of snapshots in which every thread was stopped, by job control
	// or a debugger rather than by us.
	Halted int

	Stops       int           // number of stops: at least one for each snapshot
	Stopped     time.Duration // total stop time
	LongestStop time.Duration
	OwnCPU      time.Duration // CPU time of stacksnap during the capture; 0: not measured

	// Frames is the number of frames in all snapshots, without inlined calls.
	Frames int
	// Walks is the number of stacks that were walked, Bottoms the number of those whose walk
	// reached the outermost frame.
	Walks, Bottoms int
	// MissedThreads is the number of threads that appeared faster than they could be captured.
	MissedThreads int

	// Threads are in the order of a report: for one snapshot the main thread first and then
	// by id; for many, by samples.
	Threads []*Thread
	// Tasks are those that no thread runs; for many snapshots, those at the end. Tasks that are
	// alike share one entry, and the largest entry comes first. It is empty if tasks are not
	// read.
	Tasks []*Task
	// TaskDeadlocks are the deadlocks of tasks that no thread runs.
	TaskDeadlocks []TaskDeadlock
	// Deadlocks are those that were found in more than one observation, or in the last.
	Deadlocks []Deadlock
	// Images are the images that contain a frame, lowest address first; for a translated
	// program without frames, all that were mapped at the end. In a profile from a report
	// they are those that the report lists or names.
	Images []*Image
	Cache  *images.SharedCache // dyld's shared cache in a Darwin process; nil: none mapped
	Main   *Image              // the main program, even if no frame is in it; nil if unknown
	Notes  []string            // one line each: what could not be read, and other caveats
	View   *View               // difference from the capture; nil: none

	// Report is further data from a report that was read, for the writer of the same format.
	// Its type belongs to that format's package. Nil: none.
	Report any

	times []byte // times of snapshots, if timelines were kept; see snapshotTimes
}

// Sampled reports whether the profile merges more than one snapshot.
func (p *Profile) Sampled() bool { return p.Snapshots > 1 }

// Duration returns the time from the first stop to the end of the last; 0 if the clock was
// set back meanwhile.
func (p *Profile) Duration() time.Duration { return max(0, p.End.Sub(p.Start)) }

// NumThreads returns the number of captured threads, including each thread of a folded
// entry.
func (p *Profile) NumThreads() int {
	n := 0
	for _, t := range p.Straight().Threads {
		n += t.Weight()
	}
	return n
}

// MainThread returns the main thread, nil if it is unknown or has ended.
func (p *Profile) MainThread() *Thread {
	for _, t := range p.Threads {
		if t.Main {
			return t
		}
	}
	return nil
}

// Group is the profiles of several processes, captured at about the same time.
type Group struct {
	Tool     string // name and version of the capturing program
	Profiles []*Profile
	Missing  []Missing
	// More is the number of processes beyond the limit, which were not captured.
	More int
	// Deadlocks are the deadlocks across processes. A deadlock within one process is in its
	// profile.
	Deadlocks []Deadlock
	Notes     []string // one line each, about the whole group
}

// GroupOf returns a group of one profile.
func GroupOf(p *Profile) *Group { return &Group{Tool: p.Tool, Profiles: []*Profile{p}} }

// Missing is a process that could not be captured.
type Missing struct {
	PID int
	Why string
}

// Spread returns the time between the first and the last start of a process's snapshot. It
// returns false if a process was sampled, or if there are less than two.
func (g *Group) Spread() (time.Duration, bool) {
	var first, last time.Time
	for _, p := range g.Profiles {
		if p.Sampled() || p.Start.IsZero() {
			return 0, false
		}
		if first.IsZero() || p.Start.Before(first) {
			first = p.Start
		}
		if p.Start.After(last) {
			last = p.Start
		}
	}
	return last.Sub(first), len(g.Profiles) > 1
}

// Each returns the group with change applied to each profile.
func (g *Group) Each(change func(*Profile) *Profile) *Group {
	changed := *g
	changed.Profiles = nil
	for _, p := range g.Profiles {
		changed.Profiles = append(changed.Profiles, change(p))
	}
	return &changed
}

// Find returns the profile of a process, nil if there is none.
func (g *Group) Find(pid int) *Profile {
	for _, p := range g.Profiles {
		if p.Target.PID == pid {
			return p
		}
	}
	return nil
}
