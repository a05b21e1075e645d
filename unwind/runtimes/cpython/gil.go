package cpython

import (
	"encoding/binary"

	"stacksnap/task"
	"stacksnap/unwind/runtimes"
)

// The fields of struct _gil_runtime_state, in all builds but the free-threaded ones
// (Include/internal/pycore_gil.h; pycore_interp_structs.h from 3.14 on). The condition variable and
// the mutex are pthread's.
const (
	gilHolder   = 8
	gilLocked   = 16
	gilSwitches = 24
	gilCond     = 32
	gilMutex    = 80
	gilSize     = 88
)

// gilOf returns where the GIL of 3.minor is: up to 3.11 all interpreters share one, from 3.12 on each
// may have its own. Later versions have a table of offsets.
func gilOf(minor int) gilLayout {
	switch minor {
	case 8:
		return gilLayout{runtime: 1152}
	case 9, 10:
		return gilLayout{runtime: 352}
	case 11:
		return gilLayout{runtime: 360}
	case 12:
		return gilLayout{interp: 384}
	}
	return gilLayout{}
}

// Locks returns the GILs, each once. An owner is known only if the lock was not about to change.
func (p *Instance) Locks(m task.Memory, threads func(task.Addr) (task.ThreadID, bool)) (locks []runtimes.Lock) {
	seen := map[task.Addr]bool{}
	for _, at := range p.gils(m) {
		var b [gilSize]byte
		if seen[at] || task.ReadFull(m, b[:], at) != nil {
			continue
		}
		seen[at] = true
		locks = append(locks, runtimes.Lock{
			Addr: at, From: at + gilCond, To: at + gilMutex,
			Owner: p.holder(m, &b, threads), Switches: binary.LittleEndian.Uint64(b[gilSwitches:]),
		})
	}
	return locks
}

// gils returns the addresses of the GILs of all interpreters.
func (p *Instance) gils(m task.Memory) (all []task.Addr) {
	switch {
	case p.layout.gil.runtime != 0:
		return []task.Addr{p.runtime + task.Addr(p.layout.gil.runtime)}
	case p.layout.gil.interp == 0:
		return nil
	}
	_ = p.eachInterpreter(m, func(interp task.Addr) error { // with an error, those before it
		if at, err := task.ReadPointer(m, interp+task.Addr(p.layout.gil.interp), 8); err == nil && at != 0 {
			all = append(all, at)
		}
		return nil
	})
	return all
}

// holder returns the thread that holds a GIL; 0 if none does, or it is not known. The mutex is held
// only while the fields change.
func (p *Instance) holder(m task.Memory, gil *[gilSize]byte, threads func(task.Addr) (task.ThreadID, bool)) task.ThreadID {
	at := task.Addr(binary.LittleEndian.Uint64(gil[gilHolder:]))
	locked, changing := binary.LittleEndian.Uint32(gil[gilLocked:]), binary.LittleEndian.Uint32(gil[gilMutex:])
	b := make([]byte, p.layout.threadBytes())
	if at == 0 || locked != 1 || changing != 0 || task.ReadFull(m, b, at) != nil {
		return 0
	}
	s := p.layout.state(at, b)
	id, ok := s.thread(threads)
	if known, listed := p.states[id]; !ok || !listed || known.handle != s.handle {
		return 0
	}
	return id
}
