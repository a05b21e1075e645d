package machocore_test

import (
	"testing"

	"stacksnap/images"
	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
	"stacksnap/task/machocore"
	"stacksnap/unwind"
)

// Every thread of every core must be walked as it was called, those that a
// signal interrupted too.
func TestFixturesChains(t *testing.T) {
	fixtures(t, func(t *testing.T, p *machocore.Process, truth *corefile.Truth) {
		var s task.Snapshot
		if err := task.Take(p, &s); err != nil {
			t.Fatal(err)
		}
		m, _ := images.Load(p, nil, nil)
		u := unwind.New(unwind.Options{CodeMask: p.Info().CodeMask})
		for i := range s.Threads {
			frames, stop := u.Walk(nil, &s.Threads[i], m, p.Memory())
			compareChain(t, &truth.Threads[i], frames, stop)
		}
	})
}

func compareChain(t *testing.T, truth *corefile.TruthThread, frames []unwind.Frame, stop unwind.Stop) {
	t.Helper()
	want := truth.Chain
	same := len(frames) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = hexOf(uint64(frames[i].PC)) == want[i].PC && frames[i].Return == want[i].Return
	}
	if same && stop.Reason == unwind.Bottom {
		return
	}
	t.Errorf("thread %d (%s) ended with %v (%v)", truth.ID, truth.Name, stop.Reason, stop.Err)
	for i := range max(len(frames), len(want)) {
		var f unwind.Frame
		var c corefile.TruthCall
		if i < len(frames) {
			f = frames[i]
		}
		if i < len(want) {
			c = want[i]
		}
		t.Logf("  %v return=%v by %v %v; true %s return=%v %s + %d", f.PC, f.Return, f.By, f.Err, c.PC, c.Return, c.Symbol, c.Offset)
	}
}
