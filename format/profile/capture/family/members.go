package family

import (
	"maps"
	"slices"
	"time"

	"stacksnap/task/live"
)

// Members is a set of processes and all their descendants, for a caller that sees every process of the
// system and has to know which of them belong to the set.
type Members struct {
	pids   map[int]bool
	kin    live.Kin
	looked time.Time // time of the last search for new members
	err    error     // of that search
}

// NewMembers returns the set of the processes roots and their descendants.
func NewMembers(roots []int) *Members {
	m := &Members{pids: map[int]bool{}}
	for _, pid := range roots {
		m.pids[pid] = true
	}
	return m
}

// Has reports whether pid is a member. It searches for new members at most every 50 ms, as [Record] does.
func (m *Members) Has(pid int) bool {
	if !m.pids[pid] && m.err == nil && time.Since(m.looked) >= lookInterval {
		m.look()
	}
	return m.pids[pid]
}

func (m *Members) look() {
	var below []int
	below, m.err = startedBy(&m.kin, slices.Collect(maps.Keys(m.pids)))
	for _, pid := range below {
		m.pids[pid] = true
	}
	m.looked = time.Now()
}

// Err returns why new members can no longer be found; nil if they can.
func (m *Members) Err() error { return m.err }
