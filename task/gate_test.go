package task

import "testing"

// TestGate: what is to happen between two stops waits for the end of the one that
// is on, and the next stop for it.
func TestGate(t *testing.T) {
	var g Gate
	standing, between := true, false
	g.Enter()
	begun, done := make(chan bool), make(chan bool)
	go func() {
		close(begun)
		g.Between(func() { between = !standing })
		close(done)
	}()
	<-begun
	standing = false
	g.Leave()
	<-done
	if !between {
		t.Error("something stood")
	}
	g.Enter()
	g.Leave()
	var none *Gate
	none.Enter()
	none.Leave()
}
