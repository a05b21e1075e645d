package command

import (
	"strings"
	"testing"
	"time"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/live"
)

// target is a process of which only some facts are asked.
type target struct {
	task.Process
	task.ThreadStopper
	os       task.OS
	byThread error
	traced   error
}

func (p *target) Info() task.Info                 { return task.Info{OS: p.os} }
func (p *target) Capabilities() task.Capabilities { return task.Capabilities{Stopper: p} }
func (p *target) Traced() error                   { return p.traced }

func (p *target) CanStop(how task.Suspension) error {
	if how == task.SuspendThread {
		return p.byThread
	}
	return p.traced
}

func TestStopsAreForetold(t *testing.T) {
	held := &task.TracedError{PID: 1}
	linux, mac := &target{os: task.Linux}, &target{os: task.Darwin, byThread: held}
	for _, c := range []struct {
		args    string
		process task.Process
		threads int
		want    string
	}{
		{"", linux, 8, "once up to 8 threads at once, while stacks are copied, for 50ms at most"},
		{"--max-stop 5ms", linux, 8, "for 5ms at most"},
		{"", mac, 8, "once all of it, with 8 threads, while stacks are copied;"},
		{"-d 1s", linux, 8, "for each sample one of 8 threads after another, or all at once"},
		{"-d 1s", linux, 1, "for each sample its only thread"},
		{"-d 1s", mac, 2, "for each sample all of it, with 2 threads,"},
		{"--every 1s", mac, 1, "with 1 thread,"},
		{"--suspend thread", linux, 2, "one of 2 threads after another"},
		{"--suspend task -d 1s", linux, 2, "for each sample up to 2 threads at once"},
		{"--no-stop", linux, 2, "nothing"},
		{"--hang 1s", linux, 2, "for each sample of a hang up to 2"},
		{"--hang 1s", mac, 2, "a thread that runs, all of it"},
		{"--every 1s", mac, 2, "for each report all of it"},
		{"--every 1s", &target{os: task.Linux, traced: held}, 2, "; not while it is held: " + held.Error()},
	} {
		o, err := cli.Parse(append(strings.Fields(c.args), "--check", "-p", "1"), "", live.Runs)
		if err != nil || o.Mode() != cli.ModeCheck {
			t.Fatalf("%s: %v", c.args, err)
		}
		if got := (&call{Reporter: &out.Reporter{Options: o}}).stops(c.process, c.threads); !strings.Contains(got, c.want) || strings.Contains(got, "or all") != strings.Contains(c.want, "or all") && c.threads > 1 {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestSamplesAreForetold(t *testing.T) {
	for args, want := range map[string]string{
		"": "", "--hang 1s": "", "-d 2s": "one every 1ms for 2s", "-n 5 -r 10": "one every 100ms, 5 at most", "--no-stop": "one every 1ms for 10s",
	} {
		o, err := cli.Parse(append(strings.Fields(args), "--check", "-p", "1"), "", live.Runs)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&call{Reporter: &out.Reporter{Options: o}}).cost(); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	now := time.Unix(1e9, 0)
	for want, d := range map[string]task.Details{
		"of user ?": {User: -1, CPU: -1},
		"of user 4294967294, started 1m0s ago, with 2s of CPU time": {User: 4294967294, CPU: 2 * time.Second, Start: now.Add(-time.Minute)},
	} {
		if got := about(d, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLacks(t *testing.T) {
	if got := lacks(&images.Image{}); !strings.Contains(got, "no symbols") {
		t.Error(got)
	}
	if got := lacks(&images.Image{Placed: object.Placed{Err: object.ErrNoSection}}); got != object.ErrNoSection.Error() {
		t.Error(got)
	}
}

// TestWhoIsHeldIsNotStopped, but watched until it is let go of.
func TestWhoIsHeldIsNotStopped(t *testing.T) {
	held := &target{os: task.Linux, traced: &task.TracedError{PID: 1}}
	for args, refused := range map[string]bool{"": true, "-d 1s --suspend task": true, "--suspend thread": false, "--hang 1s": false, "--every 1s": false} {
		o, err := cli.Parse(append(strings.Fields(args), "--check", "-p", "1"), "", live.Runs)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&call{Reporter: &out.Reporter{Options: o}}).mayStop(held); (err != nil) != refused {
			t.Errorf("%s: %v", args, err)
		}
	}
}
