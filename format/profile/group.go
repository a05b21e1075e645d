package profile

import "time"

// Group is what was captured of several processes at about the same time.
type Group struct {
	Tool     string // the program that captured, with its version
	Profiles []*Profile
	Missing  []Missing
	// More counts the processes beyond those that are captured at once.
	More int
	// Deadlocks are those of threads of several processes. Those of one alone are in
	// its profile.
	Deadlocks []Deadlock
	Notes     []string // one line each, on all of them
}

// GroupOf is the group of one profile.
func GroupOf(p *Profile) *Group { return &Group{Tool: p.Tool, Profiles: []*Profile{p}} }

// Missing is a process that was to be captured, and of which there is nothing.
type Missing struct {
	PID int
	Why string
}

// Spread returns how long after the first of the processes the last was told to
// stop, or looked at, for the snapshot that is told of. It is false where each was
// sampled, or there are less than two.
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

// Each returns the group with what change makes of each profile.
func (g *Group) Each(change func(*Profile) *Profile) *Group {
	changed := *g
	changed.Profiles = nil
	for _, p := range g.Profiles {
		changed.Profiles = append(changed.Profiles, change(p))
	}
	return &changed
}

// Find returns the profile of a process, nil when there is none.
func (g *Group) Find(pid int) *Profile {
	for _, p := range g.Profiles {
		if p.Target.PID == pid {
			return p
		}
	}
	return nil
}
