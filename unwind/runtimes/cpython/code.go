package cpython

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/task"
)

const (
	maxLines  = 1 << 20  // bytes of a table of lines
	maxCached = 32 << 20 // bytes of all that are kept
	maxCode   = 1 << 25  // instructions of a function
	maxCopies = 1 << 16  // of a function's bytecode
	maxFresh  = 1 << 14  // code objects that are not read again
	maxKnown  = 1 << 12  // lines that are kept of a code object
	maxWork   = 1 << 30  // bytes of lines that are loaded and searched between two readings of all threads
)

var errWork = errors.New("the functions have too many lines to search")

// code is what is kept of a code object.
type code struct {
	key            codeKey
	function, file string
	lines          []byte
	lineOf         map[int]int // by offset
}

// size returns how many bytes a code object takes.
func (c *code) size() int {
	const overhead = 256
	return len(c.function) + len(c.file) + len(c.lines) + overhead
}

// codeKey has the words of a code object that differ once its memory has another one.
type codeKey struct {
	name, filename, lines task.Addr
	firstLine             int32
	size                  uint64 // instructions
}

// codeCache has code objects by address.
type codeCache struct {
	codes map[task.Addr]*code
	size  int // bytes of them
}

// add adds a code object. It reports whether all others were dropped.
func (c *codeCache) add(a task.Addr, co *code) (dropped bool) {
	if old := c.codes[a]; old != nil {
		c.size -= old.size()
	}
	c.size += co.size()
	if dropped = c.size > maxCached; dropped || c.codes == nil {
		c.codes, c.size = map[task.Addr]*code{}, co.size()
	}
	c.codes[a] = co
	return dropped
}

// errNotCode means that a frame's executable is another object.
var errNotCode = errors.New("no code object")

// freshCode is a code object with its head.
type freshCode struct {
	*code
	head task.Object
	err  error
}

// maxUses is how many chains are read before code objects are read again.
const maxUses = 256

// refresh has code objects read again, now and then.
func (p *Instance) refresh() {
	if p.uses++; p.uses > maxUses || p.fresh == nil || len(p.fresh) > maxFresh {
		p.forget()
	}
}

// forget has code objects read again.
func (p *Instance) forget() { p.fresh, p.uses = map[task.Addr]freshCode{}, 0 }

// codeAt returns the code object at a.
func (p *Instance) codeAt(m task.Memory, a task.Addr) (freshCode, error) {
	c, ok := p.fresh[a]
	if !ok {
		c = freshCode{head: task.Object{At: a, Bytes: make([]byte, p.layout.codeBytes())}}
		c.code, c.err = p.readCode(m, &c.head)
		if len(p.fresh) > maxFresh {
			p.forget()
		}
		p.fresh[a] = c
	}
	return c, c.err
}

// readCode reads the code object with a head, whose bytes it fills.
func (p *Instance) readCode(m task.Memory, head *task.Object) (*code, error) {
	if err := task.ReadFull(m, head.Bytes, head.At); err != nil {
		return nil, err
	}
	if err := p.checkType(m, head.Pointer(p.layout.object.kind)); err != nil {
		return nil, err
	}
	key := p.layout.codeKey(head)
	if co := p.codes.codes[head.At]; co != nil && co.key == key {
		return co, nil
	}
	co, err := p.layout.loadCode(m, key)
	if err != nil {
		return nil, fmt.Errorf("code object at %v: %w", head.At, err)
	}
	if p.work += len(co.lines); p.work > maxWork {
		return nil, errWork
	}
	if p.codes.add(head.At, co) {
		p.forget() // it has those that were dropped
	}
	return co, nil
}

func (l *layout) codeKey(head *task.Object) codeKey {
	c := &l.code
	k := codeKey{
		name: head.Pointer(l.qualifiedName()), filename: head.Pointer(c.filename), lines: head.Pointer(c.lines),
		firstLine: int32(binary.LittleEndian.Uint32(head.Bytes[c.firstLine:])),
	}
	if c.bytecode != 0 {
		k.size = uint64(head.Pointer(l.object.kind + 8)) // ob_size
	}
	return k
}

// qualifiedName returns the offset of the best name that the version has.
func (l *layout) qualifiedName() int {
	if l.code.qualname != 0 {
		return l.code.qualname
	}
	return l.code.name
}

func (l *layout) loadCode(m task.Memory, key codeKey) (co *code, err error) {
	if key.size > maxCode {
		return nil, fmt.Errorf("it has %d instructions", key.size)
	}
	co = &code{key: key, lineOf: map[int]int{}}
	if co.function, err = l.readString(m, key.name, maxName); err != nil {
		return nil, fmt.Errorf("its name: %w", err)
	}
	if co.file, err = l.readString(m, key.filename, maxPath); err != nil {
		return nil, fmt.Errorf("its file: %w", err)
	}
	if co.lines, err = l.readBytes(m, key.lines, maxLines); err != nil {
		return nil, fmt.Errorf("its lines: %w", err)
	}
	return co, nil
}

// readBytes reads a bytes object of at most limit bytes.
func (l *layout) readBytes(m task.Memory, a task.Addr, limit int) ([]byte, error) {
	size, err := task.ReadPointer(m, a+task.Addr(l.bytes.size), 8)
	if err != nil {
		return nil, err
	}
	if size > task.Addr(limit) {
		return nil, fmt.Errorf("%d bytes at %v", uint64(size), a)
	}
	b := make([]byte, size)
	return b, task.ReadFull(m, b, a+task.Addr(l.bytes.data))
}

// checkType returns errNotCode for a type other than that of code objects, and another
// error if their size is not that of the layout, as in debug builds.
func (p *Instance) checkType(m task.Memory, a task.Addr) error {
	if a == p.codeType && a != 0 {
		return nil
	}
	at, err := task.ReadPointer(m, a+task.Addr(p.layout.object.typeName), 8)
	if err != nil {
		return err
	}
	name, err := task.ReadCString(m, at, 64)
	if err != nil {
		return err
	}
	if name != "code" {
		return errNotCode
	}
	size, err := task.ReadPointer(m, a+task.Addr(p.layout.object.typeSize), 8)
	if err != nil {
		return err
	}
	if size != task.Addr(p.layout.code.size) {
		return fmt.Errorf("code objects have %d bytes, not the %d of CPython %v: a build of another layout", uint64(size), p.layout.code.size, p.version)
	}
	p.codeType = a
	return nil
}

// line returns the line of the instruction of a function at a byte offset.
func (p *Instance) line(c *code, offset int) (int, error) {
	if line, ok := c.lineOf[offset]; ok {
		return line, nil
	}
	if p.work += len(c.lines); p.work > maxWork {
		return 0, errWork
	}
	if len(c.lineOf) == maxKnown {
		clear(c.lineOf)
	}
	line := p.layout.code.format.lineAt(c.lines, int(c.key.firstLine), offset)
	c.lineOf[offset] = line
	return line, nil
}
