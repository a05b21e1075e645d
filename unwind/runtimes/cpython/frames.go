package cpython

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/task"
)

// Owners of frames (enum _frameowner).
const (
	ownedByGenerator   = 1
	ownedByInterpreter = 3 // FRAME_OWNED_BY_CSTACK in 3.12 and 3.13
)

var (
	errNoState     = errors.New("its thread state was not copied")
	errOtherThread = errors.New("its thread state is no longer the thread's")
	errDamaged     = errors.New("the chain of frames is damaged")
	errCut         = errors.New("the chain of frames is cut")
	errInstruction = errors.New("the instruction is not in the function's code")
)

// Frames appends the frames of a chain that was copied while the thread was stopped,
// innermost first. What is immutable is read from m. With an error, the frames before it
// are returned. A code object is read again after the next call of Chains, or after some
// hundred of Frames, in case its memory has another one by then.
//
// A frame without a function is an entry that runs none of the target's: the function has
// not begun yet, or has returned and its variables are being destroyed. It has a native
// frame all the same.
func (p *Instance) Frames(dst []task.ManagedFrame, id task.ThreadID, chain []task.Object, m task.Memory) ([]task.ManagedFrame, error) {
	p.refresh()
	w := walk{p: p, m: m, dst: dst, first: len(dst)}
	err := w.run(id, chain)
	if err != nil {
		err = fmt.Errorf("CPython %v: %w", p.version, err)
	}
	return w.dst, err
}

// base returns the sentinel below the outermost frame, 0 if the version has none.
func (l *layout) base(state *task.Object) task.Addr {
	if l.thread.base == 0 {
		return 0
	}
	return state.Pointer(l.thread.base)
}

// isShim reports whether a frame is a shim, not the sentinel.
func (l *layout) isShim(f *task.Object, base task.Addr) bool {
	return len(f.Bytes) > l.frame.owner && f.Bytes[l.frame.owner] == ownedByInterpreter && f.At != base
}

// walk reads one chain.
type walk struct {
	p     *Instance
	m     task.Memory
	dst   []task.ManagedFrame
	first int // of the frames since the last entry
	base  task.Addr
}

func (w *walk) run(id task.ThreadID, chain []task.Object) error {
	l := &w.p.layout
	if len(chain) == 0 || len(chain[0].Bytes) < l.threadBytes() {
		return errNoState
	}
	state := &chain[0]
	if s, ok := w.p.states[id]; ok && l.state(state.At, state.Bytes) != s {
		return errOtherThread
	}
	w.base = l.base(state)
	next, rest := state.Pointer(l.thread.frame), chain[1:]
	if l.cframe.size != 0 {
		if len(rest) == 0 || rest[0].At != next || next == 0 {
			return errCut
		}
		next, rest = rest[0].Pointer(l.cframe.next), rest[1:]
	}
	return w.frames(next, rest)
}

// frames reads the frames from the one at next on.
func (w *walk) frames(next task.Addr, rest []task.Object) error {
	clear(w.p.seen)
	for i := range rest {
		f := &rest[i]
		switch {
		case next == 0 || f.At != next || w.p.seen[next] || len(f.Bytes) < w.p.layout.frameBytes():
			return errDamaged
		case i == maxFrames:
			return errCut
		}
		w.p.seen[next] = true
		if err := w.frame(f); err != nil {
			return err
		}
		next = f.Pointer(w.p.layout.frame.previous)
	}
	if next != 0 {
		return errCut
	}
	return nil
}

// frame appends a frame, if it is one of the target's functions.
func (w *walk) frame(f *task.Object) error {
	l := &w.p.layout.frame
	if l.entry == entryShim && f.Bytes[l.owner] >= ownedByInterpreter {
		if w.p.layout.isShim(f, w.base) {
			w.entry(f.At)
		}
		return nil
	}
	if err := w.function(f); err != nil {
		return err
	}
	if l.entry == everyFrame || l.entry == isEntry && f.Bytes[l.isEntry] != 0 {
		w.entry(0)
	}
	return nil
}

// entry marks the last frame as an entry, or a frame without a function if there is none
// since the entry before. Shim is where the interpreter's own frame below it is: among the
// variables of the native frame.
func (w *walk) entry(shim task.Addr) {
	if len(w.dst) == w.first {
		w.dst = append(w.dst, task.ManagedFrame{})
	}
	last := &w.dst[len(w.dst)-1]
	last.Entry, last.Shim = true, shim
	w.first = len(w.dst)
}

// function appends a frame, unless it runs no function yet.
func (w *walk) function(f *task.Object) error {
	l := &w.p.layout
	a := f.Pointer(l.frame.code)
	if l.frame.tagged {
		a &^= 3
	}
	if a == 0 {
		return nil
	}
	co, err := w.p.codeAt(w.m, a)
	if err == errNotCode {
		return nil // None
	}
	if err != nil {
		return err
	}
	offset, err := w.p.offset(w.m, f, &co.head)
	if err != nil {
		return fmt.Errorf("%s: %w", co.function, err)
	}
	if l.incomplete(f, &co.head, offset) {
		return nil
	}
	line, err := w.p.line(co.code, offset)
	if err != nil {
		return fmt.Errorf("%s: %w", co.function, err)
	}
	w.dst = append(w.dst, task.ManagedFrame{Function: co.function, File: co.file, Line: line})
	return nil
}

// incomplete reports whether a frame has not reached the first instruction that a trace
// would show (_PyFrame_IsIncomplete).
func (l *layout) incomplete(f, code *task.Object, offset int) bool {
	if l.code.firstTraceable == 0 || f.Bytes[l.frame.owner] == ownedByGenerator {
		return false
	}
	first := int32(binary.LittleEndian.Uint32(code.Bytes[l.code.firstTraceable:]))
	return offset < int(first)*codeUnit
}

// offset returns the offset of a frame's instruction in its code, in bytes. It is
// negative before the first one.
func (p *Instance) offset(m task.Memory, f, code *task.Object) (int, error) {
	l := &p.layout
	if l.frame.unit != 0 {
		index := int(int32(binary.LittleEndian.Uint32(f.Bytes[l.frame.instr:])))
		return index * l.frame.unit, nil
	}
	start := code.At + task.Addr(l.code.bytecode)
	if l.code.copies != 0 {
		var err error
		if start, err = l.bytecodeOf(m, f, code); err != nil {
			return 0, err
		}
	}
	offset := int64(f.Pointer(l.frame.instr) - start)
	if size := int64(code.Pointer(l.object.kind + 8)); offset < -codeUnit || offset > size*codeUnit {
		return 0, errInstruction
	}
	return int(offset), nil
}

// bytecodeOf returns the copy of the bytecode that a frame runs, in free-threaded
// builds (_PyCodeArray: a size, and pointers).
func (l *layout) bytecodeOf(m task.Memory, f, code *task.Object) (task.Addr, error) {
	i := binary.LittleEndian.Uint32(f.Bytes[l.frame.copy:])
	if i >= maxCopies {
		return 0, errInstruction
	}
	return task.ReadPointer(m, code.Pointer(l.code.copies)+8+8*task.Addr(i), 8)
}
