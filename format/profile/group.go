package profile

import "time"

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
