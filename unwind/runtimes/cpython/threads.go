package cpython

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/task"
)

const (
	maxInterpreters = 1000
	maxThreads      = 10000
	maxFrames       = 4000
)

// threadState is what identifies a thread state. Its memory may be used again, for
// another thread.
type threadState struct {
	at, interp     task.Addr
	handle, native uint64
}

var (
	errChanged = errors.New("the list of threads changed while it was read")
	errThreads = errors.New("too many interpreters or threads")
)

// Chains returns what to copy of each thread with a thread state while it is stopped.
// threads, which may be nil, returns the thread of a value of pthread_self. It is tried
// first: the system's ids in thread states are those of the target's PID namespace, and are
// missing before 3.11. If a thread has states in several interpreters, that of the latest
// interpreter in which it has a frame is taken. With an error, what was read before it is
// returned.
func (p *Instance) Chains(m task.Memory, threads func(handle task.Addr) (task.ThreadID, bool)) (map[task.ThreadID]task.Chain, error) {
	p.states, p.fresh, p.work = map[task.ThreadID]threadState{}, nil, 0
	frames := map[task.ThreadID]task.Addr{}
	err := p.eachThread(m, func(s threadState, frame task.Addr) {
		id, ok := s.thread(threads)
		if !ok {
			return
		}
		if _, known := p.states[id]; !known || !p.layout.hasFrames(m, frames[id]) {
			p.states[id], frames[id] = s, frame
		}
	})
	chains, links := make(map[task.ThreadID]task.Chain, len(p.states)), p.layout.links()
	for id, s := range p.states {
		chains[id] = task.Chain{At: s.at, Size: p.layout.threadBytes(), Links: links}
	}
	if err != nil {
		err = fmt.Errorf("CPython %v: %w", p.version, err)
	}
	return chains, err
}

// hasFrames reports whether a thread state with this link to its frames has any.
func (l *layout) hasFrames(m task.Memory, frame task.Addr) bool {
	if l.cframe.size == 0 || frame == 0 {
		return frame != 0
	}
	first, err := task.ReadPointer(m, frame+task.Addr(l.cframe.next), 8)
	return err == nil && first != 0
}

// thread returns the thread of a state.
func (s *threadState) thread(threads func(task.Addr) (task.ThreadID, bool)) (task.ThreadID, bool) {
	if threads != nil {
		if id, ok := threads(task.Addr(s.handle)); ok {
			return id, true
		}
	}
	return task.ThreadID(s.native), s.native != 0
}

// links returns the links from a thread state to its frames. Of a thread that runs, only the instruction
// of the innermost frame moves.
func (l *layout) links() []task.Link {
	frame := l.frameBytes()
	first := task.Link{Offset: l.thread.frame, Size: frame, Fixed: []int{l.frame.code}}
	previous := task.Link{Offset: l.frame.previous, Size: frame, Fixed: []int{l.frame.code, l.frame.instr}}
	if l.cframe.size == 0 {
		return []task.Link{first, previous}
	}
	first.Offset = l.cframe.next
	return []task.Link{{Offset: l.thread.frame, Size: l.cframe.size}, first, previous}
}

// eachThread calls yield with each thread state and where its frames are. The target may
// change the lists meanwhile, so each state must point to its interpreter.
func (p *Instance) eachThread(m task.Memory, yield func(s threadState, frame task.Addr)) error {
	left := maxThreads
	return p.eachInterpreter(m, func(interp task.Addr) error {
		return p.eachThreadOf(m, interp, &left, yield)
	})
}

// eachInterpreter calls yield with the state of each interpreter, up to an error.
func (p *Instance) eachInterpreter(m task.Memory, yield func(interp task.Addr) error) error {
	interp, err := task.ReadPointer(m, p.runtime+task.Addr(p.layout.head), 8)
	if err != nil {
		return err
	}
	for range maxInterpreters {
		if interp == 0 {
			return nil
		}
		if err := yield(interp); err != nil {
			return err
		}
		if interp, err = task.ReadPointer(m, interp+task.Addr(p.layout.interp.next), 8); err != nil {
			return err
		}
	}
	return errThreads
}

func (p *Instance) eachThreadOf(m task.Memory, interp task.Addr, left *int, yield func(threadState, task.Addr)) error {
	at, err := task.ReadPointer(m, interp+task.Addr(p.layout.interp.threads), 8)
	b := make([]byte, p.layout.threadBytes())
	for ; at != 0 && err == nil; *left-- {
		if *left == 0 {
			return errThreads
		}
		if err = task.ReadFull(m, b, at); err != nil {
			break
		}
		s := p.layout.state(at, b)
		if s.interp != interp {
			return errChanged
		}
		o := task.Object{Bytes: b}
		yield(s, o.Pointer(p.layout.thread.frame))
		at = o.Pointer(p.layout.thread.next)
	}
	return err
}

// state decodes the first threadBytes of a thread state.
func (l *layout) state(at task.Addr, b []byte) threadState {
	t := &l.thread
	s := threadState{
		at:     at,
		interp: task.Addr(binary.LittleEndian.Uint64(b[t.interp:])),
		handle: binary.LittleEndian.Uint64(b[t.handle:]),
	}
	if t.native != 0 {
		s.native = binary.LittleEndian.Uint64(b[t.native:])
	}
	return s
}
