package family

import (
	"maps"
	"slices"
	"time"

	"stacksnap/task/live"
)

// Members are processes and all that they start, for who sees every process there is.
type Members struct {
	pids   map[int]bool
	kin    live.Kin
	looked time.Time // for new ones
	err    error     // of looking
}

// NewMembers are those of some processes.
func NewMembers(roots []int) *Members {
	m := &Members{pids: map[int]bool{}}
	for _, pid := range roots {
		m.pids[pid] = true
	}
	return m
}

// Has reports whether a process is one of them. New ones are found as [Record] does.
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

// Err tells why new ones are not found any more; nil where they are.
func (m *Members) Err() error { return m.err }
