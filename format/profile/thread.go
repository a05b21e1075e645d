package profile

import (
	"iter"
	"time"

	"stacksnap/task"
)

// Thread is one thread of the target with its call tree.
type Thread struct {
	ID           task.ThreadID
	Name         string // empty when it has none or the system does not tell
	Queue        string // label of the dispatch queue it works for
	QueueSerial  uint64 // that queue's number, in the order of their making; 0: unknown
	QueueKind    string // "serial" or "concurrent", where a report tells that
	Main         bool   // the thread that the program was started on
	State        task.State
	Turn         task.Turn     // of one that could run, where that was found out, when last seen
	Processor    int           // that it was on then; negative: each of several on one of its own
	User, System time.Duration // CPU time since the thread began, when last seen
	Used         time.Duration // CPU time between the first and the last snapshot it was in
	Spent        Spent         // of the time between these, where that is known; Linux
	SuspendCount int           // holds placed by others than stacksnap
	Priority     task.Priority // when last seen; macOS
	QoS          task.QoS      // that it asked for when last seen; macOS

	Wait  *Wait    // what it waited for when that was last asked; nil when it ran, or that is not known
	Looks int      // how often that was asked
	Waits []Waited // what it was found to wait for, the most frequent first

	Samples     int    // snapshots it was in
	First, Last int    // the first and the last of them, counted from 0; Last is −1 where that is not known
	States      States // in how many of them it was in each state

	Roots     []*Node   // the outermost frames, heaviest first
	Timeline  *Timeline // nil: it was not kept, see [Builder.KeepTimelines], or told
	Unstopped int       // samples that were read without a stop, and may be wrong
	Empty     int       // samples of which no frame is known
	Err       string    // why frames are missing, of the last sample that had cause; empty when none had

	// Same are the other threads that this entry stands for, after
	// [Profile.FoldThreads]. Times are then those of all together.
	Same []ThreadName
	// Together is whose samples this entry has together, after [Profile.GroupBy]; nil: it is
	// a thread, and Same are those alike.
	Together *Together
}

// ThreadName is what tells one folded thread from another.
type ThreadName struct {
	ID   task.ThreadID
	Name string
}

// States counts samples by a thread's state.
type States [task.Ended + 1]int

func (s *States) add(state task.State, n int) {
	if int(state) >= len(s) {
		state = task.StateUnknown
	}
	s[state] += n
}

// plus returns the sum with as many times another; nil where both are.
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

// Nodes gives the nodes of the thread's tree with their depth, 0 for an
// outermost frame: each before its children, and these in order. The tree of
// one snapshot is thereby given from the outermost frame in.
func (t *Thread) Nodes() iter.Seq2[int, *Node] { return preorder(t.Roots) }
