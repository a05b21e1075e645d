package unwind

import (
	"errors"

	"stacksnap/task"
)

// Kind is what a native frame is to an interpreter.
type Kind uint8

// The kinds.
const (
	Unrelated     Kind = iota // of no interpreter
	OfInterpreter             // of the interpreter's own functions
	EvalLoop                  // by its name it runs managed frames
)

// ErrApart means that an interpreter's frames do not belong to a native stack: they were
// copied at another moment, or one of the two is not whole.
var ErrApart = errors.New("the interpreter's frames and the native stack do not match")

// Join appends a stack to dst in which an interpreter's frames are in place of its native
// ones. Both lists have the innermost first. Each frame of the interpreter's loop in the native
// stack runs one segment of the managed frames, which ends with an entry:
//
//	native:   nanosleep  time_sleep  LOOP           call  LOOP    main
//	managed:                         inner outer*         module*
//	joined:   nanosleep  time_sleep  inner outer          module  main
//
// A loop is the native frame that an entry's shim lies in; without shims, one that has its
// name. What is between two loops and of the interpreter itself is left out; with all, it and
// the loops stay, each loop as the caller of its segment. Stop is that of the native stack:
// callers that it lacks are appended if the managed frames have them.
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

// JoinLater is Join where the managed frames are of a later moment than the native stack: the thread
// has run since, and where the loops are now is not known. Of the native frames only those stay
// that called the outermost loop, as if it were still the same.
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

// loopsByName returns the indices of the frames that run managed frames by their names.
func loopsByName(native []Frame, kind func(*Frame) Kind) (loops []int) {
	for i := range native {
		if kind(&native[i]) == EvalLoop {
			loops = append(loops, i)
		}
	}
	return loops
}

// loopsByShims returns the indices of the frames that the shims of entries lie in, nil if that
// is not known of each. Where the native stack is cut, there are fewer than entries.
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

// countIdle returns how many of the innermost loops run no segment: one may not have begun its
// first function, or have ended its last one. Whole says that the native stack is.
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

// countSegments counts the segments of managed frames, with the last one that has no end.
func countSegments(managed []task.ManagedFrame) (n int) {
	for i := range managed {
		if managed[i].Entry || i == len(managed)-1 {
			n++
		}
	}
	return n
}

// appendSegment appends the next segment of managed frames, which a loop runs, and returns
// what is left of them. The loop itself follows with keep, or if it runs no function.
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
