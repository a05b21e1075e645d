package ptrace

import (
	"bytes"
	"strings"

	"stacksnap/task"
)

// parseCommand splits arguments that are each ended by NUL. A program that has
// written another line over its arguments has often left the rest of them as
// NULs.
func parseCommand(b []byte) task.Command {
	b = bytes.TrimRight(b, "\x00")
	if len(b) == 0 {
		return task.Command{}
	}
	return task.NewCommand(strings.Split(string(b), "\x00"))
}
