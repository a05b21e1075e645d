package across

import (
	"cmp"
	"slices"
	"time"

	"stacksnap/task"
	"stacksnap/task/live"
)

// listAgain is the time for listing connections once more.
const listAgain = 50 * time.Millisecond

// Stalled returns the connections of a process on which nothing moves, listed twice in the same
// state; nil if there are none, or they could not be listed in time.
func Stalled(p task.Process, until time.Time) *task.Stalled {
	list := p.Capabilities().Connections
	if list == nil {
		return nil
	}
	before := list(until)
	if len(before) == 0 {
		return nil
	}
	owners := live.Owners(othersOf(before), until)
	return summary(lasting(before, list(time.Now().Add(listAgain))), func(e task.Endpoint) (pid int, name string) {
		if h := owners[e]; e.File != "" && len(h.PIDs) == 1 {
			return h.PIDs[0], live.Name(h.PIDs[0])
		}
		return 0, ""
	})
}

func othersOf(all []task.Connection) (ends []task.Endpoint) {
	for _, c := range all {
		if c.Other.File != "" {
			ends = append(ends, c.Other)
		}
	}
	return ends
}

// lasting returns the connections of the second list that are in the first in the same state.
func lasting(before, after []task.Connection) []task.Connection {
	was := map[uint64]task.ConnectionState{}
	for _, c := range before {
		was[c.ID] = c.State
	}
	return slices.DeleteFunc(after, func(c task.Connection) bool { return was[c.ID] != c.State })
}

// summary counts the connections that have the state and remote address of the most telling one.
// Among those of one state that is the one on which nothing has moved for longest.
func summary(all []task.Connection, owner func(task.Endpoint) (pid int, name string)) *task.Stalled {
	if len(all) == 0 {
		return nil
	}
	first := slices.MinFunc(all, func(a, b task.Connection) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(b.Since, a.Since), cmp.Compare(a.ID, b.ID))
	})
	s := &task.Stalled{State: first.State, Remote: first.Remote, Since: first.Since}
	s.PID, s.Name = owner(first.Other)
	for _, c := range all {
		if c.State != s.State || c.Remote != s.Remote {
			s.Others++
			continue
		}
		s.Count++
		s.Unread += c.Unread
		if pid, _ := owner(c.Other); pid != s.PID {
			s.PID, s.Name = 0, ""
		}
	}
	return s
}
