// Package headline finds the headline of a profile, as data: a crash, a deadlock, a lock
// with many waiters, a hotspot. It returns [None] if nothing is certain.
package headline

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// Kind is the kind of a headline, such as a crash or a deadlock.
type Kind uint8

// The kinds of headlines, in order of precedence.
const (
	None            Kind = iota // nothing is certain
	Crashed                     // the process crashed, in Thread
	Deadlocked                  // several threads, counted by Threads, are in wait cycles
	TasksDeadlocked             // tasks that no thread runs wait for each other, as the first of the profile's TaskDeadlocks
	Stopped                     // all threads are stopped
	Convoy                      // several threads, counted by Threads, wait for one lock, given by Wait; for a lock of Python's, Thread is one of them
	Locked                      // the main thread waits for a lock, given by Wait
	Running                     // in one snapshot, threads are runnable, counted by Threads; Thread is the one with the most CPU time
	Computing                   // over many snapshots, the process used CPU time, as CPU describes
	Starved                     // over many snapshots, runnable threads mostly waited for a CPU
	Stuck                       // Thread was mostly in an uninterruptible sleep, as Wait and CPU describe; in one snapshot, what it waits for is unknown
	Parked                      // tasks that no thread runs wait, as Tasks describes, and the main thread has nothing to do
	Alike                       // many threads, counted by Threads, wait at one place, given by Wait and Own
	Blocked                     // the main thread is blocked, in Wait
	Located                     // the main thread was most often in one function, as CPU's Where and Share describe; nothing more is certain
	Stalled                     // the main thread waits in its run loop, and there are connections on which nothing moves, as Wait.Stalled describes
	Idle                        // the main thread is idle, in the wait of its run loop
)

// Headline is the most important finding in a profile.
type Headline struct {
	Kind    Kind
	Threads int             // number of threads that it is about
	Main    bool            // the main thread is one of the threads that it is about
	Thread  *profile.Thread // the thread that it is about, or the first of several; may be nil
	Wait    *profile.Wait
	Own     *profile.Node // frame of own code in which threads wait, see [waits.Waiter]; may be nil
	Title   string        // for a waiting main thread, what the process says about itself in its command line; mostly empty
	Looks   int           // for many snapshots: number of observations; all of them found Wait
	NotRun  time.Duration // in one snapshot, a lower bound of how long none of the threads has run; 0: unknown
	CPU     CPUTime
	Tasks   *Tasks // the tasks that it is about; nil: none

	SameObject bool // of [Alike]: all of the threads wait for the object that Wait has
}

// Of returns the headline of a profile.
func Of(p *profile.Profile) Headline {
	for _, find := range []func(*profile.Profile) Headline{
		crashed, deadlocked, tasksDeadlocked, stopped, convoy, locked, running, computing, starved, stuck, parked, alike, blocked, located,
	} {
		if a := find(p); a.Kind != None {
			return a.withNotRun(p)
		}
	}
	return Headline{}
}

func crashed(p *profile.Profile) Headline {
	c := p.Target.Crash
	if c == nil {
		return Headline{}
	}
	a := Headline{Kind: Crashed}
	for _, t := range p.Threads {
		if t.ID == c.Thread && t.ID != 0 {
			a.Thread = t
		}
	}
	return a
}

// deadlocked counts the threads in deadlocks that have not ended.
func deadlocked(p *profile.Profile) Headline {
	in := p.Deadlocked()
	if len(in) == 0 {
		return Headline{}
	}
	t := p.MainThread()
	return Headline{Kind: Deadlocked, Threads: len(in), Main: t != nil && in[t.ID]}
}

// stopped returns a headline if all threads were stopped in every snapshot.
func stopped(p *profile.Profile) Headline {
	stopped := 0
	for _, t := range p.Threads {
		if t.States[task.Stopped] != t.Samples {
			return Headline{}
		}
		stopped += t.Samples
	}
	if stopped == 0 {
		return Headline{}
	}
	return Headline{Kind: Stopped}
}

// wait returns the wait that every observation of a thread found, and the number of
// observations; nil if the thread did not wait, or not always for the same.
func wait(p *profile.Profile, t *profile.Thread) (*profile.Wait, int) {
	w := t.ConstantWait(p.Sampled())
	if !p.Sampled() {
		return w, 0
	}
	if w == nil || mostlyRunnable(t) || len(t.UsualWaits()) == 0 {
		return nil, 0
	}
	return w, t.Looks
}

// mostlyRunnable reports whether a thread waited in less than 9/10 of its samples.
func mostlyRunnable(t *profile.Thread) bool {
	return (t.States[task.Sleeping]+t.States[task.Uninterruptible])*10 < t.Samples*9
}

// locked returns the lock that the main thread waits for.
func locked(p *profile.Profile) Headline {
	a := blocked(p)
	if a.Kind != Blocked || a.Wait.Lock == profile.NoLock || a.Wait.Lock == profile.ThreadEnd {
		return Headline{}
	}
	a.Kind = Locked
	return a
}

// blocked returns the main thread's wait.
func blocked(p *profile.Profile) Headline {
	t := p.MainThread()
	if t == nil {
		return Headline{}
	}
	w, looks := wait(p, t)
	if w == nil {
		return Headline{}
	}
	stack := t.Heaviest()
	a := Headline{Kind: Blocked, Main: true, Thread: t, Wait: w, Own: waits.Waiter(stack), Looks: looks, Title: title(p)}
	if waits.ProvesIdle(w, stack) && !strings.HasSuffix(a.Title, titleWaits) {
		if a.Kind = Idle; w.Stalled != nil {
			a.Kind = Stalled
		}
	}
	return a
}

// postgresTitle finds what a backend of PostgreSQL does, behind its user, database and client
// (src/backend/utils/misc/ps_status.c): "postgres: 15/main: ann shop [local] UPDATE waiting".
var postgresTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^postgres: .*?(?:\[local\]|\S+\(\d+\)) (.+)$`)
})

// titleWaits is the end of the title of a backend that waits for a lock.
const titleWaits = "waiting"

// IsBlockedBackend reports whether the headline is about a PostgreSQL backend whose title says
// that it waits for a lock of its database.
func (h *Headline) IsBlockedBackend() bool { return strings.HasSuffix(h.Title, titleWaits) }

// title returns what a process says about itself in its command line, if that mentions a wait or
// an open transaction; otherwise empty.
func title(p *profile.Profile) string {
	args := p.Target.Command.Args
	if len(args) == 0 {
		return ""
	}
	found := postgresTitle().FindStringSubmatch(strings.TrimRight(args[0], " "))
	if found == nil || !strings.HasSuffix(found[1], titleWaits) && !strings.Contains(found[1], "transaction") {
		return ""
	}
	return found[1]
}
