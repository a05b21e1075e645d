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
	EvalLoop                  // runs managed frames
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
// What is between two loops and of the interpreter itself is left out; with all, it and the
// loops stay, each loop as the caller of its segment. Stop is that of the native stack:
// callers that it lacks are appended if the managed frames have them.
func Join(dst, native []Frame, stop Stop, managed []task.ManagedFrame, kind func(*Frame) Kind, all bool) ([]Frame, error) {
	first, last, loops := -1, -1, 0
	for i := range native {
		if kind(&native[i]) == EvalLoop {
			if loops++; first < 0 {
				first = i
			}
			last = i
		}
	}
	segments := countSegments(managed)
	if loops == 0 || segments == 0 {
		return append(dst, native...), mismatch(loops, segments)
	}
	// The innermost loop may not have begun its first function, or have ended its last one.
	idle := loops - segments
	switch whole := stop.Reason == Bottom; {
	case whole && (idle < 0 || idle > 1), !whole && idle > 0:
		return append(dst, native...), ErrApart
	case !whole:
		idle = 0
	}
	rest := managed
	for i := range native {
		f := &native[i]
		k := kind(f)
		switch {
		case k == EvalLoop && idle > 0:
			idle--
			dst = append(dst, *f)
			first = i
		case k == EvalLoop:
			dst, rest = appendSegment(dst, f, rest)
			if all {
				dst = append(dst, *f)
			}
		case k == Unrelated || all || i < first || i > last:
			dst = append(dst, *f)
		}
	}
	for len(rest) > 0 { // the native stack was cut
		dst, rest = appendSegment(dst, &native[last], rest)
	}
	return dst, nil
}

func mismatch(loops, segments int) error {
	if segments > 0 || loops > 1 {
		return ErrApart
	}
	return nil
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
// what is left of them.
func appendSegment(dst []Frame, loop *Frame, managed []task.ManagedFrame) (joined []Frame, rest []task.ManagedFrame) {
	for i := range managed {
		f := *loop
		f.Managed = &managed[i]
		dst = append(dst, f)
		if managed[i].Entry {
			return dst, managed[i+1:]
		}
	}
	return dst, nil
}
