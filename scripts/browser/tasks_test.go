//go:build browser

package browser

import (
	"testing"

	"stacksnap/format/profile"
)

// TestTasks: a click on a line of tasks opens their stack.
func TestTasks(t *testing.T) {
	p := worked()
	frame := func(function string) *profile.Node {
		return &profile.Node{Location: profile.Location{Function: function, File: "/src/it.go", Line: 31}, PC: 1}
	}
	p.Tasks = []*profile.Task{{Runtime: "Go 1.26.1", ID: 7, Wait: "chan receive", Count: 5000, Path: []*profile.Node{frame("main.worker"), frame("runtime.chanrecv1")}}}
	page := show(t, one(p))
	page.wants("#tasks h2", "5,000 goroutines")
	page.is("#tasks summary", "5,000 goroutines in chan receive")
	page.click("#tasks summary")
	page.wants("#tasks details[open] li:first-child", "main.worker (it.go:31)")
	page.shot("tasks")
}
