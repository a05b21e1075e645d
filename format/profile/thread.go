package profile

import (
	"iter"
	"strings"
	"time"

	"stacksnap/task"
)

// Thread is one thread of the target with its call tree.
type Thread struct {
	ID           task.ThreadID
	Name         string // empty if it has none or the system does not report it
	RuntimeName  string // that a language's runtime has for it; empty: none, or not known
	Queue        string // label of the dispatch queue that it serves
	QueueSerial  uint64 // the queue's serial number; 0: unknown
	QueueKind    string // "serial" or "concurrent"; known only from some reports that were read
	Main         bool   // the thread that the program was started on
	State        task.State
	OnCPUState   task.OnCPUState // for a runnable thread, when last seen: on a CPU or queued, if known
	Processor    int             // CPU that the thread was on when last seen; negative: the threads of an entry were on several
	User, System time.Duration   // CPU time since the thread's start, when last seen
	Used         time.Duration   // CPU time between its first and last snapshots
	Spent        Spent           // time between its first and last snapshots, if known; Linux
	Lifetime     task.Lifetime   // counted since the thread's start, of one in a single snapshot that did not sleep; Linux
	NotRun       time.Duration   // for how long at least it had not run before a single snapshot; 0: not known; Linux
	SuspendCount int             // suspensions by others than stacksnap
	Priority     task.Priority   // scheduling priority when last seen; macOS
	QoS          task.QoS        // requested QoS when last seen; macOS

	Goroutine task.Goroutine // that it ran in all its samples; zero: none or others in some of them, or not known

	Wait  *Wait    // the thread's wait when last observed; nil if the thread ran, or if unknown
	Looks int      // number of observations of its wait
	Waits []Waited // all observed waits, the most frequent first

	Samples     int    // number of snapshots with the thread
	First, Last int    // index of the first and last snapshots with it; Last is −1 if unknown
	States      States // number of samples in each state

	Roots     []*Node   // the outermost frames, heaviest first
	Timeline  *Timeline // nil: not kept (see [Builder.KeepTimelines]), or not in the report
	Unstopped int       // samples read without a stop, which may be wrong
	Empty     int       // samples without any frame
	Err       string    // why frames are missing, in the last sample where some are; empty if none are

	// Same are the other threads of the entry, after [Profile.FoldThreads]. Times are then
	// sums.
	Same []ThreadName
	// Together describes the group of an entry after [Profile.GroupBy]; nil: not grouped.
	Together *Together
}

// ThreadName identifies one thread of an entry.
type ThreadName struct {
	ID                task.ThreadID
	Name, RuntimeName string // see [Thread]
	Goroutine         uint64 // its number
}

// named returns what identifies a thread.
func (t *Thread) named() ThreadName { return ThreadName{t.ID, t.Name, t.RuntimeName, t.Goroutine.ID} }

// Shown returns the name to show to people. That is the runtime's name if the system's name is empty,
// is the process's name, or is the beginning of the runtime's name; otherwise it is the system's name.
func (n ThreadName) Shown(process string) string {
	const mainThread, mostBytes = "MainThread", 15
	name := strings.TrimRight(strings.ToValidUTF8(n.Name, ""), "\ufffd") // the system may have cut it within a character
	switch {
	case n.RuntimeName == "" || n.RuntimeName == mainThread:
		return n.Name
	case name == process, len(n.Name) == mostBytes && strings.HasPrefix(process, name), strings.HasPrefix(n.RuntimeName, name):
		return n.RuntimeName
	}
	return n.Name
}

// ShownName returns the name of a thread to show to people.
func (p *Profile) ShownName(t *Thread) string { return t.named().Shown(p.Target.Name) }

// States is the number of samples in each state.
type States [task.Ended + 1]int

func (s *States) add(state task.State, n int) {
	if int(state) >= len(s) {
		state = task.StateUnknown
	}
	s[state] += n
}

// plus returns the sum of s and times other; nil if both are nil.
func (s *States) plus(other *States, times int) *States {
	if other == nil {
		return s
	}
	var sum States
	if s != nil {
		sum = *s
	}
	for state, n := range other {
		sum[state] += n * times
	}
	return &sum
}

// Nodes iterates over the nodes of the thread's tree with their depth, 0 for an outermost
// frame. Each comes before its children. In a single snapshot, that is the stack from the
// outermost frame inwards.
func (t *Thread) Nodes() iter.Seq2[int, *Node] { return preorder(t.Roots) }
