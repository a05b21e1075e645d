package task

import "sync"

// Gate keeps our own process from being stopped while it has a target stopped. A
// nil Gate keeps nothing.
type Gate struct{ mu sync.RWMutex }

// Enter is called before something is stopped, and Leave when it runs on. Enter
// waits for a Between that is under way.
func (g *Gate) Enter() {
	if g != nil {
		g.mu.RLock()
	}
}

// Leave ends what Enter has begun.
func (g *Gate) Leave() {
	if g != nil {
		g.mu.RUnlock()
	}
}

// Between calls f while nothing is stopped: at once, or when that which is runs on.
func (g *Gate) Between(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}

// Gated is a live [Process] that stops its target only within a gate.
type Gated interface{ SetGate(*Gate) }

// SetGate is p's, where it is [Gated].
func SetGate(p Process, g *Gate) {
	if gated, ok := p.(Gated); ok {
		gated.SetGate(g)
	}
}
