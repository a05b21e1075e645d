package unwind

import (
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
)

// drawn makes a native stack of a line of names: LOOP is the interpreter's loop, and lower-case
// names with a p in front are its other functions. Each frame's PC is its index.
func drawn(line string) (native []Frame, kind func(*Frame) Kind, name func(*Frame) string) {
	names := strings.Fields(line)
	for i := range names {
		native = append(native, Frame{PC: task.Addr(i)})
	}
	kind = func(f *Frame) Kind {
		switch name := names[f.PC]; {
		case name == "LOOP":
			return EvalLoop
		case strings.HasPrefix(name, "py_"):
			return OfInterpreter
		}
		return Unrelated
	}
	return native, kind, func(f *Frame) string {
		if f.Managed != nil {
			return f.Managed.Function
		}
		return names[f.PC]
	}
}

// managedOf makes managed frames of a line of names; a star marks an entry.
func managedOf(line string) (frames []task.ManagedFrame) {
	for _, name := range strings.Fields(line) {
		function, entry := strings.CutSuffix(name, "*")
		frames = append(frames, task.ManagedFrame{Function: function, Entry: entry})
	}
	return frames
}

func TestJoin(t *testing.T) {
	for _, test := range []struct {
		what, native, managed string
		stop                  Reason
		want, all             string // with all: empty where that is no different
		err                   error
	}{
		{"one entry for a chain", "nanosleep py_sleep LOOP py_run main", "inner outer module*", Bottom,
			"nanosleep py_sleep inner outer module py_run main", "nanosleep py_sleep inner outer module LOOP py_run main", nil},
		{"a loop for each function", "read LOOP py_call LOOP main", "inner* module*", Bottom,
			"read inner module main", "read inner LOOP py_call module LOOP main", nil},
		{"what is of others between two loops", "LOOP qsort py_call LOOP main", "compare* sort module*", Bottom,
			"compare qsort sort module main", "compare LOOP qsort py_call sort module LOOP main", nil},
		{"a loop that has not begun", "LOOP py_call LOOP main", "module*", Bottom, "LOOP module main", "LOOP py_call module LOOP main", nil},
		{"no interpreter", "read main", "", Bottom, "read main", "", nil},
		{"a loop without any frame yet", "LOOP py_run main", "", Bottom, "LOOP py_run main", "", nil},
		{"loops without frames", "LOOP py_call LOOP main", "", Bottom, "LOOP py_call LOOP main", "", ErrApart},
		{"frames without a loop", "read main", "module*", Bottom, "read main", "", ErrApart},
		{"more segments than loops", "LOOP main", "inner* module*", Bottom, "LOOP main", "", ErrApart},
		{"two loops too many", "LOOP LOOP LOOP main", "module*", Bottom, "LOOP LOOP LOOP main", "", ErrApart},
		{"a native stack that is cut", "read LOOP py_call", "inner* outer module*", NotCaptured, "read inner py_call outer module", "read inner LOOP py_call outer module", nil},
		{"more loops than segments, and cut", "LOOP py_call LOOP", "module*", NotCaptured, "LOOP py_call LOOP", "", ErrApart},
		{"managed frames that are cut", "LOOP py_call LOOP main", "inner* outer", Bottom, "inner outer main", "inner LOOP py_call outer LOOP main", nil},
	} {
		native, kind, name := drawn(test.native)
		for _, all := range []bool{false, true} {
			got, err := Join(nil, native, Stop{Reason: test.stop}, managedOf(test.managed), kind, all)
			var names []string
			for i := range got {
				names = append(names, name(&got[i]))
			}
			want := test.want
			if all && test.all != "" {
				want = test.all
			}
			if line := strings.Join(names, " "); line != want || !errors.Is(err, test.err) {
				t.Errorf("%s, all %t:\n got %s (%v)\nwant %s (%v)", test.what, all, line, err, want, test.err)
			}
		}
	}
}

// TestJoinLater: the native frames that a thread had before are gone, but for the callers of the first loop.
func TestJoinLater(t *testing.T) {
	for _, test := range []struct{ what, native, managed, want string }{
		{"a loop", "read py_read LOOP py_run main", "inner* outer module*", "inner outer module py_run main"},
		{"two", "LOOP qsort py_call LOOP py_run main", "outer module*", "outer module py_run main"},
		{"none", "read main", "module*", "module"},
		{"no native stack", "", "inner module*", "inner module"},
		{"an entry without a function", "LOOP main", "* module*", "module main"},
	} {
		native, kind, name := drawn(test.native)
		var names []string
		for _, f := range JoinLater(nil, native, managedOf(test.managed), kind) {
			names = append(names, name(&f))
		}
		if line := strings.Join(names, " "); line != test.want {
			t.Errorf("%s: got %s, want %s", test.what, line, test.want)
		}
	}
}

// TestJoinByShims needs no names: a loop is the frame that the shim of an entry lies in. Each frame
// of these stacks takes 16 bytes, from 0x1000 on.
func TestJoinByShims(t *testing.T) {
	for _, test := range []struct {
		what, native, managed string
		shims                 []task.Addr // of the entries
		stop                  Reason
		want                  string
		err                   error
	}{
		{"without names", "read py_1 py_2 py_3 main", "inner* module*", []task.Addr{0x1018, 0x1030}, Bottom, "read inner module main", nil},
		{"at the first byte of a frame", "read py_1 py_2 main", "module*", []task.Addr{0x1010}, Bottom, "read module py_2 main", nil},
		{"parts of the loop that have its name", "read LOOP LOOP py_run main", "module*", []task.Addr{0x1028}, Bottom, "read module py_run main", nil},
		{"two in one frame", "read py_1 py_2 main", "inner* module*", []task.Addr{0x1010, 0x1018}, Bottom, "read py_1 py_2 main", ErrApart},
		{"below the stack", "read LOOP main", "module*", []task.Addr{0x900}, Bottom, "read module main", nil},
		{"above the stack, by names", "read LOOP main", "module*", []task.Addr{0x9000}, Bottom, "read module main", nil},
		{"above a cut stack", "read py_1 py_2 py_3", "inner* module*", []task.Addr{0x1018, 0x9000}, NotCaptured, "read inner py_2 py_3 module", nil},
		{"not of each", "read LOOP py_call LOOP main", "inner* module*", []task.Addr{0x1018, 0}, Bottom, "read inner module main", nil},
	} {
		native, kind, name := drawn(test.native)
		for i := range native {
			native[i].SP = 0x1000 + 16*task.Addr(i)
		}
		managed, n := managedOf(test.managed), 0
		for i := range managed {
			if managed[i].Entry {
				managed[i].Shim = test.shims[n]
				n++
			}
		}
		got, err := Join(nil, native, Stop{Reason: test.stop}, managed, kind, false)
		var names []string
		for i := range got {
			names = append(names, name(&got[i]))
		}
		if line := strings.Join(names, " "); line != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s:\n got %s (%v)\nwant %s (%v)", test.what, line, err, test.want, test.err)
		}
	}
}

// TestLoopWithoutFunction stays in the stack.
func TestLoopWithoutFunction(t *testing.T) {
	native, kind, name := drawn("read LOOP py_call LOOP main")
	managed := managedOf("x* module*")
	managed[0].Function = ""
	got, err := Join(nil, native, Stop{}, managed, kind, false)
	if err != nil || len(got) != 4 || name(&got[1]) != "LOOP" || name(&got[2]) != "module" {
		t.Error(got, err)
	}
}

// TestJoinedFrames have the address of the loop that runs them.
func TestJoinedFrames(t *testing.T) {
	native, kind, _ := drawn("read LOOP main")
	native[1].Return, native[1].By = true, ByCFI
	got, err := Join(nil, native, Stop{}, managedOf("inner module*"), kind, false)
	if err != nil || len(got) != 4 {
		t.Fatal(got, err)
	}
	for _, f := range got[1:3] {
		if f.PC != 1 || !f.Return || f.By != ByCFI {
			t.Errorf("%s is at %v, return %t, by %v", f.Managed.Function, f.PC, f.Return, f.By)
		}
	}
}
