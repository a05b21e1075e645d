package unwind

import (
	"errors"

	"stacksnap/task"
)

// Kind says how a native frame relates to an interpreter.
type Kind uint8

// The kinds.
const (
	Unrelated     Kind = iota // not part of an interpreter
	OfInterpreter             // a function of the interpreter itself
	EvalLoop                  // a function whose name says that it runs managed frames
)

// ErrApart means that an interpreter's frames do not belong to a native stack: they
// were copied at another moment, or one of the two is incomplete.
var ErrApart = errors.New("the interpreter's frames and the native stack do not match")

// Join appends to dst a stack in which an interpreter's managed frames replace its
// native ones. Both lists have the innermost frame first. Each frame of the
// interpreter's loop in the native stack runs one segment of the managed frames,
// which ends with an entry frame:
//
//	native:   nanosleep  time_sleep  LOOP           call  LOOP    main
//	managed:                         inner outer*         module*
//	joined:   nanosleep  time_sleep  inner outer          module  main
//
// A loop is the native frame that contains an entry's shim; without shims, a frame
// that has the name of a loop. The interpreter's own frames between two loops are
// left out. If all is true, they and the loops stay, each loop as the caller of its
// segment. stop is the native stack's: managed frames beyond an incomplete native
// stack are appended.
func Join(dst, native []Frame, stop Stop, managed []task.ManagedFrame, kind func(*Frame) Kind, all bool) ([]Frame, error) {
	segments := countSegments(managed)
	loops := loopsByShims(native, managed)
	sure := loops != nil
	if !sure {
		loops = loopsByName(native, kind)
	}
	idle, err := countIdle(len(loops), segments, stop.Reason == Bottom)
	if err != nil || segments == 0 {
		return append(dst, native...), err
	}
	first, begun, last := loops[0], loops[idle], loops[len(loops)-1]
	loops = loops[idle:]
	for i := range native {
		f := &native[i]
		k := kind(f)
		switch {
		case len(loops) > 0 && i == loops[0]:
			dst, managed = appendSegment(dst, f, managed, all)
			loops = loops[1:]
		case all, k == Unrelated, k == OfInterpreter && (i < first || i > last), k == EvalLoop && i < begun && !sure:
			dst = append(dst, *f)
		}
	}
	for len(managed) > 0 { // the native stack was cut
		dst, managed = appendSegment(dst, &native[last], managed, false)
	}
	return dst, nil
}

// JoinLater is Join for managed frames of a later moment than the native stack: the thread has run
// since, and where the loops are now is not known. Of the native frames only the callers of the
// outermost loop are kept, as if it were still the same one.
func JoinLater(dst, native []Frame, managed []task.ManagedFrame, kind func(*Frame) Kind) []Frame {
	for i := range managed {
		if managed[i].Function != "" {
			dst = append(dst, Frame{Managed: &managed[i]})
		}
	}
	if i := OutermostLoop(native, kind); i >= 0 {
		dst = append(dst, native[i+1:]...)
	}
	return dst
}

// OutermostLoop returns the index of the outermost frame that runs managed frames by its name, -1 if
// there is none.
func OutermostLoop(native []Frame, kind func(*Frame) Kind) int {
	for i := len(native) - 1; i >= 0; i-- {
		if kind(&native[i]) == EvalLoop {
			return i
		}
	}
	return -1
}

// loopsByName returns the indices of the frames whose names are those of loops.
func loopsByName(native []Frame, kind func(*Frame) Kind) (loops []int) {
	for i := range native {
		if kind(&native[i]) == EvalLoop {
			loops = append(loops, i)
		}
	}
	return loops
}

// loopsByShims returns the indices of the frames that contain the shims of entries.
// It returns nil if a shim is unknown or in no frame. If the native stack was cut,
// there are fewer indices than entries.
func loopsByShims(native []Frame, managed []task.ManagedFrame) (loops []int) {
	i := 0
	for j := range managed {
		f := &managed[j]
		if !f.Entry && j < len(managed)-1 {
			continue
		}
		for i < len(native)-1 && (native[i].SP == 0 || native[i+1].SP <= f.Shim) {
			i++
		}
		switch {
		case f.Shim == 0 || f.Shim < native[i].SP:
			return nil
		case i == len(native)-1:
			return loops
		}
		loops = append(loops, i)
		i++
	}
	return loops
}

// countIdle returns how many of the innermost loops run no segment. One may have not
// begun its first function yet, or have ended its last one. whole reports that the
// native stack is complete.
func countIdle(loops, segments int, whole bool) (int, error) {
	idle := loops - segments
	switch {
	case segments == 0 && loops <= 1:
		return loops, nil
	case segments == 0 || loops == 0, idle > 1 || idle > 0 && !whole, idle < 0 && whole:
		return 0, ErrApart
	}
	return max(0, idle), nil
}

// countSegments counts the segments of managed frames. The last segment may lack an
// entry frame.
func countSegments(managed []task.ManagedFrame) (n int) {
	for i := range managed {
		if managed[i].Entry || i == len(managed)-1 {
			n++
		}
	}
	return n
}

// appendSegment appends the next segment of managed frames, which loop runs, and
// returns the remaining managed frames. The loop itself follows if keep is true, or
// if it runs no function.
func appendSegment(dst []Frame, loop *Frame, managed []task.ManagedFrame, keep bool) (joined []Frame, rest []task.ManagedFrame) {
	before := len(dst)
	for i := range managed {
		if managed[i].Function != "" {
			f := *loop
			f.Managed = &managed[i]
			dst = append(dst, f)
		}
		rest = managed[i+1:]
		if managed[i].Entry {
			break
		}
	}
	if keep || len(dst) == before {
		dst = append(dst, *loop)
	}
	return dst, rest
}
