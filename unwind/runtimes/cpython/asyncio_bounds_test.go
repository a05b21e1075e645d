package cpython

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"stacksnap/task"
)

// Kinds of objects of an [endless], each in a region of its own.
const (
	aType = iota + 1
	aTypeName
	aTask
	aFirst // coroutine of a task
	aChained
	aCode
	aString
	someBytes
)

// Types of an [endless].
const (
	taskType = iota
	coroutineType
	codeType
	stringType
	otherType
)

var endlessTypes = []string{"_asyncio.Task", "coroutine", "code", "str", "other"}

const (
	objectRoom = 0x200
	regionSize = 1 << 40
	taskNode   = 160 // offset
)

// endless is the memory of a process with a list of tasks that has no end. Each task has a coroutine
// and code of its own, which awaits the coroutines that follow it among shared ones.
type endless struct {
	depth int // of a chain; 0: it has no end
}

func endlessObject(kind, i int) uint64 { return uint64(kind)*regionSize + uint64(i)*objectRoom }

func (e endless) ReadMemory(b []byte, a task.Addr) (int, error) {
	var w [8]byte
	for n := 0; n < len(b); {
		at := uint64(a) + uint64(n)
		binary.LittleEndian.PutUint64(w[:], e.word(at&^7))
		n += copy(b[n:], w[at&7:])
	}
	return len(b), nil
}

// word returns the aligned word at an address.
func (e endless) word(at uint64) uint64 {
	kind, i, offset := int(at/regionSize), int(at%regionSize/objectRoom), at%objectRoom
	switch kind {
	case aType:
		return typeWord(i, offset)
	case aTypeName:
		var w [8]byte
		if i < len(endlessTypes) && offset < uint64(len(endlessTypes[i])) {
			copy(w[:], endlessTypes[i][offset:])
		}
		return binary.LittleEndian.Uint64(w[:])
	case aTask:
		return taskWord(i, offset)
	case aFirst, aChained:
		return e.coroutineWord(kind, i, offset)
	case aCode:
		return codeWord(i, offset)
	case aString:
		return stringWord(i, offset)
	}
	return 0
}

func taskWord(i int, offset uint64) uint64 {
	switch offset {
	case 8:
		return endlessObject(aType, taskType)
	case 136:
		return endlessObject(aFirst, i)
	case 144:
		return endlessObject(aString, 0)
	case taskNode:
		return endlessObject(aTask, i+1) + taskNode
	}
	return 0
}

func codeWord(i int, offset uint64) uint64 {
	switch offset {
	case 8:
		return endlessObject(aType, codeType)
	case 16:
		return 10 // instructions
	case 112, 128:
		return endlessObject(aString, i)
	case 136:
		return endlessObject(someBytes, 0)
	}
	return 0
}

func stringWord(i int, offset uint64) uint64 {
	switch offset {
	case 8:
		return endlessObject(aType, stringType)
	case 16:
		return 8 // characters
	case 32:
		return 1<<2 | 1<<5 | 1<<6 // of one byte, compact, ASCII
	case 40:
		return 0x3030303030303030 + uint64(i&7)
	}
	return 0
}

func typeWord(i int, offset uint64) uint64 {
	switch offset {
	case 24:
		return endlessObject(aTypeName, i)
	case 32:
		return 192 // of code objects
	}
	return 0
}

func (e endless) coroutineWord(kind, i int, offset uint64) uint64 {
	const frame = 72
	next, code := endlessObject(aChained, i%4096), endlessObject(aCode, i)
	if kind == aChained {
		next, code = endlessObject(aChained, i+1), endlessObject(aCode, 0)
	}
	if e.depth != 0 && (kind == aChained && (i+1)%e.depth == 0 || e.depth == 1) {
		next = endlessObject(aType, otherType) // any object
	}
	switch offset {
	case 8:
		return endlessObject(aType, coroutineType)
	case 32:
		return endlessObject(aString, 0)
	case 64:
		return 0xff << 24 // FRAME_SUSPENDED_YIELD_FROM
	case frame:
		return code
	case frame + 56:
		return code + 192
	case frame + 64:
		return 1 | ownedByGenerator<<48 // values on the stack, owner
	case frame + 72:
		return next
	}
	return 0
}

// reader returns a reader of the tasks.
func (e endless) reader() taskReader {
	p := &Instance{version: 3<<24 | 13<<16, layout: layout312(), runtime: 0xff0}
	p.layout.asyncio = taskLayoutOf(12)
	p.layout.asyncio.hasLists = true
	return taskReader{objects: objects{p: p}, seen: map[task.Addr]bool{}, offsets: taskOffsets{coro: 136, name: 144, node: taskNode}}
}

// TestTasksOfALiarAreBounded: what is kept is bounded, and what is left out is counted.
func TestTasksOfALiarAreBounded(t *testing.T) {
	const part = 8 // of the bounds, to save time
	for name, tt := range map[string]struct {
		memory endless
		deep   bool
	}{
		"flat":        {memory: endless{depth: 1}},
		"deep":        {memory: endless{depth: 4000}},
		"without end": {endless{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := tt.memory.reader()
			before := heap()
			r.begin(tt.memory)
			r.m.left, r.room.left = r.m.left/part, r.room.left/part
			now := r.readEach(endlessTasks())
			r.objects, r.room = objects{}, taskRoom{}
			if kept := heap() - before; kept > 2*maxKept/part {
				t.Errorf("%d MB are kept of %d tasks", kept>>20, len(now.order))
			}
			frames := 0
			for _, at := range now.order {
				frames += len(now.tasks[at].Frames)
			}
			if m := now.missing; m.Unread != 0 || m.LeftOut == 0 || m.Deep > 0 != tt.deep || len(now.order) > 0 == tt.deep {
				t.Errorf("%d tasks of %d frames, and %+v", len(now.order), frames, m)
			}
			runtime.KeepAlive(now)
		})
	}
}

// endlessTasks returns the addresses of more tasks than are read.
func endlessTasks() []task.Addr {
	all := make([]task.Addr, maxTasks+1)
	for i := range all {
		all[i] = task.Addr(endlessObject(aTask, i))
	}
	return all
}

// TestListsAndSetsOfALiarEnd: neither a list of tasks without end, nor one that leads back to
// another than its head, is followed for ever.
func TestListsAndSetsOfALiarEnd(t *testing.T) {
	r := endless{depth: 1}.reader()
	r.m = newPages(endless{depth: 1})
	if all, err := r.fromList(nil, task.Addr(endlessObject(aTask, 0)+taskNode)); err != nil && !errors.Is(err, errPages) || len(all) > maxTasks+1 {
		t.Errorf("%d tasks, %v", len(all), err)
	}
}

// TestPagesAreBounded: neither the memory that is known nor all that is read is without a bound.
func TestPagesAreBounded(t *testing.T) {
	p := newPages(zeros{})
	b := make([]byte, 8)
	n := 0
	for ; n < 2*maxPageReads; n++ {
		if _, err := p.ReadMemory(b, task.Addr(n*pageSize)); err != nil {
			break
		}
		if len(p.known) > maxPages {
			t.Fatalf("%d pages are known", len(p.known))
		}
	}
	if n != maxPageReads {
		t.Errorf("%d pages were read", n)
	}
}

// zeros is memory of zeros.
type zeros struct{}

func (zeros) ReadMemory(b []byte, _ task.Addr) (int, error) { return len(b), nil }

func heap() int {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}
