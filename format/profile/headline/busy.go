package headline

import (
	"cmp"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// Busy is what a thread of a single snapshot has done since it began, as far as that shows what
// it does now. Fields that are not certain, or too small to mention, are zero.
type Busy struct {
	Share      float64 // share of one CPU, for a thread that was runnable for most of its life
	Waited     float64 // with Share: part of its time when runnable in which it waited for a CPU
	Queued     float64 // with Waited: part of its life in which it waited for a CPU
	Nice       int     // with Waited, if it gets less of a CPU than others
	System     float64 // part of its CPU time that was system time, if that is most of it
	Faults     uint64  // page faults, if they are many
	DiskFaults uint64  // page faults for which a page had to be read
	Paging     bool    // DiskFaults are so frequent that it waits for pages all the time
}

// IsMostly reports whether the thread was on a CPU for most of its life.
func (b *Busy) IsMostly() bool { return b.Share >= mostOf }

// mostWaited is the fraction of its runnable time above which a nice thread that waited for a
// CPU is starved.
const mostWaited = 0.75

// IsStarved reports whether the thread mostly waited for a CPU because others have precedence. A
// thread that waits without being nice means that the whole machine is busy.
func (b *Busy) IsStarved() bool { return b.Waited > mostWaited && b.Nice > 0 }

// The least amounts from which the past of a thread shows what it does now.
const (
	leastAge    = 200 * time.Millisecond // /proc counts in steps of 10 ms
	leastCPU    = 100 * time.Millisecond
	worthWaited = 0.2

	// The least page faults per second of a thread that causes them all the time. Every program
	// causes some when it starts.
	manyFaults     = 20_000 // per second of system time
	manyDiskFaults = 50     // faults that read a page, per second of its life without waits for a CPU
)

// BusyOf returns what a thread has done since it began.
func BusyOf(t *profile.Thread) (b Busy) {
	l := &t.Lifetime
	ran := l.Ran
	if ran+l.Queued == 0 {
		ran = t.User + t.System
	}
	if ready := ran + l.Queued; l.Age >= leastAge && float64(ready) >= busyShare*float64(l.Age) {
		b.Share = min(1, float64(ran)/float64(l.Age))
		if waited := float64(l.Queued) / float64(ready); waited >= worthWaited {
			b.Waited, b.Nice = waited, max(0, l.Nice)
			b.Queued = min(1-b.Share, float64(l.Queued)/float64(l.Age))
		}
	}
	if cpu := t.User + t.System; l.Age > 0 && cpu >= leastCPU && float64(t.System) >= mostOf*float64(cpu) {
		b.System = float64(t.System) / float64(cpu)
	}
	life := l.Age - l.Queued // the time in which it could cause page faults, or wait for a page
	isPaging := l.Age >= leastAge && float64(l.DiskFaults) >= manyDiskFaults*max(1, life.Seconds())
	if isPaging || b.System > 0 && float64(l.Faults) >= manyFaults*t.System.Seconds() {
		b.Faults, b.DiskFaults, b.Paging = l.Faults, l.DiskFaults, isPaging
	}
	return b
}

// busier returns the thread that has used more CPU time; the first if both have used the same.
func busier(t, other *profile.Thread) *profile.Thread {
	if t == nil || cmp.Compare(other.User+other.System, t.User+t.System) > 0 {
		return other
	}
	return t
}

// running counts the runnable threads of a single snapshot, and finds the one with the most
// CPU time.
func running(p *profile.Profile) Headline {
	if p.Sampled() {
		return Headline{}
	}
	a := Headline{Kind: Running}
	for _, t := range p.Threads {
		if t.State != task.Running {
			continue
		}
		a.Threads += t.Weight()
		a.Main = a.Main || t.Main
		a.Thread = busier(a.Thread, t)
	}
	if a.Threads == 0 {
		return Headline{}
	}
	if a.Wait = a.Thread.Wait; a.Wait != nil {
		a.Own = waits.Waiter(a.Thread.Heaviest())
	}
	return a
}
