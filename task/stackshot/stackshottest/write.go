// Package stackshottest writes stackshots as the kernel does, for tests.
package stackshottest

import (
	"encoding/binary"

	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/kcdata"
)

// Bytes returns stackshots as in a file: concatenated.
func Bytes(shots ...*stackshot.Shot) []byte {
	w := &writer{}
	for _, s := range shots {
		w.shot(s)
	}
	return w.Bytes()
}

// writer writes what is not nil, zero or empty.
type writer struct{ kcdata.Writer }

func one[T any](w *writer, t uint32, v *T) {
	if v != nil {
		w.Struct(t, v)
	}
}

func each[T any](w *writer, t uint32, list []T) {
	var b []byte
	for i := range list {
		b = append(b, kcdata.Encode(&list[i])...)
	}
	if len(list) > 0 {
		w.Array(t, len(list), b)
	}
}

func (w *writer) number(t uint32, n *uint64) {
	if n != nil {
		w.Number(t, *n)
	}
}

func (w *writer) number32(t uint32, n *uint64) {
	if n != nil {
		w.Item(t, binary.LittleEndian.AppendUint32(nil, uint32(*n)))
	}
}

func (w *writer) text(t uint32, s string) {
	if s != "" {
		w.Text(t, s)
	}
}

func (w *writer) numbers(t uint32, list []uint64) {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	if len(list) > 0 {
		w.Array(t, len(list), b)
	}
}

func (w *writer) pids(t uint32, list []int32) {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	if len(list) > 0 {
		w.Array(t, len(list), b)
	}
}

// frames writes addresses, of 4 bytes where all fit in, and frame pointers if there are
// any. Types are those of struct stack_snapshot_frame32, its 64-bit twin, and of
// addresses alone.
func (w *writer) frames(list []stackshot.Frame, pair32, pair64, only32, only64 uint32) {
	if len(list) == 0 {
		return
	}
	wide, pairs := false, false
	for _, f := range list {
		wide = wide || f.LR>>32 != 0 || f.SP>>32 != 0
		pairs = pairs || f.SP != 0
	}
	var b []byte
	put := func(n uint64) {
		if wide {
			b = binary.LittleEndian.AppendUint64(b, n)
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	for _, f := range list {
		put(f.LR)
		if pairs {
			put(f.SP)
		}
	}
	t := map[[2]bool]uint32{{false, true}: pair32, {true, true}: pair64, {false, false}: only32, {true, false}: only64}[[2]bool{wide, pairs}]
	w.Array(t, len(list), b)
}

func (w *writer) shot(s *stackshot.Shot) {
	if s.Delta {
		w.Begin(kcdata.DeltaStackshot)
	} else {
		w.Begin(kcdata.Stackshot)
	}
	for _, f := range s.Facts {
		w.Named(kcdata.Int64Named, f.Name, binary.LittleEndian.AppendUint64(nil, uint64(f.Value)))
	}
	w.text(0x90e, s.BootArgs)
	w.text(0x90f, s.OSVersion)
	w.text(0x947, s.OSBuild)
	w.number32(0x910, s.PageSize)
	w.number32(0x911, s.JetsamLevel)
	w.number32(0x922, s.PolicyVersion)
	one(w, 0x32, s.Timebase)
	w.number(0x33, s.AbsoluteTime)
	w.number(0x35, s.Epoch)
	w.number(0x912, s.Since)
	one(w, 0x91b, s.FaultStats)
	one(w, 0x902, s.Memory)
	one(w, 0x908, s.SharedCache)
	each(w, 0x927, s.Layout)
	each(w, 0x91e, s.Groups)
	each(w, 0x920, s.Coalitions)
	w.numbers(0x918, s.StillTasks)
	w.containers(s)
	one(w, 0x91a, s.Durations)
	w.End()
}

func (w *writer) containers(s *stackshot.Shot) {
	for i := range s.Caches {
		c := &s.Caches[i]
		w.Open(0x942, c.ID)
		one(w, 0x943, &c.Info)
		each(w, 0x927, c.Layout)
		w.Close(c.ID)
	}
	for i := range s.PortLabels {
		l := &s.PortLabels[i]
		w.Open(0x934, l.ID)
		one(w, 0x935, l.Info)
		w.text(0x936, l.Name)
		w.Close(l.ID)
	}
	for i := range s.Tasks {
		w.task(0x903, &s.Tasks[i])
	}
	for i := range s.Ending {
		w.task(0x931, &s.Ending[i])
	}
}

func (w *writer) task(sort uint32, t *stackshot.Task) {
	w.Open(sort, t.ID)
	one(w, 0x905, t.Snapshot)
	one(w, 0x940, t.Delta)
	one(w, 0x930, t.Ending)
	one(w, 0x901, t.IO)
	each(w, 0x31, t.Images)
	each(w, 0x92e, t.TextExec)
	one(w, 0x91c, t.KernelCache)
	one(w, 0x908, t.SharedCache)
	w.number32(0x945, t.CacheID)
	one(w, 0x92a, t.Architecture)
	one(w, 0x946, t.CodeSigning)
	one(w, 0x938, t.Suspension)
	each(w, 0x939, t.Suspenders)
	w.pids(0x907, t.Donating)
	w.number(0x921, t.Coalition)
	for i := range t.Threads {
		w.thread(&t.Threads[i])
	}
	each(w, 0x941, t.Deltas)
	w.numbers(0x917, t.StillThreads)
	each(w, 0x91d, t.Waits)
	each(w, 0x929, t.Turnstiles)
	w.Close(t.ID)
}

func (w *writer) thread(t *stackshot.Thread) {
	w.Open(0x904, t.ID)
	one(w, 0x906, t.Snapshot)
	one(w, 0x901, t.IO)
	w.text(0x909, t.Name)
	w.text(0x928, t.Label)
	one(w, 0x919, t.CPU)
	w.number(0x91f, t.Group)
	one(w, 0x923, t.Instructions)
	w.frames(t.Kernel, 0x90a, 0x90b, 0x913, 0x914)
	w.frames(t.User, 0x90c, 0x90d, 0x915, 0x916)
	w.async(t.Async)
	w.number32(0x932, t.AsyncStart)
	one(w, 0x924, t.StackTop)
	w.Close(t.ID)
}

// async writes addresses of 8 bytes: there is no other form.
func (w *writer) async(list []stackshot.Frame) {
	var all []uint64
	for _, f := range list {
		all = append(all, f.LR)
	}
	w.numbers(0x933, all)
}
