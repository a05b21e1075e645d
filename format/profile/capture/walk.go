package capture

import (
	"errors"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/rule"
)

// usualFrames is how many frames of a stack are allocated before it is walked. Further frames
// make the slice grow repeatedly, and its earlier memory cannot be reused.
const usualFrames = 6

// walk walks the stacks of a snapshot with the images that were mapped when they were copied, as
// far as those are known. The stacks are valid until the next walk.
func (t *target) walk(s *task.Snapshot) verdict {
	v := t.walkNative(s)
	t.join(s)
	return v
}

func (t *target) walkNative(s *task.Snapshot) verdict {
	v := t.walkOnce(s)
	if v == generatedCode {
		t.tracker.reread()
		v = t.walkOnce(s)
	}
	if v != remappedCode {
		return v
	}
	before := t.countRemapped(s)
	if !t.tracker.adopt(s, func(i int) bool { return t.isRemapped(s, i) }) {
		return v
	}
	if v = t.walkOnce(s); t.countRemapped(s) > before {
		t.tracker.goBack()
		v = t.walkOnce(s)
	}
	return v
}

// walkOnce walks, with the current images, the stacks that differ from those of the previous
// sample.
func (t *target) walkOnce(s *task.Snapshot) (worst verdict) {
	t.doubtful = false
	t.lacking = t.lacking[:0]
	t.stacks, t.frames = slices.Grow(t.stacks[:0], len(s.Threads)), slices.Grow(t.frames[:0], usualFrames*len(s.Threads))
	for i := range s.Threads {
		th := &s.Threads[i]
		if th.Same && !t.missing[th.ID] && t.repeats() {
			t.stacks = append(t.stacks, profile.Stack{Repeat: true})
			continue
		}
		first := len(t.frames)
		var stop unwind.Stop
		t.frames, stop = t.unwinder.Walk(t.frames, th, t.tracker.images, t.saving.memory(t.code))
		frames := t.frames[first:len(t.frames):len(t.frames)]
		t.stacks = append(t.stacks, profile.Stack{Frames: frames, Stop: stop})
		if t.askFor(s, th, frames, stop) {
			t.lacking = append(t.lacking, th.ID)
		}
		worst = max(worst, t.tracker.check(th, frames, stop))
		t.doubtful = t.doubtful || t.tracker.doubts(stop)
	}
	return worst
}

// repeats reports whether a stack that is the same as before need not be walked. If there is a
// recording and the images have changed, it must be: [Replay] walks every stack of a recording
// again.
func (t *target) repeats() bool { return t.saving == nil || t.saved == t.tracker.images }

// askFor records in a snapshot what else the next copy of a thread should have, and reports
// whether that copy would have more than this one.
func (t *target) askFor(s *task.Snapshot, th *task.Thread, frames []unwind.Frame, stop unwind.Stop) bool {
	switch {
	case stop.Reason == unwind.NotCaptured && th.Err == nil: // with an error no more could be copied
		return want(s, th, frames, stop.Need, t.maxCopy)
	case s.Skip && !s.Unhurried && th.Skipped && th.State != task.Uninterruptible && !isWhole(frames, stop): // such a thread does not stop
		s.Insist[th.ID] = true
		return true
	}
	return false
}

// isWhole reports whether the walk would have been the same with all registers known. For code
// without unwind information, the walk needs only the stack and the frame pointer.
func isWhole(frames []unwind.Frame, stop unwind.Stop) bool {
	return stop.Reason == unwind.Bottom && !slices.ContainsFunc(frames, func(f unwind.Frame) bool {
		return f.By.Guess() || errors.Is(f.Err, rule.ErrUnknownRegister)
	})
}

// isRemapped reports whether the walk of a thread led to code that is not known to be the code
// at the capture.
func (t *target) isRemapped(s *task.Snapshot, i int) bool {
	st := &t.stacks[i]
	return !st.Repeat && t.tracker.check(&s.Threads[i], st.Walked(), st.Stop) == remappedCode
}

// countRemapped counts the threads whose code was remapped.
func (t *target) countRemapped(s *task.Snapshot) (n int) {
	for i := range s.Threads {
		if t.isRemapped(s, i) {
			n++
		}
	}
	return n
}

// cut keeps the frames of a stack that are in known code, and reports whether there are any.
func (t *target) cut(th *task.Thread, st *profile.Stack) bool {
	th.Sure = t.tracker.countSure(th, st)
	cutUnsure(th, st)
	return th.Sure > 0
}

// countSure returns the number of frames of a stack that are sure (see [tracker.sure]); 0 if
// that is not known for each frame.
func (f *tracker) countSure(t *task.Thread, s *profile.Stack) int {
	if !f.usesList() {
		return 0
	}
	n, _ := f.sure(t, s.Walked(), s.Stop)
	return n
}

// cutUnsure removes the frames of a stack beyond [task.Thread].Sure.
func cutUnsure(t *task.Thread, s *profile.Stack) {
	if t.Sure == 0 || s.Repeat {
		return
	}
	s.Frames = s.Walked()[:min(t.Sure, len(s.Walked()))]
	s.Native = nil
	s.Stop = unwind.Stop{Reason: unwind.Unsteady}
}
