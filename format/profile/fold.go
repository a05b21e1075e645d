package profile

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"

	"stacksnap/task"
)

// FoldThreads returns a profile in which threads with equal samples share one entry: samples
// with the same frames at the same addresses with the same counts, in the same states, waiting
// in the same call for the same lock. The entry is the first of these threads and has the others
// in Same. The main thread always has its own entry. p does not change.
func (p *Profile) FoldThreads() *Profile { return p.FoldAlike(2) }

// FoldAlike is FoldThreads for groups of at least that many equal threads. Smaller groups keep
// their own entries.
func (p *Profile) FoldAlike(least int) *Profile {
	folded := *p
	folded.Threads = nil
	alike := map[[sha256.Size]byte]int{} // how many threads
	keys := make([][sha256.Size]byte, len(p.Threads))
	var l likeness
	for i, t := range p.Threads {
		if !t.Main {
			keys[i] = t.likeness(&l)
			alike[keys[i]] += t.Weight()
		}
	}
	entries := map[[sha256.Size]byte]*Thread{}
	for i, t := range p.Threads {
		folds := !t.Main && alike[keys[i]] >= least
		if first := entries[keys[i]]; folds && first != nil {
			first.absorb(t)
			continue
		}
		entry := *t
		entry.Same = append([]ThreadName(nil), t.Same...)
		folded.Threads = append(folded.Threads, &entry)
		if folds {
			entries[keys[i]] = &entry
		}
	}
	return &folded
}

// absorb adds another thread to the entry.
func (t *Thread) absorb(other *Thread) {
	t.Same = append(t.Same, other.named())
	t.Same = append(t.Same, other.Same...)
	t.User += other.User
	t.System += other.System
	t.Used += other.Used
	t.Lifetime = task.Lifetime{} // it is of each
	t.NotRun = min(t.NotRun, other.NotRun)
	t.Spent.Add(other.Spent)
	t.Timeline = nil // they existed at different times
	if other.Spent != (Spent{}) {
		t.Roots = withSpent(t.Roots, other.Roots)
	}
	if t.Processor != other.Processor {
		t.Processor = -1
	}
	if t.Priority != other.Priority {
		t.Priority = task.Priority{}
	}
	if t.QueueSerial != other.QueueSerial { // queues with the same label
		t.QueueSerial = 0
	}
	if t.QoS != other.QoS {
		t.QoS = task.UnknownQoS
	}
	if t.Wait != nil && other.Wait != nil && t.Wait.Object != other.Wait.Object {
		w := *t.Wait
		w.Object, w.Variable = "", ""
		t.Wait = &w
	}
	t.Waits = slices.Clone(t.Waits)
	for i := range t.Waits {
		if t.Waits[i].Object != other.Waits[i].Object { // equally many, see likeness
			t.Waits[i].Object, t.Waits[i].Variable = "", ""
		}
	}
}

// likeness returns a hash that is equal for threads that may be folded. It overwrites l.
func (t *Thread) likeness(l *likeness) [sha256.Size]byte {
	*l = (*l)[:0]
	l.numbers(int(t.State), int(t.OnCPUState), t.SuspendCount)
	l.states(&t.States)
	l.text(t.Queue, t.Err)
	if w := t.Wait; w != nil {
		w.addTo(l)
	}
	for i := range t.Waits {
		w := &t.Waits[i]
		w.addTo(l)
		l.numbers(w.Looks, t.Looks)
		l.flags(w.Owners)
	}
	for depth, n := range t.Nodes() {
		l.numbers(depth)
		n.addTo(l)
	}
	return sha256.Sum256(*l)
}

// likeness is what things that are alike have in common, as bytes.
type likeness []byte

func (l *likeness) numbers(all ...int) {
	for _, n := range all {
		*l = binary.AppendVarint(*l, int64(n))
	}
}

func (l *likeness) text(all ...string) {
	for _, s := range all {
		l.numbers(len(s))
		*l = append(*l, s...)
	}
}

func (l *likeness) flags(all ...bool) {
	for _, is := range all {
		*l = strconv.AppendBool(*l, is)
	}
}

func (l *likeness) states(s *States) {
	if l.flags(s != nil); s != nil {
		l.numbers(s[:]...)
	}
}

func (w *Wait) addTo(l *likeness) {
	stalled := task.Moving
	if w.Stalled != nil {
		stalled = w.Stalled.State
	}
	l.text(w.Call)
	l.numbers(int(w.Lock), int(w.Addr), int(w.Owner), int(w.GoneOwner), w.OwnerPID,
		w.Peer.PID, int(w.Peer.Thread), int(w.Peer.Action), int(stalled))
	l.flags(w.Peer.Others, w.Peer.Self, w.Peer.AlsoSelf)
}

func (n *Node) addTo(l *likeness) {
	var load, cut, branches, nodes int
	if n.Image != nil {
		load = int(n.Image.Load)
	}
	if n.Cut != nil {
		cut = int(n.Cut.Reason)
	}
	if n.Folded != nil {
		branches, nodes = n.Folded.Branches, n.Folded.Nodes
	}
	l.text(n.Function)
	l.numbers(int(n.PC), int(n.Offset), load, cut, n.Count, n.Self, branches, nodes, len(n.Also))
	l.flags(n.Return, n.Inlined, n.By.Guess(), n.Image != nil, n.Cut != nil, n.Folded != nil, n.More)
	l.states(n.States)
	for _, a := range n.Also {
		l.numbers(int(a.PC), int(a.Offset))
	}
}

// Find returns the entry of a thread, or the entry that it was folded into; nil if there is
// none.
func (p *Profile) Find(id task.ThreadID) *Thread {
	for _, t := range p.Threads {
		if t.ID == id || slices.ContainsFunc(t.Same, func(s ThreadName) bool { return s.ID == id }) {
			return t
		}
	}
	return nil
}

// Alike is a process with others that are equal to it.
type Alike struct {
	*Profile
	Others []*Profile
}

// FoldIdle merges idle processes that are equal: they run one program, their threads are in
// the same places in the same calls, and none of them runs, is stuck, or waits for another
// process. A merged entry has the position of its first process.
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
			if w := &t.Waits[i]; w.WaitsForOther() || w.Owner != 0 {
				return false
			}
		}
	}
	return true
}

// likeness returns a hash that is equal for processes that may be merged, independent of
// their images' addresses.
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

// writePlace writes a node without the address of its image.
func (n *Node) writePlace(w io.Writer, depth int) {
	at, path := n.PC, ""
	if n.Image != nil {
		at, path = n.PC-n.Image.Load, n.Image.Path
	}
	fmt.Fprintf(w, "%d %q %q+%d %d %t %t %t %t %d\n", depth, path, n.Function, n.Offset, at, n.Inlined, n.Kernel, n.By.Guess(), n.Cut != nil, n.Count)
}
