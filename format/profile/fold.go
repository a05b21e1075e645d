package profile

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"stacksnap/task"
)

// FoldThreads returns the profile with threads that are all alike made one
// entry: the same frames at the same addresses, as often, in the same states,
// waiting in the same call and for the same lock. The entry is the first of them
// and names the others in Same. The main thread always stands by itself. p is
// left as it is.
func (p *Profile) FoldThreads() *Profile {
	folded := *p
	folded.Threads = nil
	entries := map[[sha256.Size]byte]*Thread{}
	for _, t := range p.Threads {
		key := t.likeness()
		if first := entries[key]; first != nil && !t.Main {
			first.absorb(t)
			continue
		}
		entry := *t
		entry.Same = append([]ThreadName(nil), t.Same...)
		folded.Threads = append(folded.Threads, &entry)
		if !t.Main {
			entries[key] = &entry
		}
	}
	return &folded
}

// absorb makes t an entry for another thread too.
func (t *Thread) absorb(other *Thread) {
	t.Same = append(t.Same, ThreadName{other.ID, other.Name})
	t.Same = append(t.Same, other.Same...)
	t.User += other.User
	t.System += other.System
	t.Used += other.Used
	t.Spent.add(other.Spent)
	t.Timeline = nil // they were not there at the same times
	if other.Spent != (Spent{}) {
		t.Roots = withSpent(t.Roots, other.Roots)
	}
	if t.Processor != other.Processor {
		t.Processor = -1
	}
	if t.Priority != other.Priority {
		t.Priority = task.Priority{}
	}
	if t.QueueSerial != other.QueueSerial { // queues that have one label
		t.QueueSerial = 0
	}
	if t.QoS != other.QoS {
		t.QoS = task.UnknownQoS
	}
	if t.Wait != nil && other.Wait != nil && t.Wait.Object != other.Wait.Object {
		w := *t.Wait
		w.Object = ""
		t.Wait = &w
	}
	t.Waits = slices.Clone(t.Waits)
	for i := range t.Waits {
		if t.Waits[i].Object != other.Waits[i].Object { // they are as many, see likeness
			t.Waits[i].Object = ""
		}
	}
}

// likeness is equal for threads that may be folded.
func (t *Thread) likeness() (key [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %q %q %d\n", t.State, t.Turn, t.States, t.Queue, t.Err, t.SuspendCount)
	if w := t.Wait; w != nil {
		w.writeLikeness(h)
	}
	for i := range t.Waits {
		w := &t.Waits[i]
		w.writeLikeness(h)
		fmt.Fprintf(h, "%d %t %d\n", w.Looks, w.Owners, t.Looks)
	}
	for depth, n := range t.Nodes() {
		n.writeLikeness(h, depth)
	}
	h.Sum(key[:0])
	return key
}

func (w *Wait) writeLikeness(to io.Writer) {
	fmt.Fprintf(to, "%q %d %d %d %d %d %d %d %t\n", w.Call, w.Lock, w.Addr, w.Owner, w.OwnerPID,
		w.Peer.PID, w.Peer.Thread, w.Peer.Action, w.Peer.Others)
}

func (n *Node) writeLikeness(w io.Writer, depth int) {
	var load, cut any
	if n.Image != nil {
		load = n.Image.Load
	}
	if n.Cut != nil {
		cut = n.Cut.Reason
	}
	fmt.Fprintf(w, "%d %d %t %q+%d %t %v %t %v %d %d %v %v\n", depth, n.PC, n.Return, n.Function, n.Offset,
		n.Inlined, load, n.By.Guess(), cut, n.Count, n.Self, n.States, n.Folded)
	if len(n.Also) > 0 || n.More {
		fmt.Fprintf(w, "%v %t\n", n.Also, n.More)
	}
}

// Find returns the entry of a thread, or the one that it was folded into; nil
// when there is none.
func (p *Profile) Find(id task.ThreadID) *Thread {
	for _, t := range p.Threads {
		if t.ID == id || slices.ContainsFunc(t.Same, func(s ThreadName) bool { return s.ID == id }) {
			return t
		}
	}
	return nil
}

// Alike is a process, and others that are like it.
type Alike struct {
	*Profile
	Others []*Profile
}

// FoldIdle returns processes with those put together that do nothing, all alike: they are
// of one program, and their threads are at the same places in the same calls, and none of
// them runs, is stuck, or waits for anybody. The first of them keeps its place.
func FoldIdle(all []*Profile) (folded []*Alike) {
	first := map[[sha256.Size]byte]*Alike{}
	for _, p := range all {
		one := &Alike{Profile: p}
		if p.isIdle() {
			key := p.likeness()
			if like := first[key]; like != nil {
				like.Others = append(like.Others, p)
				continue
			}
			first[key] = one
		}
		folded = append(folded, one)
	}
	return folded
}

func (p *Profile) isIdle() bool {
	if needOf(p).rank != isIdle || len(p.Deadlocks) > 0 {
		return false
	}
	for _, t := range p.Threads {
		for i := range t.Waits {
			if w := &t.Waits[i]; w.Peer.PID != 0 || w.Owner != 0 {
				return false
			}
		}
	}
	return true
}

// likeness is equal for processes that may be put together, wherever their images are.
func (p *Profile) likeness() (key [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %d\n", p.Target.Name, p.Target.Path, p.NumThreads())
	for _, t := range p.Threads {
		fmt.Fprintf(h, "%d %q %q %d %d\n", t.State, t.Name, t.Err, t.Weight(), t.Samples)
		for i := range t.Waits {
			fmt.Fprintf(h, "%q %d\n", t.Waits[i].Call, t.Waits[i].Lock)
		}
		for depth, n := range t.Nodes() {
			n.writePlace(h, depth)
		}
	}
	h.Sum(key[:0])
	return key
}

// writePlace writes what is alike of nodes in processes that have an image elsewhere.
func (n *Node) writePlace(w io.Writer, depth int) {
	at, path := n.PC, ""
	if n.Image != nil {
		at, path = n.PC-n.Image.Load, n.Image.Path
	}
	fmt.Fprintf(w, "%d %q %q+%d %d %t %t %t %t %d\n", depth, path, n.Function, n.Offset, at, n.Inlined, n.Kernel, n.By.Guess(), n.Cut != nil, n.Count)
}
