package cpython

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// taskLayout has the offsets by which asyncio's tasks are found and read, in builds with the
// GIL. Those of 3.8 to 3.13 in _asyncio.Task come from its objects, by
// scripts/fixtures/asynciooffsets.py; later versions have a table, see [readTaskOffsets].
type taskLayout struct {
	modules    int // of an interpreter: sys.modules; 0: tasks are not read
	coro, name int // of a task; 0: see readTaskOffsets
	cachedKeys int // of a type
	generator  generatorLayout
	hasLists   bool // tasks are in linked lists, and _asyncio has a table of offsets
	next       int  // of a node of a list
}

// taskLayoutOf returns the layout of 3.minor, a version without a table of its offsets.
func taskLayoutOf(minor int) taskLayout {
	old := generatorLayout{frame: 16, qualname: 56, running: 24, stack: 72}
	switch minor {
	case 8:
		return taskLayout{modules: 56, coro: 112, name: 120, cachedKeys: 872, generator: old}
	case 9:
		return taskLayout{modules: 856, coro: 152, name: 160, cachedKeys: 864, generator: old}
	case 10:
		return taskLayout{
			modules: 856, coro: 160, name: 168, cachedKeys: 872,
			generator: generatorLayout{frame: 16, qualname: 48, running: 108, stack: 80, values: 64},
		}
	case 11:
		return taskLayout{
			modules: 888, coro: 136, name: 144, cachedKeys: 872,
			generator: generatorLayout{frame: 80, embedded: true, state: 75, qualname: 40, stack: 64, values: 72},
		}
	case 12:
		return taskLayout{modules: 944, coro: 136, name: 144, cachedKeys: 880, generator: generator312()}
	}
	return taskLayout{}
}

func generator312() generatorLayout {
	return generatorLayout{frame: 72, embedded: true, state: 67, qualname: 32, stack: 64, values: 72}
}

// taskLayout returns the layout of 3.13 or later.
func (d *debugOffsets) taskLayout(w *words, minor int) taskLayout {
	l := taskLayout{modules: w.at(d.modules, maxStateOffset), cachedKeys: 880, generator: generator312()}
	if minor == 13 {
		l.coro, l.name = 120, 128
		return l
	}
	if minor == 15 {
		l.cachedKeys = 888
	}
	l.hasLists, l.next = true, w.at(d.nextNode, maxObjectOffset)
	g := &l.generator
	g.frame, g.state = w.at(d.generatorFrame, maxObjectOffset), w.at(d.generatorState, maxObjectOffset)
	g.stack, g.values = w.at(d.stackPointer, maxObjectOffset), 0
	return l
}

// taskOffsets is struct Py_AsyncioModuleDebugOffsets of 3.14 and later
// (Modules/_asynciomodule.c).
type taskOffsets struct {
	coro, name, node int // of a task
	interp, thread   int // the list's head in the state of an interpreter, and of a thread
}

// Words of the table.
const (
	taskNameWord   = 1
	taskCoroWord   = 5
	taskNodeWord   = 6
	interpHeadWord = 8
	threadHeadWord = 12
	taskWords      = 13
)

var errTaskOffsets = errors.New("asyncio's table of offsets is damaged")

// readTaskOffsets reads the table in the section AsyncioDebug, which is in the module
// _asyncio or in what it is linked into. It returns false if no image has it.
func readTaskOffsets(m task.Memory, in *images.Map) (o taskOffsets, ok bool, err error) {
	for _, im := range in.Images {
		f, has := im.File.(object.DataFinder)
		if name := im.Name(); !has || !im.Main && !strings.Contains(name, "_asyncio") && !strings.Contains(name, "python") {
			continue
		}
		at, size, found := sectionOf(f, "AsyncioDebug")
		switch {
		case !found:
			continue
		case size < 8*taskWords:
			return o, true, errTaskOffsets
		}
		o, err = decodeTaskOffsets(m, im.Addr(at))
		return o, true, err
	}
	return o, false, nil
}

func decodeTaskOffsets(m task.Memory, a task.Addr) (taskOffsets, error) {
	var b [8 * taskWords]byte
	if err := task.ReadFull(m, b[:], a); err != nil {
		return taskOffsets{}, fmt.Errorf("asyncio's table of offsets: %w", err)
	}
	w := words{b: b[:]}
	o := taskOffsets{
		coro: w.at(taskCoroWord, maxObjectOffset), name: w.at(taskNameWord, maxObjectOffset), node: w.at(taskNodeWord, maxObjectOffset),
		interp: w.at(interpHeadWord, maxStateOffset), thread: w.at(threadHeadWord, maxStateOffset),
	}
	if size := binary.LittleEndian.Uint64(b[:]); w.bad || o.coro == 0 || o.name == 0 || o.node == 0 || size > maxObjectOffset {
		return o, errTaskOffsets
	}
	return o, nil
}
