package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Hook is a shell command that is run on each capture of a watch; none when it
// is empty.
type Hook struct {
	Command string
	Output  io.Writer // takes what it prints
	// Limit is after how long it is ended, with the processes that it has started
	// and that are still in its group: the watch sees nothing meanwhile.
	Limit time.Duration
	Grace time.Duration // for how long it goes on at most once the watch is ended
}

// The times that leave a hook enough to send a report somewhere.
const (
	HookLimit = time.Minute
	HookGrace = 5 * time.Second
)

// errHookTooLong says that a hook was ended.
var errHookTooLong = errors.New("ended, with what it had started")

// Run runs the command with further variables, "NAME=value", and waits for its
// end, at most for the limit, and for the grace once ctx is done.
func (h Hook) Run(ctx context.Context, variables ...string) error {
	if h.Command == "" {
		return nil
	}
	cmd := exec.Command("/bin/sh", "-c", h.Command)
	cmd.Stdout, cmd.Stderr = h.Output, h.Output
	cmd.Env = append(os.Environ(), variables...)
	ownGroup(cmd)
	// Of a process that has left the group and keeps the output open, no more is
	// awaited.
	cmd.WaitDelay = time.Second
	// A program takes over from the thread that starts it, priority and timer slack
	// among other things. The calling goroutine may be bound to one that has others
	// than it had at first; Go makes no further threads from such a one.
	done := make(chan error)
	go func() { done <- h.wait(ctx, cmd) }()
	if err := <-done; err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%q: %w", h.Command, err)
	}
	return nil
}

// wait starts the command and waits for its end.
func (h Hook) wait(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	limit := time.AfterFunc(h.Limit, func() { killGroup(cmd) })
	hurry := context.AfterFunc(ctx, func() { limit.Reset(min(h.Grace, h.Limit)) })
	began := time.Now()
	err := cmd.Wait()
	hurry()
	if !limit.Stop() && err != nil {
		return fmt.Errorf("%w after %v", errHookTooLong, time.Since(began).Round(time.Second))
	}
	return err
}
