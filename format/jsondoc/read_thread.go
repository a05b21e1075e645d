package jsondoc

import (
	"errors"
	"fmt"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// readThread reads a thread with its tree.
func (d *documentReader) readThread() error {
	if len(d.threads) == maxDocumentThreads {
		return errDocumentSize
	}
	var j jsonThread
	var tree documentTree
	err := d.in.Members(func(name string) error {
		if name == "nodes" {
			return d.in.Elements(func() error { return d.readNode(&tree) })
		}
		defer d.charge()
		return d.in.Member(name, &j)
	})
	if err == nil && d.kept > maxDocumentText {
		err = errDocumentSize
	}
	var t *profile.Thread
	if err == nil {
		t, err = d.thread(&j, &tree)
	}
	if err != nil {
		return fmt.Errorf("thread %d: %w", j.ID, err)
	}
	d.threads = append(d.threads, t)
	return nil
}

// charge adds the size of the last member to the bytes kept.
func (d *documentReader) charge() { d.kept += d.in.Size() }

// thread returns a thread from its members and its tree.
func (d *documentReader) thread(j *jsonThread, tree *documentTree) (*profile.Thread, error) {
	if j.Together != nil {
		return nil, errors.New("it has the samples of several: write the document without --by")
	}
	for _, n := range []int{j.Samples, j.First, j.Last, j.Unstopped, j.Empty, j.Looks, j.SuspendCount} {
		if n < 0 || int64(n) > maxCounted {
			return nil, fmt.Errorf("a number is %d", n)
		}
	}
	t := &profile.Thread{
		ID: task.ThreadID(j.ID), Name: j.Name, RuntimeName: j.RuntimeName, Queue: j.Queue, QueueSerial: j.QueueSerial, Main: j.Main, SuspendCount: j.SuspendCount,
		Priority: task.Priority{Now: j.Priority, Base: j.BasePriority}, Looks: j.Looks,
		Samples: j.Samples, First: j.First, Last: j.Last, Unstopped: j.Unstopped, Empty: j.Empty, Err: j.Error,
	}
	t.QoS, _ = words.Named(j.QoS, task.UserInteractive)
	err := timesOf([]int64{j.User, j.System, j.Used, j.NotRun}, &t.User, &t.System, &t.Used, &t.NotRun)
	for _, s := range j.Same {
		t.Same = append(t.Same, profile.ThreadName{ID: task.ThreadID(s.ID), Name: s.Name, RuntimeName: s.RuntimeName, Goroutine: s.Goroutine})
	}
	t.Goroutine = goroutineOf(j.Goroutine)
	t.Roots = tree.roots
	own, weight := tree.own+int64(t.Empty), int64(t.Weight())
	if own > (maxCounted-d.samples)/weight {
		return nil, errDocumentSize
	}
	d.samples += own * weight
	var spentErr error
	t.Spent, spentErr = j.Spent.times()
	var lifetimeErr error
	t.Lifetime, lifetimeErr = j.Lifetime.lifetime()
	return t, errors.Join(err, spentErr, lifetimeErr, j.states(t), j.waits(t))
}

func (j *jsonLifetime) lifetime() (l task.Lifetime, err error) {
	if j == nil {
		return l, nil
	}
	l.Faults, l.DiskFaults, l.Nice = j.Faults, j.DiskFaults, j.Nice
	err = timesOf([]int64{j.Age, j.Ran, j.Queued}, &l.Age, &l.Ran, &l.Queued)
	return l, err
}

// states sets the thread's states.
func (j *jsonThread) states(t *profile.Thread) error {
	t.State, _ = words.Named(j.State, task.Ended)
	switch {
	case j.Processor != nil:
		t.OnCPUState, t.Processor = task.OnCPU, *j.Processor
	case j.Queued:
		t.OnCPUState = task.Queued
	}
	for name, n := range j.States {
		state, ok := words.Named(name, task.Ended)
		if !ok || n < 0 || int64(n) > maxCounted {
			return fmt.Errorf("%d samples in state %q", n, words.Elide(name, words.MaxText))
		}
		t.States[state] = n
	}
	return nil
}

// waits sets the thread's waits.
func (j *jsonThread) waits(t *profile.Thread) (err error) {
	if t.Wait, err = j.Wait.wait(); err != nil {
		return err
	}
	for i := range j.Waits {
		w, err := j.Waits[i].wait()
		if err != nil {
			return err
		}
		if j.Waits[i].Looks < 0 {
			return fmt.Errorf("%d looks", j.Waits[i].Looks)
		}
		t.Waits = append(t.Waits, profile.Waited{Wait: *w, Looks: j.Waits[i].Looks, Owners: j.Waits[i].Owners})
	}
	return nil
}

func (j *jsonWait) wait() (*profile.Wait, error) {
	if j == nil {
		return nil, nil
	}
	w := &profile.Wait{
		Call: j.Call, Object: j.Object, Owner: task.ThreadID(j.Owner), OwnerName: j.OwnerName, OwnerPID: j.OwnerPID, Readers: j.Readers,
		Receives: j.Receives, Variable: j.Variable, GoneOwner: task.ThreadID(j.GoneOwner),
		Gone: task.Outsider{Ended: j.GoneEnded, Parent: j.Parent, ParentName: j.ParentName}, Hung: j.Hung,
	}
	w.Lock, _ = words.Named(j.Lock, profile.GIL)
	if p := j.Peer; p != nil {
		w.Peer = profile.Peer{PID: p.PID, Name: p.Name, Thread: task.ThreadID(p.Thread), ThreadName: p.ThreadName, Others: p.Others, Self: p.Self, AlsoSelf: p.AlsoSelf}
		w.Peer.Action, _ = words.Named(p.Action, profile.Reply)
	}
	if s := j.Stalled; s != nil && s.Count > 0 {
		w.Stalled = &task.Stalled{Count: s.Count, Remote: s.Remote, Since: time.Duration(s.Since), Unread: s.Unread, PID: s.PID, Name: s.Name, Others: s.Others}
		w.Stalled.State, _ = words.Named(s.State, task.Unread)
	}
	var err error
	w.Addr, err = addressOf(j.Address)
	return w, err
}

func goroutineOf(j *jsonGoroutine) (g task.Goroutine) {
	if j == nil {
		return g
	}
	g.ID = j.ID
	for _, l := range j.Labels {
		g.Labels = append(g.Labels, l.Key, l.Value)
	}
	return g
}
