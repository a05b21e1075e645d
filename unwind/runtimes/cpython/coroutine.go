package cpython

import (
	"encoding/binary"
	"fmt"

	"stacksnap/task"
)

// generatorLayout has offsets in coroutines and generators, which have the same fields.
type generatorLayout struct {
	frame    int  // of the frame
	embedded bool // it is a part of the object; else a pointer
	state    int  // 0: the frame has it, or there is none
	qualname int
	stack    int // in the frame: the top of its stack, as a pointer or as a number
	values   int // in the frame: where the values are that the number counts; 0: a pointer
	running  int // 3.8 and 3.9: a byte of the generator; 3.10: the state in the frame
}

// generatorState is what a coroutine does.
type generatorState uint8

const (
	suspended generatorState = iota
	awaiting                 // suspended, in an await or yield from
	executing
	finished
)

// maxAwaits is the length of the longest chain of coroutines that is read.
const maxAwaits = 4096

// coroutineChain is a coroutine and what it awaits, down to what is no coroutine.
type coroutineChain struct {
	frames  []task.ManagedFrame // the outermost first
	names   []string            // qualified names of the frames
	waiter  task.Addr           // the innermost future; 0: none
	other   string              // the type of the innermost object that is awaited, if it is no future
	running bool
	ended   bool
}

// chainOf follows what a coroutine awaits.
func (r *taskReader) chainOf(at task.Addr) (c coroutineChain, err error) {
	clear(r.seen)
	for at != 0 {
		switch {
		case r.seen[at]:
			return c, errDamaged
		case len(r.seen) == maxAwaits:
			return c, errDeep
		}
		r.seen[at] = true
		t, err := r.typeOf(at)
		if err != nil {
			return c, err
		}
		switch {
		case t.builtin("coroutine"), t.builtin("generator"), t.builtin("async_generator"):
			at, err = r.generator(&c, at)
		case t.builtin("async_generator_asend"), t.builtin("async_generator_athrow"),
			t.builtin("coroutine_wrapper"), t.builtin("anext_awaitable"):
			at, err = r.pointer(at + itemOfWrapper)
		case t.name == "_asyncio.FutureIter":
			c.waiter, err = r.pointer(at + itemOfWrapper)
			return c, err
		default:
			c.other = lastName(t.name)
			return c, nil
		}
		if err != nil || c.running || c.ended {
			return c, err
		}
	}
	return c, nil
}

// generator adds the frame of a generator, and returns what it awaits.
func (r *taskReader) generator(c *coroutineChain, at task.Addr) (task.Addr, error) {
	g := &r.p.layout.asyncio.generator
	frame := at + task.Addr(g.frame)
	if !g.embedded {
		var err error
		if frame, err = r.pointer(frame); err != nil {
			return 0, err
		}
	}
	if frame == 0 {
		c.ended = true
		return 0, nil
	}
	f := task.Object{At: frame, Bytes: make([]byte, max(r.p.layout.frameBytes(), g.stack+8, g.values))}
	if err := task.ReadFull(r.m, f.Bytes, frame); err != nil {
		return 0, err
	}
	state, err := r.generatorState(at, &f)
	switch {
	case err != nil:
		return 0, err
	case state == executing || state == finished:
		c.running, c.ended = state == executing, state == finished
		return 0, nil
	}
	if err := r.addFrame(c, at, &f); err != nil || state != awaiting {
		return 0, err
	}
	return r.stackTop(&f)
}

func (r *taskReader) addFrame(c *coroutineChain, at task.Addr, f *task.Object) error {
	w := walk{p: r.p, m: r.m, dst: c.frames}
	if err := w.function(f); err != nil {
		return err
	}
	if len(w.dst) == len(c.frames) {
		return errDamaged
	}
	c.frames = w.dst
	name, err := r.qualname(at)
	if err != nil {
		return err
	}
	last := &c.frames[len(c.frames)-1]
	if r.p.layout.code.qualname == 0 {
		last.Function = name
	}
	last.Entry = true
	c.names = append(c.names, name)
	return nil
}

// qualname returns the qualified name of a coroutine or generator.
func (r *taskReader) qualname(at task.Addr) (string, error) {
	name, err := r.pointer(at + task.Addr(r.p.layout.asyncio.generator.qualname))
	if err != nil {
		return "", err
	}
	if !r.isBuiltin(name, "str") {
		return "", errObject
	}
	return r.p.layout.readString(r.m, name, maxName)
}

// generatorState returns what the generator with a frame does.
func (r *taskReader) generatorState(at task.Addr, f *task.Object) (generatorState, error) {
	g := &r.p.layout.asyncio.generator
	minor := r.p.minor()
	from := at + task.Addr(g.state)
	switch {
	case minor < 10:
		from = at + task.Addr(g.running)
	case minor == 10:
		from = f.At + task.Addr(g.running)
	}
	var b [1]byte
	if err := task.ReadFull(r.m, b[:], from); err != nil {
		return 0, err
	}
	switch {
	case minor >= 10:
		return r.stateOf(int8(b[0]), f)
	case b[0] != 0:
		return executing, nil
	}
	return r.byInstruction(f)
}

// stateOf decodes the state of a generator (enum _framestate).
func (r *taskReader) stateOf(s int8, f *task.Object) (generatorState, error) {
	minor := r.p.minor()
	if minor >= 15 { // created 0, suspended 1, in yield from 2 and 3, executing 4, cleared 5
		switch s {
		case 0, 1:
			return suspended, nil
		case 2, 3:
			return awaiting, nil
		case 4:
			return executing, nil
		case 5:
			return finished, nil
		}
		return 0, errDamaged
	}
	switch {
	case s == 0:
		return executing, nil
	case s > 0 && s <= 4:
		return finished, nil
	case minor >= 13 && s == -1:
		return awaiting, nil
	case s >= -3 && minor >= 13, s == -2:
		return suspended, nil
	case s == -1:
		return r.byInstruction(f)
	}
	return 0, errDamaged
}

// Instructions by which a frame of 3.12 or earlier is seen to be in an await.
const (
	opYieldFrom          = 72
	opResumeQuick        = 150 // 3.11
	opResume             = 151
	opInstrumentedResume = 240 // 3.12
	resumeAfterYieldFrom = 2   // and 3: after an await
)

// byInstruction returns whether a frame is suspended or awaiting, by its next instruction.
func (r *taskReader) byInstruction(f *task.Object) (generatorState, error) {
	l := &r.p.layout
	at := f.Pointer(l.frame.instr)
	if l.frame.unit != 0 {
		index := int32(binary.LittleEndian.Uint32(f.Bytes[l.frame.instr:]))
		if index < 0 {
			return suspended, nil
		}
		const coCode = 48 // in a code object
		code, err := r.pointer(f.Pointer(l.frame.code) + coCode)
		if err != nil {
			return 0, err
		}
		at = code + task.Addr(l.bytes.data) + task.Addr(index)*task.Addr(l.frame.unit)
	}
	var op [2]byte
	if err := task.ReadFull(r.m, op[:], at+codeUnit); err != nil {
		return 0, err
	}
	if isAwait(op, r.p.minor()) {
		return awaiting, nil
	}
	return suspended, nil
}

// isAwait reports whether a frame of 3.minor that goes on with an instruction is in an await.
func isAwait(op [2]byte, minor int) bool {
	if minor < 11 {
		return op[0] == opYieldFrom
	}
	resumes := op[0] == opResume || minor == 11 && op[0] == opResumeQuick || minor == 12 && op[0] == opInstrumentedResume
	return resumes && op[1] >= resumeAfterYieldFrom
}

// stackTop returns the last value on the stack of a frame: what it awaits.
func (r *taskReader) stackTop(f *task.Object) (task.Addr, error) {
	const maxStack = 1 << 20
	l := &r.p.layout
	g := &l.asyncio.generator
	top := f.Pointer(g.stack)
	if g.values != 0 {
		n := int32(top)
		if n <= 0 || n > maxStack {
			return 0, fmt.Errorf("a stack of %d values", n)
		}
		values := f.Pointer(g.values) // f_valuestack, which has f_stackdepth values
		if g.embedded {
			values = f.At + task.Addr(g.values) // localsplus, which has stacktop
		}
		top = values + 8*task.Addr(n)
	}
	last := task.Addr(8)
	if r.p.minor() >= 15 {
		last = 16 // an iterator's index is on top of it
	}
	if top < last {
		return 0, errDamaged
	}
	v, err := r.pointer(top - last)
	if l.frame.tagged {
		v &^= 3
	}
	return v, err
}
