package headline

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// Tasks are the tasks that a headline is about. All wait for the same thing at one place in the
// code.
type Tasks struct {
	*profile.Task               // one of the tasks
	Number        int           // number of tasks
	Several       bool          // they have more than one stack
	Of            int           // number of all tasks, without the runtime's own
	Main          bool          // it is the main goroutine
	Own           *profile.Node // frame of own code in which they wait; nil: none
}

// leastParked is how many tasks must wait at one place to be worth the first line if the main
// task waits for something else.
const leastParked = 10

// parked returns a headline about waiting tasks, if the main thread was in the program's own
// code in no sample. In order of precedence: a lock that the main task waits for, many tasks at
// one place, tasks that wait for locks, the main task, and the largest group at one place.
func parked(p *profile.Profile) Headline {
	t := p.MainThread()
	if len(p.Tasks) == 0 || t == nil || !hasNoTask(t) {
		return Headline{}
	}
	groups := TasksByPlace(p.Tasks)
	for _, is := range []func(*Tasks) bool{
		func(g *Tasks) bool { return g.Main && isLockWait(g.Wait) },
		func(g *Tasks) bool { return g.Number >= leastParked && 2*g.Number > g.Of },
		func(g *Tasks) bool { return isLockWait(g.Wait) && g.Own != nil },
		func(g *Tasks) bool { return g.Main },
		func(g *Tasks) bool { return g.Own != nil },
	} {
		if most := largest(groups, is); most != nil {
			return Headline{Kind: Parked, Tasks: most}
		}
	}
	return Headline{}
}

// MostTasks returns the largest group of tasks that wait for the same thing at one place of own
// code; nil if it is not worth a line.
func MostTasks(tasks []*profile.Task) *Tasks {
	return largest(TasksByPlace(tasks), func(g *Tasks) bool { return g.Own != nil && g.Number >= leastParked })
}

// largest returns the largest of the groups for which is returns true and whose tasks are not
// ready; nil if there is none.
func largest(groups []*Tasks, is func(*Tasks) bool) (most *Tasks) {
	for _, g := range groups {
		if is(g) && !IsReady(g.Task) && (most == nil || g.Number > most.Number) {
			most = g
		}
	}
	return most
}

// hasNoTask reports whether a thread was never in own code, other than waiting in an event loop
// of asyncio.
func hasNoTask(t *profile.Thread) bool {
	var stack []*profile.Node
	for depth, n := range t.Nodes() {
		stack = append(stack[:depth], n)
		isWhole := n.Self > 0 || len(n.Children) == 0
		if isWhole && owncode.Innermost(stack) != nil && !inIdleLoop(stack) {
			return false
		}
	}
	return true
}

// taskPlace identifies what tasks wait for, and where.
type taskPlace struct {
	runtime, wait, function string
	line                    int
	main                    bool
}

func placeOf(t *profile.Task, own *profile.Node) taskPlace {
	at := taskPlace{runtime: t.Runtime, wait: t.Wait, main: IsMainTask(t)}
	if own != nil {
		at.function, at.line = own.Function, own.Line
	}
	return at
}

// SamePlace reports whether both groups wait for the same thing at the same place.
func (g *Tasks) SamePlace(other *Tasks) bool {
	return placeOf(g.Task, g.Own) == placeOf(other.Task, other.Own)
}

// TasksByPlace groups tasks that wait at one place of the program's own code. It omits the
// runtime's own tasks. The facts of a group are those of one of its tasks, without a creator and an
// object that the tasks do not share.
func TasksByPlace(tasks []*profile.Task) (groups []*Tasks) {
	index := map[taskPlace]*Tasks{}
	all := 0
	for _, t := range tasks {
		if t.System {
			continue
		}
		all += t.Count
		own := owncode.Innermost(t.Path)
		key := placeOf(t, own)
		if g := index[key]; g != nil {
			g.add(t)
			continue
		}
		index[key] = &Tasks{Task: t, Number: t.Count, Main: key.main, Own: own}
		groups = append(groups, index[key])
	}
	for _, g := range groups {
		g.Of = all
	}
	return groups
}

// add adds tasks that wait at the same place.
func (g *Tasks) add(t *profile.Task) {
	g.Number += t.Count
	g.Several = g.Several || !slices.EqualFunc(g.Path, t.Path, func(a, b *profile.Node) bool { return a.Function == b.Function && a.Line == b.Line })
	otherCreator := g.Created != nil && (t.Created == nil || *t.Created != *g.Created)
	otherObject := (g.On != nil || g.Objects > 0) && !g.On.Same(t.On)
	if !otherCreator && !otherObject {
		return
	}
	common := *g.Task
	if otherCreator {
		common.Created = nil
	}
	if otherObject {
		common.On, common.Objects = nil, 0
	}
	g.Task = &common
}

// IsMainTask reports whether a task is Go's main goroutine.
func IsMainTask(t *profile.Task) bool {
	return t.ID == 1 && t.Count == 1 && profile.IsGo(t.Runtime)
}

// IsReady reports whether a task of asyncio can run and only waits for its turn.
func IsReady(t *profile.Task) bool {
	return t.Wait == "ready" && profile.IsCPython(t.Runtime)
}

// IsForLock reports whether the tasks wait for a lock. Neither Go nor asyncio records who holds
// a lock.
func (g *Tasks) IsForLock() bool { return isLockWait(g.Wait) }

// isLockWait reports whether a task waits for a lock.
func isLockWait(wait string) bool {
	switch wait {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "asyncio.Lock":
		return true
	}
	return wait == "semacquire" // before Go 1.20, whatever the lock
}
