package words

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// shownNames has the names of the threads of a profile that are shown instead of the system's.
type shownNames struct {
	in    *profile.Profile // nil: none yet
	names map[task.ThreadID]string
}

// of returns the name to show of a thread with a name of the system's.
func (n *shownNames) of(p *profile.Profile, id task.ThreadID, name string) string {
	if n.in != p {
		n.in, n.names = p, namesOf(p)
	}
	if shown, ok := n.names[id]; ok {
		return shown
	}
	return name
}

// namesOf returns the names that are not the system's.
func namesOf(p *profile.Profile) map[task.ThreadID]string {
	names := map[task.ThreadID]string{}
	add := func(t profile.ThreadName) {
		if shown := t.Shown(p.Target.Name); shown != t.Name {
			names[t.ID] = shown
		}
	}
	for _, t := range p.Threads {
		add(profile.ThreadName{ID: t.ID, Name: t.Name, RuntimeName: t.RuntimeName})
		for _, s := range t.Same {
			add(s)
		}
		if t.Together != nil {
			for _, s := range t.Together.Threads {
				add(s)
			}
		}
	}
	return names
}
