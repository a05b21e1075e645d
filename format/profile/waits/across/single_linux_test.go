package across_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// startCat starts a process that reads from a pipe, with further descriptors.
func startCat(t *testing.T, in *os.File, others ...*os.File) (pid int) {
	t.Helper()
	cmd := exec.Command(needs.Tool(t, "cat"))
	cmd.Stdin, cmd.ExtraFiles = in, others
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd.Process.Pid
}

// comesToPeer captures one process until a peer is named: under load there may be no time for
// that, and before the process reads there is none.
func comesToPeer(t *testing.T, pid int, snapshot func(*testing.T, int) *profile.Profile, want profile.Peer) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		w := snapshot(t, pid).MainThread().Wait
		if w != nil && w.Peer.PID != 0 {
			if want.Others = w.Peer.Others; w.Peer != want {
				t.Errorf("it waits for %+v, want %+v", w.Peer, want)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("it waits for %+v", w)
		}
	}
}

func oneShot(t *testing.T, pid int) *profile.Profile { return captured(t, pid, 0) }
func samples(t *testing.T, pid int) *profile.Profile { return captured(t, pid, 3) }

// captured takes a number of snapshots, 0 for a one-shot.
func captured(t *testing.T, pid, count int) *profile.Profile {
	t.Helper()
	process, err := live.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Close() }()
	o := capture.Options{Tool: "test", Interval: time.Millisecond, Count: count}
	if count == 0 {
		p, err := capture.OneShot(process, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p, err := capture.Record(context.Background(), process, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOneProcess: the other end is named of what one process alone waits for, in a snapshot and
// in many, be it another process, itself or both.
func TestOneProcess(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), out.Close() }()
	ownIn, ownOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	pid, self := startCat(t, in), startCat(t, ownIn, ownOut)
	_, _ = ownIn.Close(), ownOut.Close()
	mine := profile.Peer{PID: os.Getpid(), Name: live.Name(os.Getpid()), Action: profile.Write}
	own := profile.Peer{PID: self, Name: live.Name(self), Action: profile.Write, Self: true}
	bothIn, bothOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = bothIn.Close(), bothOut.Close() }()
	shared, both := startCat(t, bothIn, bothOut), mine
	both.AlsoSelf = true
	for _, snapshot := range []func(*testing.T, int) *profile.Profile{oneShot, samples} {
		comesToPeer(t, pid, snapshot, mine)
		comesToPeer(t, self, snapshot, own)
		comesToPeer(t, shared, snapshot, both)
	}
}
