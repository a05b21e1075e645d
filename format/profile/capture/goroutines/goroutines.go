// Package goroutines finds the goroutines of a process that no thread runs.
package goroutines

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes/golang"
)

// Source is where goroutines are read from.
type Source struct {
	Process  task.Process
	Memory   task.Memory // of the process; what a core lacks of it is read from files
	Attach   func(*images.Image) (*golang.Runtime, error)
	Images   *images.Map
	Unwinder *unwind.Unwinder
	// Snapshot means that Threads are all threads at one moment, with their Stacks. Goroutines
	// on these stacks are left out. Otherwise, goroutines are left out that a thread runs when
	// they are read.
	Snapshot bool
	Threads  []task.Thread
	Stacks   []profile.Stack
}

// Find returns the goroutines of each Go program in the process, which may run meanwhile. notes
// say what could not be read, and why.
func Find(s *Source) (found []profile.FoundTask, notes []string) {
	for _, im := range s.Images.Images {
		r, err := s.Attach(im)
		if errors.Is(err, golang.ErrNone) {
			continue
		}
		var all *golang.Collection
		if err == nil {
			all, err = r.Collect(golang.Options{
				Unwinder: s.Unwinder, Images: s.Images, Code: s.Memory, OnThread: s.onThread(),
			})
		}
		if err != nil {
			notes = append(notes, im.Name()+": "+err.Error())
			continue
		}
		now := clockOf(s.Process)
		for i := range all.Groups {
			found = append(found, taskOf(r, &all.Groups[i], now))
		}
		if !s.Snapshot {
			all.Running = 0 // they are in the samples
		}
		notes = append(notes, notesOn(r, all)...)
	}
	return found, notes
}

// clockOf returns the time of the clock with which Go measures how long goroutines wait; 0 if
// the process is not live.
func clockOf(p task.Process) time.Duration {
	info := p.Info()
	switch pacer := p.Capabilities().Pacer; {
	case !info.Live:
	case info.OS == task.Linux:
		return task.SystemClock().Now() // CLOCK_MONOTONIC, as in Go
	case info.OS == task.Darwin && pacer != nil:
		return pacer.Now() // mach_absolute_time, as in Go
	}
	return 0
}

func taskOf(r *golang.Runtime, g *golang.Group, now time.Duration) profile.FoundTask {
	t := profile.Task{Runtime: r.Name(), ID: g.ID, Wait: g.Wait, System: g.System, Count: g.Count, Objects: g.Objects}
	if g.On != nil {
		on := profile.TaskObject(*g.On)
		t.On = &on
	}
	if g.Since > 0 && now > g.Since && g.Count == 1 {
		t.Since = now - g.Since
	}
	return profile.FoundTask{Task: t, Frames: g.Frames, Stop: g.Stop, Creator: g.Creator}
}

// onThread returns a function that reports whether a thread has a frame between two addresses; nil
// where there is no snapshot.
func (s *Source) onThread() func(low, high task.Addr) bool {
	if !s.Snapshot {
		return nil
	}
	var frames []task.Addr
	for i := range s.Threads {
		frames = append(frames, s.Threads[i].Registers.SP())
		if i < len(s.Stacks) {
			for _, f := range s.Stacks[i].Frames {
				frames = append(frames, f.SP)
			}
		}
	}
	slices.Sort(frames)
	return func(low, high task.Addr) bool {
		i, _ := slices.BinarySearch(frames, low)
		return i < len(frames) && frames[i] < high
	}
}

// notesOn returns notes on the goroutines that are missing.
func notesOn(r *golang.Runtime, all *golang.Collection) (notes []string) {
	add := func(n int, what string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("goroutines that are not shown, %s: %d", what, n))
		}
	}
	if !r.Known {
		notes = append(notes, r.Name()+" is newer than stacksnap: goroutines were read as those of the newest version known")
	}
	add(all.Running, "because a thread ran them a moment after the snapshot")
	add(all.Torn, "because they changed each time they were read, or are not readable")
	add(all.LeftOut, "because there are too many")
	return notes
}
