package cpython

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/task"
)

// cookie begins the runtime's state from 3.13 on.
const cookie = "xdebugpy"

// debugOffsets has the positions of fields in _Py_DebugOffsets, the table at the start of
// the runtime's state (Include/internal/pycore_debug_offsets.h; pycore_runtime.h in 3.13).
// It is an array of 64-bit words: the cookie, the version, whether the build is
// free-threaded, and offsets, which each minor version adds to and moves. Words are
// counted from 0, and 0 is the position of a field that the version does not have.
type debugOffsets struct {
	words int // all of them

	head                                                                                 int
	interpNext, interpThreads, interpGIL, interpGC, collecting                           int
	threadNext, threadInterp, threadFrame, threadBase, threadHandle, threadNative        int
	framePrevious, frameCode, frameInstr, frameOwner, frameCopy                          int
	codeFile, codeName, codeQualname, codeLines, codeFirstLine, codeBytecode, codeCopies int
	objectType, typeName                                                                 int
	bytesSize, bytesData                                                                 int
	unicodeSize, unicodeState, unicodeLength, unicodeASCII                               int
	modules, stackPointer, generatorFrame, generatorState, nextNode                      int
}

// The first words of all versions.
const (
	versionWord      = 1
	freeThreadedWord = 2
)

// debugOffsetsOf returns the table of 3.minor.
func debugOffsetsOf(minor int) (debugOffsets, bool) {
	switch minor {
	case 13:
		return debugOffsets{
			words: 73, head: 5, interpNext: 8, interpThreads: 9, interpGIL: 14,
			threadNext: 21, threadInterp: 22, threadFrame: 23, threadHandle: 24, threadNative: 25,
			framePrevious: 29, frameCode: 30, frameInstr: 31, frameOwner: 33,
			codeFile: 35, codeName: 36, codeQualname: 37, codeLines: 38, codeFirstLine: 39, codeBytecode: 43,
			objectType: 45, typeName: 47, bytesSize: 65, bytesData: 66,
			unicodeSize: 67, unicodeState: 68, unicodeLength: 69, unicodeASCII: 70,
			modules: 11, interpGC: 10, collecting: 72,
		}, true
	case 14:
		return debugOffsets{
			words: 95, head: 5, interpNext: 8, interpThreads: 9, interpGIL: 15,
			threadNext: 24, threadInterp: 25, threadFrame: 26, threadHandle: 27, threadNative: 28,
			framePrevious: 32, frameCode: 33, frameInstr: 34, frameOwner: 36, frameCopy: 38,
			codeFile: 40, codeName: 41, codeQualname: 42, codeLines: 43, codeFirstLine: 44, codeBytecode: 48, codeCopies: 49,
			objectType: 51, typeName: 53, bytesSize: 75, bytesData: 76,
			unicodeSize: 77, unicodeState: 78, unicodeLength: 79, unicodeASCII: 80,
			modules: 12, stackPointer: 37, generatorFrame: 85, generatorState: 86, nextNode: 87, interpGC: 11, collecting: 82,
		}, true
	case 15:
		return debugOffsets{
			words: 111, head: 5, interpNext: 8, interpThreads: 9, interpGIL: 15,
			threadNext: 24, threadInterp: 25, threadFrame: 26, threadBase: 27, threadHandle: 30, threadNative: 31,
			framePrevious: 40, frameCode: 41, frameInstr: 42, frameOwner: 44, frameCopy: 46,
			codeFile: 48, codeName: 49, codeQualname: 50, codeLines: 51, codeFirstLine: 52, codeBytecode: 56, codeCopies: 57,
			objectType: 59, typeName: 61, bytesSize: 87, bytesData: 88,
			unicodeSize: 89, unicodeState: 90, unicodeLength: 91, unicodeASCII: 92,
			modules: 12, stackPointer: 45, generatorFrame: 101, generatorState: 102, nextNode: 103, interpGC: 11, collecting: 95,
		}, true
	}
	return debugOffsets{}, false
}

// Limits of what an offset may be, in bytes. The state of an interpreter has most of the
// runtime's tables in it.
const (
	maxStateOffset  = 16 << 20
	maxObjectOffset = 4 << 10
)

var errOffsets = errors.New("its table of offsets is damaged")

// readOffsets reads the layout from the table at the start of the runtime's state at a.
func readOffsets(m task.Memory, a task.Addr, v version) (layout, error) {
	d, ok := debugOffsetsOf(v.minor())
	if !ok {
		return layout{}, errLayout
	}
	b := make([]byte, 8*d.words)
	if err := task.ReadFull(m, b, a); err != nil {
		return layout{}, fmt.Errorf("its table of offsets: %w", err)
	}
	w := words{b: b}
	free := w.at(freeThreadedWord, 1) != 0
	l := d.layout(&w, v.minor(), free)
	if !free {
		l.asyncio = d.taskLayout(&w, v.minor())
	}
	l.frame.tagged = v.minor() >= 14
	l.unicode.kind = 2
	if free && v.minor() >= 14 {
		l.unicode.kind = 8 // the byte before it can be changed atomically
	}
	if w.bad || !l.whole() {
		return layout{}, errOffsets
	}
	return l, nil
}

// words are the words of a table of offsets.
type words struct {
	b   []byte
	bad bool // one was beyond its limit
}

// at returns word i, 0 if i is 0 or if the word is beyond a limit.
func (w *words) at(i, limit int) int {
	if i == 0 {
		return 0
	}
	v := binary.LittleEndian.Uint64(w.b[8*i:])
	if v > uint64(limit) {
		w.bad = true
		return 0
	}
	return int(v)
}

func (d *debugOffsets) layout(w *words, minor int, free bool) layout {
	state := func(i int) int { return w.at(i, maxStateOffset) }
	object := func(i int) int { return w.at(i, maxObjectOffset) }
	l := layout{
		head:   state(d.head),
		interp: interpLayout{next: state(d.interpNext), threads: state(d.interpThreads)},
		thread: threadLayout{
			next: object(d.threadNext), interp: object(d.threadInterp), frame: object(d.threadFrame),
			base: object(d.threadBase), handle: object(d.threadHandle), native: object(d.threadNative),
		},
		frame: frameLayout{
			code: object(d.frameCode), previous: object(d.framePrevious), instr: object(d.frameInstr),
			owner: object(d.frameOwner), entry: entryShim,
		},
		code: codeLayout{
			name: object(d.codeName), qualname: object(d.codeQualname), filename: object(d.codeFile),
			firstLine: object(d.codeFirstLine), lines: object(d.codeLines), bytecode: object(d.codeBytecode),
			format: locations,
		},
		bytes: bytesLayout{size: object(d.bytesSize), data: object(d.bytesData)},
		unicode: unicodeLayout{
			length: object(d.unicodeLength), state: object(d.unicodeState),
			ascii: object(d.unicodeASCII), compact: object(d.unicodeSize) - 8, // a pointer ends the larger one
		},
		object: objectLayout{kind: object(d.objectType), typeName: object(d.typeName), typeSize: object(d.typeName) + 8},
	}
	if own := state(d.interpGIL + 1); !free && state(d.interpGIL+3) == own+gilLocked && state(d.interpGIL+4) == own+gilHolder {
		l.gil.interp = state(d.interpGIL)
	}
	l.exceptions, l.collection.interp = exceptionsOf(minor), state(d.interpGC)+object(d.collecting)
	l.code.size = l.code.bytecode
	l.code.firstTraceable = l.code.bytecode - 16 // int _co_firsttraceable; void *co_extra
	if free && d.codeCopies != 0 {
		l.frame.copy, l.code.copies = object(d.frameCopy), object(d.codeCopies)
		l.code.firstTraceable -= 8 // _PyCodeArray *co_tlbc
	}
	return l
}

// whole reports whether all fields that every version has are there.
func (l *layout) whole() bool {
	for _, v := range []int{
		l.head, l.interp.threads, l.thread.next, l.thread.interp, l.thread.frame, l.thread.handle, l.thread.native,
		l.frame.previous, l.frame.instr, l.frame.owner, l.code.name, l.code.qualname, l.code.filename,
		l.code.firstLine, l.code.lines, l.code.firstTraceable, l.bytes.size, l.bytes.data,
		l.unicode.length, l.unicode.state, l.unicode.ascii, l.unicode.compact, l.object.kind, l.object.typeName,
	} {
		if v <= 0 {
			return false
		}
	}
	return true
}
