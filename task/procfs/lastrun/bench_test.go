//go:build linux

package lastrun

import (
	"testing"

	"stacksnap/task"
)

// BenchmarkNote notes one blocked thread, as is done before a stop.
func BenchmarkNote(b *testing.B) {
	e := startEcho(b)
	e.wake(b)
	for b.Loop() {
		Note(int(e.dir.Fd()), []task.ThreadID{e.id})
	}
}
