package output

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Hook is a shell command that is run on each capture of a watch; none when it
// is empty.
type Hook struct {
	Command string
	Output  io.Writer // takes what it prints
}

// Run runs the command with further variables, "NAME=value", and waits for its
// end.
func (h Hook) Run(variables ...string) error {
	if h.Command == "" {
		return nil
	}
	cmd := exec.Command("/bin/sh", "-c", h.Command)
	cmd.Stdout, cmd.Stderr = h.Output, h.Output
	cmd.Env = append(os.Environ(), variables...)
	// A program takes over from the thread that starts it, priority and timer slack
	// among other things. The calling goroutine may be bound to one that has others
	// than it had at first; Go makes no further threads from such a one.
	done := make(chan error)
	go func() { done <- cmd.Run() }()
	if err := <-done; err != nil {
		return fmt.Errorf("%q: %w", h.Command, err)
	}
	return nil
}
