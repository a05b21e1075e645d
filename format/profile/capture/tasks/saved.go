package tasks

import (
	"errors"

	"stacksnap/format/profile"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

// maxSavedFrames is the maximum number of frames, of all tasks, that a recording keeps, so that
// a reader has memory left for the threads.
const maxSavedFrames = 1 << 18

// Save adds tasks to the end of a recording, and returns how many it leaves out.
func (t *Tasks) Save(e *recording.End) (left int) {
	frames := 0
	for i := range t.All {
		one := &t.All[i]
		if frames+1+len(one.Frames) > maxSavedFrames {
			left += one.Count
			continue
		}
		frames += 1 + len(one.Frames)
		e.Tasks = append(e.Tasks, saved(one))
	}
	for _, c := range t.Circles {
		circle := recording.TaskCircle{Runtime: c.Runtime}
		for _, one := range c.Tasks {
			circle.Tasks = append(circle.Tasks, recording.TaskInCircle(one))
		}
		e.TaskCircles = append(e.TaskCircles, circle)
	}
	return left
}

func saved(t *profile.FoundTask) recording.Task {
	s := recording.Task{
		Runtime: t.Runtime, Name: t.Name, Wait: t.Wait, ID: t.ID, Since: t.Since, System: t.System, Count: t.Count,
		Creator: t.Creator, Stop: uint8(t.Stop.Reason), Need: t.Stop.Need, Detail: text(t.Stop.Err),
	}
	s.Objects = t.Objects
	if t.On != nil {
		on := recording.TaskObject(*t.On)
		s.On = &on
	}
	for i := range t.Frames {
		f := &t.Frames[i]
		s.Frames = append(s.Frames, recording.TaskFrame{PC: f.PC, Return: f.Return, By: uint8(f.By), Why: text(f.Err), Managed: f.Managed})
	}
	return s
}

// Saved returns the tasks at the end of a recording.
func Saved(e *recording.End) (t Tasks) {
	for i := range e.Tasks {
		t.All = append(t.All, found(&e.Tasks[i]))
	}
	for _, c := range e.TaskCircles {
		circle := profile.TaskDeadlock{Runtime: c.Runtime}
		for _, one := range c.Tasks {
			circle.Tasks = append(circle.Tasks, profile.TaskInDeadlock(one))
		}
		if len(circle.Tasks) > 0 {
			t.Circles = append(t.Circles, circle)
		}
	}
	return t
}

func found(s *recording.Task) profile.FoundTask {
	t := profile.FoundTask{
		Task:    profile.Task{Runtime: s.Runtime, ID: s.ID, Name: s.Name, Wait: s.Wait, Since: s.Since, System: s.System, Count: s.Count},
		Creator: s.Creator, Stop: unwind.Stop{Reason: unwind.Reason(s.Stop), Need: s.Need, Err: reason(s.Detail)},
	}
	t.Objects = s.Objects
	if s.On != nil {
		on := profile.TaskObject(*s.On)
		t.On = &on
	}
	for i := range s.Frames {
		f := &s.Frames[i]
		t.Frames = append(t.Frames, unwind.Frame{PC: f.PC, Return: f.Return, By: unwind.Method(f.By), Err: reason(f.Why), Managed: f.Managed})
	}
	return t
}

// Frames returns the number of frames of all tasks.
func (t *Tasks) Frames() (n int) {
	for i := range t.All {
		n += len(t.All[i].Frames)
	}
	return n
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func reason(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
