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

// Hook is a shell command that runs on each capture of a watch; nothing runs if it is
// empty.
type Hook struct {
	Command string
	Output  io.Writer // receives the command's output
	// Limit is the time after which it is killed, with the processes of its group. The
	// watch observes nothing while it runs.
	Limit time.Duration
	Grace time.Duration // the most time left to it when the watch ends
}

// The default limits, enough to send a report somewhere.
const (
	HookLimit = time.Minute
	HookGrace = 5 * time.Second
)

// errHookTooLong is returned for a hook that was killed at its limit.
var errHookTooLong = errors.New("ended, with what it had started")

// Run runs the command with additional variables, "NAME=value", and waits until it ends, at
// most for the limit, and for the grace once ctx is done.
func (h Hook) Run(ctx context.Context, variables ...string) error {
	if h.Command == "" {
		return nil
	}
	cmd := exec.Command("/bin/sh", "-c", h.Command)
	cmd.Stdout, cmd.Stderr = h.Output, h.Output
	cmd.Env = append(os.Environ(), variables...)
	ownGroup(cmd)
	// A process that has left the group may keep the output open. It is not waited for.
	cmd.WaitDelay = time.Second
	// A program inherits priority and timer slack from the thread that starts it. The
	// calling goroutine may be locked to a thread on which these were changed; Go starts no
	// new threads from such a thread.
	done := make(chan error)
	go func() { done <- h.wait(ctx, cmd) }()
	if err := <-done; err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%q: %w", h.Command, err)
	}
	return nil
}

// wait starts the command and waits until it ends.
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
