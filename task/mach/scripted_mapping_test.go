package mach

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"stacksnap/task"
)

// scriptedMappings is what a scripted kernel maps, and does to the scheduling of
// a thread.
type scriptedMappings struct {
	// The script.
	noRemapNew, noRemap, noReadOnly Return
	copies                          bool                // a mapping is a copy, and the kernel lies about it
	place                           func([]byte) []byte // where a mapping really is; nil: where the target has it
	spoil                           func(*backing)      // what the kernel tells of a mapping
	noPolicy                        Return

	// The accounts.
	objects     uint32
	mappings    []scriptedMapping
	made        int
	writable    int // made by mach_vm_remap and not yet only for reading
	whileStands int // mapped or unmapped while the task stood
	urgent      bool
	policies    []promptness
}

type scriptedMapping struct {
	bytes []byte
	backing
	writable bool
}

func (s *scripted) newObject() uint32 { s.objects++; return s.objects }

func (s *scripted) balanceMappings(t *testing.T) {
	t.Helper()
	if len(s.mappings) != 0 {
		t.Errorf("%d mappings left", len(s.mappings))
	}
	if s.writable != 0 {
		t.Errorf("%d mappings that could be written", s.writable)
	}
	if s.whileStands != 0 {
		t.Errorf("%d mappings made or unmapped while the task stood", s.whileStands)
	}
	if s.urgent {
		t.Error("a thread is left under a time constraint")
	}
}

func (s *scripted) remapNew(p port, a task.Addr, n uint64) ([]byte, Return) {
	if r := s.enterPort("mach_vm_remap_new", p); r != success {
		return nil, r
	}
	if s.noRemapNew != success {
		return nil, s.noRemapNew
	}
	return s.mapped(a, n, false)
}

func (s *scripted) remap(p port, a task.Addr, n uint64) ([]byte, Return) {
	if p != controlPort {
		panic("mach_vm_remap on a port that is no control port")
	}
	if r := s.enterPort("mach_vm_remap", p); r != success {
		return nil, r
	}
	if s.noRemap != success {
		return nil, s.noRemap
	}
	return s.mapped(a, n, true)
}

func (s *scripted) mapped(a task.Addr, n uint64, writable bool) ([]byte, Return) {
	m := s.at(a)
	if m == nil || m.start != a || uint64(m.end-a) != n {
		return nil, invalidAddress
	}
	b := m.bytes[:n:n]
	if s.copies {
		b = bytes.Clone(b)
	}
	if s.place != nil {
		b = s.place(b)
	}
	s.made++
	s.standing()
	if writable {
		s.writable++
	}
	s.mappings = append(s.mappings, scriptedMapping{b, backing{m.object, m.offset, n}, writable})
	return b, success
}

func (s *scripted) standing() {
	if s.holds > 0 {
		s.whileStands++
	}
}

func (s *scripted) mapping(b []byte) *scriptedMapping {
	i := slices.IndexFunc(s.mappings, func(m scriptedMapping) bool { return &m.bytes[0] == &b[0] })
	if i < 0 || len(b) != len(s.mappings[i].bytes) {
		panic("no such mapping")
	}
	return &s.mappings[i]
}

func (s *scripted) readOnly(b []byte) Return {
	if s.enter("mach_vm_protect") {
		return s.failWith
	}
	m := s.mapping(b)
	if s.noReadOnly == success && m.writable {
		m.writable = false
		s.writable--
	}
	return s.noReadOnly
}

func (s *scripted) unmap(b []byte) Return {
	if s.enter("mach_vm_deallocate") {
		return s.failWith
	}
	m := s.mapping(b)
	s.standing()
	if m.writable {
		s.writable--
	}
	s.mappings = slices.DeleteFunc(s.mappings, func(o scriptedMapping) bool { return &o.bytes[0] == &b[0] })
	return success
}

func (s *scripted) backing(b []byte) (backing, Return) {
	if s.enter("mach_vm_region_recurse of our own") {
		return backing{}, s.failWith
	}
	told := s.mapping(b).backing
	if s.spoil != nil {
		s.spoil(&told)
	}
	return told, success
}

func (s *scripted) timeConstraint(period, computation, constraint time.Duration) Return {
	if s.enter("thread_policy_set(TIME_CONSTRAINT)") {
		return s.failWith
	}
	s.policies = append(s.policies, promptness{period: period, computation: computation, constraint: constraint})
	s.urgent = s.noPolicy == success
	return s.noPolicy
}

func (s *scripted) standardPolicy() Return {
	if s.enter("thread_policy_set(STANDARD)") {
		return s.failWith
	}
	s.urgent = false
	return success
}
