package stackshot

import (
	"encoding/binary"
	"slices"

	"stacksnap/task/stackshot/kcdata"
)

// one decodes a structure. At least one field must be present.
func one[T any](to **T, it *kcdata.Item) bool {
	v := new(T)
	if kcdata.Decode(it.Data(), v) == 0 {
		return false
	}
	*to = v
	return true
}

// each decodes the elements of an array and appends them.
func each[T any](to *[]T, it *kcdata.Item) bool {
	e, err := it.Elements()
	if err != nil {
		return false
	}
	for _, b := range e.All() {
		var v T
		if kcdata.Decode(b, &v) == 0 {
			return false
		}
		*to = append(*to, v)
	}
	return true
}

// numbers decodes an array of numbers.
func numbers[T int32 | uint64](to *[]T, it *kcdata.Item) bool {
	e, err := it.Elements()
	if err != nil {
		return false
	}
	for _, b := range e.All() {
		n, ok := word(b)
		if !ok {
			return false
		}
		*to = append(*to, T(n))
	}
	return true
}

// word reads a number of 4 or 8 bytes.
func word(b []byte) (uint64, bool) {
	switch len(b) {
	case 4:
		return uint64(binary.LittleEndian.Uint32(b)), true
	case 8:
		return binary.LittleEndian.Uint64(b), true
	}
	return 0, false
}

func number(to **uint64, it *kcdata.Item) bool {
	n, ok := it.Number()
	if ok {
		*to = &n
	}
	return ok
}

// number32 decodes a 4-byte number, after which old kernels have padding that the
// item does not declare.
func number32(to **uint64, it *kcdata.Item) bool {
	b := it.Data()
	if len(b) < 4 {
		return false
	}
	n, _ := word(b[:4])
	*to = &n
	return true
}

func text(to *string, it *kcdata.Item) bool {
	*to = it.Text()
	return true
}

// frames decodes return addresses, or pairs of a return address and a frame pointer.
// If there are more than [maxFrames] it keeps one more, to show that.
func frames(to *[]Frame, it *kcdata.Item, size int) bool {
	e, err := it.Elements()
	if err != nil || e.Count > 0 && e.Size != size && e.Size != 2*size {
		return false
	}
	*to = slices.Grow(*to, min(e.Count, maxFrames+1))
	for _, b := range e.All() {
		if len(*to) > maxFrames {
			break
		}
		var f Frame
		f.LR, _ = word(b[:size])
		f.SP, _ = word(b[size:])
		*to = append(*to, f)
	}
	return true
}

// loads32 decodes the load addresses of a 32-bit process's images.
func loads32(to *[]LoadInfo, it *kcdata.Item) bool {
	var list []loadInfo32
	ok := each(&list, it)
	for _, l := range list {
		*to = append(*to, LoadInfo{uint64(l.Load), l.UUID})
	}
	return ok
}

// fact decodes a named number.
func fact(s *Shot, it *kcdata.Item) bool {
	name, n, err := it.NamedNumber()
	if err == nil {
		s.Facts = append(s.Facts, Fact{name, int64(n)})
	}
	return err == nil
}

// shotItems are the items outside all containers.
var shotItems = map[uint32]func(*Shot, *kcdata.Item) bool{
	kcdata.Uint32Named:    fact,
	kcdata.Uint64Named:    fact,
	kcdata.Int32Named:     fact,
	kcdata.Int64Named:     fact,
	typeBootArgs:          func(s *Shot, it *kcdata.Item) bool { return text(&s.BootArgs, it) },
	typeOSVersion:         func(s *Shot, it *kcdata.Item) bool { return text(&s.OSVersion, it) },
	typeOSBuild:           func(s *Shot, it *kcdata.Item) bool { return text(&s.OSBuild, it) },
	typePageSize:          func(s *Shot, it *kcdata.Item) bool { return number32(&s.PageSize, it) },
	typeJetsamLevel:       func(s *Shot, it *kcdata.Item) bool { return number32(&s.JetsamLevel, it) },
	typePolicyVersion:     func(s *Shot, it *kcdata.Item) bool { return number32(&s.PolicyVersion, it) },
	typeTimebase:          func(s *Shot, it *kcdata.Item) bool { return one(&s.Timebase, it) },
	typeAbsoluteTime:      func(s *Shot, it *kcdata.Item) bool { return number(&s.AbsoluteTime, it) },
	typeUsecsSinceEpoch:   func(s *Shot, it *kcdata.Item) bool { return number(&s.Epoch, it) },
	typeSince:             func(s *Shot, it *kcdata.Item) bool { return number(&s.Since, it) },
	typeDuration:          func(s *Shot, it *kcdata.Item) bool { return one(&s.Durations, it) },
	typeFaultStats:        func(s *Shot, it *kcdata.Item) bool { return one(&s.FaultStats, it) },
	typeMemory:            func(s *Shot, it *kcdata.Item) bool { return one(&s.Memory, it) },
	typeSharedCache:       func(s *Shot, it *kcdata.Item) bool { return one(&s.SharedCache, it) },
	typeLayout:            func(s *Shot, it *kcdata.Item) bool { return each(&s.Layout, it) },
	typeGroupSnapshot:     func(s *Shot, it *kcdata.Item) bool { return each(&s.Groups, it) },
	typeCoalitionSnapshot: func(s *Shot, it *kcdata.Item) bool { return each(&s.Coalitions, it) },
	typeStillTasks:        func(s *Shot, it *kcdata.Item) bool { return numbers(&s.StillTasks, it) },
}

// cacheItems are the items of a shared cache.
var cacheItems = map[uint32]func(*Cache, *kcdata.Item) bool{
	typeCacheInfo: func(c *Cache, it *kcdata.Item) bool { return kcdata.Decode(it.Data(), &c.Info) > 0 },
	typeLayout:    func(c *Cache, it *kcdata.Item) bool { return each(&c.Layout, it) },
}

// labelItems are the items of a port label.
var labelItems = map[uint32]func(*Label, *kcdata.Item) bool{
	typePortLabel:     func(l *Label, it *kcdata.Item) bool { return one(&l.Info, it) },
	typePortLabelName: func(l *Label, it *kcdata.Item) bool { return text(&l.Name, it) },
}

// taskItems are the items of a task.
var taskItems = map[uint32]func(*Task, *kcdata.Item) bool{
	typeTask:         func(t *Task, it *kcdata.Item) bool { return one(&t.Snapshot, it) },
	typeTaskDelta:    func(t *Task, it *kcdata.Item) bool { return one(&t.Delta, it) },
	typeEndingTask:   func(t *Task, it *kcdata.Item) bool { return one(&t.Ending, it) },
	typeIOStats:      func(t *Task, it *kcdata.Item) bool { return one(&t.IO, it) },
	typeLoadInfo32:   func(t *Task, it *kcdata.Item) bool { return loads32(&t.Images, it) },
	typeLoadInfo64:   func(t *Task, it *kcdata.Item) bool { return each(&t.Images, it) },
	typeTextExec:     func(t *Task, it *kcdata.Item) bool { return each(&t.TextExec, it) },
	typeKernelCache:  func(t *Task, it *kcdata.Item) bool { return one(&t.KernelCache, it) },
	typeSharedCache:  func(t *Task, it *kcdata.Item) bool { return one(&t.SharedCache, it) },
	typeCacheID:      func(t *Task, it *kcdata.Item) bool { return number32(&t.CacheID, it) },
	typeArchitecture: func(t *Task, it *kcdata.Item) bool { return one(&t.Architecture, it) },
	typeCodeSigning:  func(t *Task, it *kcdata.Item) bool { return one(&t.CodeSigning, it) },
	typeSuspension:   func(t *Task, it *kcdata.Item) bool { return one(&t.Suspension, it) },
	typeSuspender:    func(t *Task, it *kcdata.Item) bool { return each(&t.Suspenders, it) },
	typeDonating:     func(t *Task, it *kcdata.Item) bool { return numbers(&t.Donating, it) },
	typeCoalition:    func(t *Task, it *kcdata.Item) bool { return number(&t.Coalition, it) },
	typeThreadDelta:  func(t *Task, it *kcdata.Item) bool { return each(&t.Deltas, it) },
	typeStillThreads: func(t *Task, it *kcdata.Item) bool { return numbers(&t.StillThreads, it) },
	typeWaitInfo:     func(t *Task, it *kcdata.Item) bool { return each(&t.Waits, it) },
	typeTurnstile:    func(t *Task, it *kcdata.Item) bool { return each(&t.Turnstiles, it) },
}

// threadItems are the items of a thread.
var threadItems = map[uint32]func(*Thread, *kcdata.Item) bool{
	typeThread:        func(t *Thread, it *kcdata.Item) bool { return one(&t.Snapshot, it) },
	typeIOStats:       func(t *Thread, it *kcdata.Item) bool { return one(&t.IO, it) },
	typeThreadName:    func(t *Thread, it *kcdata.Item) bool { return text(&t.Name, it) },
	typeQueueLabel:    func(t *Thread, it *kcdata.Item) bool { return text(&t.Label, it) },
	typeCPUTimes:      func(t *Thread, it *kcdata.Item) bool { return one(&t.CPU, it) },
	typeThreadGroup:   func(t *Thread, it *kcdata.Item) bool { return number(&t.Group, it) },
	typeInstructions:  func(t *Thread, it *kcdata.Item) bool { return one(&t.Instructions, it) },
	typeKernelFrame32: func(t *Thread, it *kcdata.Item) bool { return frames(&t.Kernel, it, 4) },
	typeKernelLR32:    func(t *Thread, it *kcdata.Item) bool { return frames(&t.Kernel, it, 4) },
	typeKernelFrame64: func(t *Thread, it *kcdata.Item) bool { return frames(&t.Kernel, it, 8) },
	typeKernelLR64:    func(t *Thread, it *kcdata.Item) bool { return frames(&t.Kernel, it, 8) },
	typeUserFrame32:   func(t *Thread, it *kcdata.Item) bool { return frames(&t.User, it, 4) },
	typeUserLR32:      func(t *Thread, it *kcdata.Item) bool { return frames(&t.User, it, 4) },
	typeUserFrame64:   func(t *Thread, it *kcdata.Item) bool { return frames(&t.User, it, 8) },
	typeUserLR64:      func(t *Thread, it *kcdata.Item) bool { return frames(&t.User, it, 8) },
	typeAsyncLR64:     func(t *Thread, it *kcdata.Item) bool { return frames(&t.Async, it, 8) },
	typeAsyncStart:    func(t *Thread, it *kcdata.Item) bool { return number32(&t.AsyncStart, it) },
	typeStackTop:      func(t *Thread, it *kcdata.Item) bool { return one(&t.StackTop, it) },
}
