package profile

import (
	"crypto/sha256"
	"fmt"
	"io"
)

// Alike is a process, and others that are like it.
type Alike struct {
	*Profile
	Others []*Profile
}

// FoldIdle returns processes with those put together that do nothing, all alike: they are
// of one program, and their threads are at the same places in the same calls, and none of
// them runs, is stuck, or waits for anybody. The first of them stands where it stood.
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
