package capture

import (
	"slices"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind"
)

// stackOf has the ranges of stack that were copied of thread 1, and a walk with a frame
// in each of those that it led through.
func stackOf(through []task.Addr, bases ...task.Addr) (*task.Thread, []unwind.Frame) {
	t := &task.Thread{ID: 1}
	for _, a := range bases {
		t.Stacks = append(t.Stacks, task.Stack{Base: a, Bytes: make([]byte, 0x100)})
	}
	var frames []unwind.Frame
	for _, a := range through {
		frames = append(frames, unwind.Frame{SP: a + 8})
	}
	return t, frames
}

// TestWantOtherRanges: of none, then one, two, and others in place of those that the
// stack no longer goes through.
func TestWantOtherRanges(t *testing.T) {
	const sp, u, v, w, x, y = 0x1_0000, 0x100_0000, 0x200_0000, 0x300_0000, 0x400_0000, 0x500_0000
	s := &task.Snapshot{Limit: task.FirstStackLimit}
	for _, c := range []struct {
		name    string
		copied  []task.Addr
		through []task.Addr
		need    task.Addr
		more    bool
		want    []task.Addr
	}{
		{"the first", []task.Addr{sp}, []task.Addr{sp}, u, true, []task.Addr{u}},
		{"it could not be had", []task.Addr{sp}, []task.Addr{sp}, u + 8, false, []task.Addr{u}},
		{"a second", []task.Addr{sp, u}, []task.Addr{sp, u}, v, true, []task.Addr{u, v}},
		{"a third", []task.Addr{sp, u, v}, []task.Addr{sp, u, v}, w, true, []task.Addr{u, v, w}},
		{"one too many", []task.Addr{sp, u, v, w}, []task.Addr{sp, u, v, w}, x, false, []task.Addr{u, v, w}},
		{"another, for the thread is elsewhere", []task.Addr{sp, u, v, w}, []task.Addr{sp, v}, x, true, []task.Addr{v, w, x}},
		{"and one more", []task.Addr{sp, v, w, x}, []task.Addr{sp, v, x}, y, true, []task.Addr{v, x, y}},
	} {
		thread, frames := stackOf(c.through, c.copied...)
		if more := want(s, thread, frames, c.need, maxSampled); more != c.more || !slices.Equal(s.Want[1], c.want) {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, more, s.Want[1], c.more, c.want)
		}
	}
	if s.Limit != task.FirstStackLimit {
		t.Errorf("the limit is %d", s.Limit)
	}
}

// TestWantLongerCopies grows by one step, though several threads need it, and to a bound.
func TestWantLongerCopies(t *testing.T) {
	const base, top = 0x10_0000, 0x4000_0000
	s := &task.Snapshot{Limit: task.FirstStackLimit}
	for _, c := range []struct {
		copied int
		more   bool
		limit  int
	}{
		{task.FirstStackLimit, true, 8 * task.FirstStackLimit},
		{task.FirstStackLimit, true, 8 * task.FirstStackLimit},
		{8 * task.FirstStackLimit, true, maxSampled},
		{maxSampled, false, maxSampled},
	} {
		thread := &task.Thread{ID: 1, Stacks: []task.Stack{{Base: base, Bytes: make([]byte, c.copied), Top: top}}}
		if more := want(s, thread, nil, thread.Stacks[0].End(), maxSampled); more != c.more || s.Limit != c.limit {
			t.Errorf("after %d bytes: %v, up to %d; want %v, %d", c.copied, more, s.Limit, c.more, c.limit)
		}
	}
	if len(s.Want) > 0 {
		t.Errorf("ranges are wanted: %v", s.Want)
	}
}
