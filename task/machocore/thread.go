package machocore

import (
	"encoding/binary"
	"fmt"

	"stacksnap/task"
)

// thread is what the core has of one thread.
type thread struct {
	id    task.ThreadID
	name  string
	queue string
	regs  *task.Registers // nil: err says why
	err   error
}

// parseThread decodes the states in an LC_THREAD: flavor, count of 32-bit words, that
// many words, and so on to the command's end. It skips states without general
// registers, and stops at an impossible count, keeping what came before.
func parseThread(arch task.Arch, body []byte, at int64) thread {
	var t thread
	for pos := 0; len(body)-pos >= 8 && t.regs == nil; {
		flavor, count := binary.LittleEndian.Uint32(body[pos:]), binary.LittleEndian.Uint32(body[pos+4:])
		pos += 8
		if count == 0 || uint64(count)*4 > uint64(len(body)-pos) {
			t.err = &FormatError{Offset: at, Reason: fmt.Sprintf("a thread state of flavor %d claims %d words where there are %d", flavor, count, (len(body)-pos)/4)}
			return t
		}
		t.take(arch, flavor, body[pos:pos+int(count)*4], at)
		pos += int(count) * 4
	}
	if t.regs == nil && t.err == nil {
		t.err = &FormatError{Offset: at, Reason: "a thread without general registers"}
	}
	return t
}

// take keeps a state's registers, if it has them.
func (t *thread) take(arch task.Arch, flavor uint32, state []byte, at int64) {
	l, state := flavorLayout(arch, flavor, state)
	if l == nil {
		return
	}
	regs, ok := l.registers(state)
	switch {
	case !ok:
		t.err = &FormatError{Offset: at, Reason: fmt.Sprintf("a thread state of flavor %d is too short", flavor)}
	case l.arch != arch:
		t.err = &FormatError{Offset: at, Reason: fmt.Sprintf("a thread has the registers of %v in a core of %v", l.arch, arch)}
	default:
		t.regs, t.err = regs, nil
	}
}
