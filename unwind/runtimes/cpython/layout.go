package cpython

// layout has the offsets of the fields that are read, in bytes.
//
// Those of 3.8 to 3.12 are in the functions below. They come from CPython's headers by
// testdata/offsets.c on x86-64, and are the same for all patch releases.
// They hold for all 64-bit systems with Unix's sizes: what is read, and what is before
// it, are pointers, integers and locks by pointer. Later versions have a table of their
// own offsets, see [debugOffsets].
type layout struct {
	head    int // of the runtime's list of interpreters
	interp  interpLayout
	gil     gilLayout
	thread  threadLayout
	cframe  linkLayout // between thread and frames; size 0: none
	frame   frameLayout
	code    codeLayout
	bytes   bytesLayout
	unicode unicodeLayout
	object  objectLayout
	asyncio taskLayout

	exceptions exceptionLayout
	collection collectionLayout
}

type interpLayout struct{ next, threads int }

// gilLayout has the offset of the GIL.
type gilLayout struct {
	runtime int // in the runtime's state, for all interpreters; 0: not there
	interp  int // a pointer in each interpreter; 0: none
}

type threadLayout struct {
	next, interp int
	handle       int // thread_id: what pthread_self returns
	native       int // native_thread_id; 0: none
	frame        int // the innermost frame, or the cframe
	base         int // the sentinel below the outermost frame; 0: none
}

type linkLayout struct{ next, size int }

type frameLayout struct {
	code, previous int
	instr          int // f_lasti, prev_instr or instr_ptr
	unit           int // instr is an index of units of so many bytes; 0: a pointer
	entry          entryKind
	isEntry        int
	owner          int  // 0: none
	copy           int  // which copy of the bytecode the thread runs; 0: there is one
	tagged         bool // the low bits of code are no part of the pointer
}

// entryKind is how a frame shows that native code called the interpreter to run it.
type entryKind uint8

const (
	everyFrame entryKind = iota // each is
	isEntry                     // by a flag of its own
	entryShim                   // its caller is a frame that the interpreter owns
)

type codeLayout struct {
	size                             int // of a code object, by its type
	name, qualname, filename         int // qualname 0: none
	firstLine, lines                 int
	firstTraceable, bytecode, copies int // 0: none; copies: of the bytecode, for threads
	format                           lineFormat
}

type bytesLayout struct{ size, data int }

type unicodeLayout struct {
	length, state  int
	ascii, compact int  // sizes of the structures; the characters follow
	kind           uint // the first bit of the kind in the state
}

type objectLayout struct{ kind, typeName, typeSize int }

// layoutOf returns the layout of 3.minor, a version without a table of its offsets.
func layoutOf(minor int) (layout, bool) {
	var l layout
	switch minor {
	case 8, 9:
		l = layoutBefore311(104, 1, oldLines)
	case 10:
		l = layoutBefore311(96, 2, deltaLines)
	case 11:
		l = layout311()
	case 12:
		l = layout312()
	default:
		return l, false
	}
	l.gil, l.asyncio = gilOf(minor), taskLayoutOf(minor)
	l.exceptions, l.collection = exceptionsOf(minor), collectionOf(minor)
	return l, true
}

// layoutBefore311 returns the layout of the versions whose frames are objects.
func layoutBefore311(lasti, unit int, format lineFormat) layout {
	return layout{
		head:    32,
		interp:  interpLayout{next: 0, threads: 8},
		thread:  threadLayout{next: 8, interp: 16, handle: 176, frame: 24},
		frame:   frameLayout{code: 32, previous: 24, instr: lasti, unit: unit, entry: everyFrame},
		code:    codeLayout{size: 176, name: 112, filename: 104, firstLine: 40, lines: 120, format: format},
		bytes:   bytesLayout{size: 16, data: 32},
		unicode: unicodeLayout{length: 16, state: 32, ascii: 48, compact: 72, kind: 2},
		object:  objectLayout{kind: 8, typeName: 24, typeSize: 32},
	}
}

func layout311() layout {
	return layout{
		head:   40,
		interp: interpLayout{next: 0, threads: 16},
		thread: threadLayout{next: 8, interp: 16, handle: 152, native: 160, frame: 56},
		cframe: linkLayout{next: 8, size: 16},
		frame:  frameLayout{code: 32, previous: 48, instr: 56, entry: isEntry, isEntry: 68, owner: 69},
		code: codeLayout{
			size: 184, name: 120, qualname: 128, filename: 112, firstLine: 72, lines: 136,
			firstTraceable: 168, bytecode: 184, format: locations,
		},
		bytes:   bytesLayout{size: 16, data: 32},
		unicode: unicodeLayout{length: 16, state: 32, ascii: 48, compact: 72, kind: 2},
		object:  objectLayout{kind: 8, typeName: 24, typeSize: 32},
	}
}

func layout312() layout {
	return layout{
		head:   40,
		interp: interpLayout{next: 0, threads: 72},
		thread: threadLayout{next: 8, interp: 16, handle: 136, native: 144, frame: 56},
		cframe: linkLayout{next: 0, size: 8},
		frame:  frameLayout{code: 0, previous: 8, instr: 56, entry: entryShim, owner: 70},
		code: codeLayout{
			size: 192, name: 120, qualname: 128, filename: 112, firstLine: 68, lines: 136,
			firstTraceable: 176, bytecode: 192, format: locations,
		},
		bytes:   bytesLayout{size: 16, data: 32},
		unicode: unicodeLayout{length: 16, state: 32, ascii: 40, compact: 56, kind: 2},
		object:  objectLayout{kind: 8, typeName: 24, typeSize: 32},
	}
}

// threadBytes returns how much of a thread state is read.
func (l *layout) threadBytes() int {
	t := &l.thread
	return max(t.next, t.interp, t.handle, t.native, t.frame, t.base) + 8
}

// frameBytes returns how much of a frame is read.
func (l *layout) frameBytes() int {
	f := &l.frame
	return max(f.code+8, f.previous+8, f.instr+8, f.isEntry+1, f.owner+1, f.copy+4)
}

// codeBytes returns how much of a code object is read.
func (l *layout) codeBytes() int {
	c := &l.code
	return max(l.object.kind, c.name, c.qualname, c.filename, c.firstLine, c.lines, c.firstTraceable, c.copies) + 8
}
