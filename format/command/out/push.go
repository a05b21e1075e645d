package out

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"stacksnap/format/command/cli"
	"stacksnap/format/otlp"
	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/push"
	"stacksnap/format/pyroscope"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// How long to retry a server that is not ready, at the end of a capture and of a watch.
// What is not sent by then is left for a later call.
const (
	pushPatience = 10 * time.Second
	pushGrace    = 5 * time.Second
)

// OpenPush prepares --push. It is called before the capture, so that a bad URL or directory
// is found early.
func (c *Reporter) OpenPush() error {
	if c.Push == "" {
		return nil
	}
	to, err := push.ParseEndpoint(c.Push, c.Getenv)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if _, err := to.Headers(c.PushHeaders, c.Getenv); err != nil {
		return fmt.Errorf("--push: %w", err)
	}
	if err := push.CheckCurl(); err != nil {
		return err
	}
	folder, err := c.spoolFolder()
	if err != nil {
		return err
	}
	spool, err := output.OpenSpool(filepath.Join(folder, to.Folder()))
	if err != nil {
		return fmt.Errorf("--push: %w", err)
	}
	spool.MaxBytes, spool.MaxAge = push.MaxSpoolBytes, push.MaxSpoolAge
	agent := strings.ReplaceAll(c.Tool, " ", "/")
	c.sender = push.NewSender(to, agent, spool, c.PushHeaders, c.Getenv, func(line string) { Tell(c.Err, line) })
	return nil
}

// errNoSpool is returned if there is no directory for uploads that cannot be sent at once.
var errNoSpool = errors.New("--push has no folder for what a server does not take at once: give --spool DIR")

// spoolFolder returns the directory for uploads that wait to be sent: --spool, else one
// below systemd's STATE_DIRECTORY, else one below the user's state directory (XDG Base
// Directory Specification).
func (c *Reporter) spoolFolder() (string, error) {
	if c.Spool != "" {
		return c.Spool, nil
	}
	if state, _, _ := strings.Cut(c.Getenv("STATE_DIRECTORY"), ":"); state != "" {
		return filepath.Join(state, "push"), nil
	}
	if state := c.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "stacksnap", "push"), nil
	}
	if home := c.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "stacksnap", "push"), nil
	}
	return "", cli.UsageError{Err: errNoSpool}
}

// Queue adds a group's profiles to the uploads of --push. Without --push it does nothing.
func (c *Reporter) Queue(g *profile.Group, about *hangreport.Report) error {
	if c.sender == nil || len(g.Profiles) == 0 {
		return nil
	}
	write := otlp.Write
	if c.sender.Endpoint.Protocol == push.Pyroscope {
		write = pyroscope.Write
	}
	r := report.Report{Group: *g.Each(c.pushed), Hang: about, Origin: c.origin()}
	var body bytes.Buffer
	packed := gzip.NewWriter(&body)
	if err := errors.Join(write(packed, &r, words.Options{}), packed.Close()); err != nil {
		return fmt.Errorf("--push: %w", err)
	}
	c.sender.Add(body.Bytes())
	return nil
}

// pushed returns a profile as it is uploaded: --merge is left to the reader.
func (c *Reporter) pushed(p *profile.Profile) *profile.Profile { return c.View.Apply(c.Named(p)) }

// deliver sends the queued uploads. Those that are kept for a later call are reported in a
// line, not as an error.
func (c *Reporter) deliver() error {
	if c.sender == nil {
		return nil
	}
	c.Release() // what is not sent is kept
	lost, err := c.sender.Send(context.Background(), pushPatience)
	if err != nil {
		c.tellWaiting(err)
	}
	if n := c.sender.Held(); n > 0 {
		lost = append(lost, fmt.Sprintf("%d of the profiles could be neither sent nor kept", n))
	}
	var errs []error
	for _, line := range lost {
		errs = append(errs, errors.New("--push: "+line))
	}
	return errors.Join(append(errs, c.sender.Close())...)
}

// tellWaiting prints the number of uploads left for a later call, and why.
func (c *Reporter) tellWaiting(why error) {
	n := c.sender.Waiting()
	switch {
	case n == 0:
		return
	case n == 1:
		Tell(c.Err, fmt.Sprintf("--push: %v; a profile waits in %s for the next call with this --push", why, c.sender.Spool.Path()))
	default:
		Tell(c.Err, fmt.Sprintf("--push: %v; %d profiles wait in %s for the next call with this --push", why, n, c.sender.Spool.Path()))
	}
}

// StartPushing sends queued uploads in the background of a watch. finish stops that, after
// a last attempt to send what is left.
func (c *Reporter) StartPushing() (finish func() error) {
	if c.sender == nil {
		return func() error { return nil }
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.sender.Run(ctx, pushGrace)
	}()
	return func() error {
		c.Release() // what is not sent is kept
		stop()
		<-done
		if c.sender.Waiting() > 0 {
			c.tellWaiting(errors.New("the watch is over"))
		}
		if n := c.sender.Held(); n > 0 {
			return errors.Join(fmt.Errorf("--push: %d of the profiles could be neither sent nor kept", n), c.sender.Close())
		}
		return c.sender.Close()
	}
}
