package headline

import (
	"path"
	"strings"

	"stacksnap/format/profile"
)

// tasksDeadlocked returns a headline if tasks that no thread runs are deadlocked.
func tasksDeadlocked(p *profile.Profile) Headline {
	if len(p.TaskDeadlocks) == 0 {
		return Headline{}
	}
	return Headline{Kind: TasksDeadlocked}
}

// inIdleLoop reports whether a thread waits in asyncio's event loop and runs no callback: its
// innermost Python function is the selector's, called by the loop.
func inIdleLoop(stack []*profile.Node) bool {
	var files []string
	for i := len(stack) - 1; i >= 0 && len(files) < 2; i-- {
		if l := &stack[i].Location; l.Image != nil && l.Image.Runtime {
			files = append(files, l.File)
		}
	}
	return len(files) == 2 && path.Base(files[0]) == "selectors.py" && strings.HasSuffix(files[1], "/asyncio/base_events.py")
}
