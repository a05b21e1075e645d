// Package family records a process together with those that it starts.
package family

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
)

const (
	lookInterval = 50 * time.Millisecond // between two looks for new processes
	maxAtOnce    = 64                    // recorded, if there may be as many files: more wait until others have ended
	maxMembers   = 1000                  // recorded in all
	maxNotes     = 20                    // on members that could not be recorded
)

// Record records the process root and its descendants, each as [capture.Record]
// does, from when it is found, at most 50 ms after its start, until it ends or
// the options say so. It is over when root is no longer recorded, or ctx is done.
// That a process ends is no error. One that calls exec is recorded anew.
//
// A process that ends sooner than it is found is missed, of which the first
// profile has a note. The profiles are those of root first, then in the order in which the processes
// were found; one that ended before its first snapshot has none. What went wrong
// with another than root is noted in the first profile. On an error there are
// those of the others; a root that is not there is one. Of the options,
// Save and Progress are left out, for they are for one process, and Each is called
// by several goroutines at once. Own CPU time is that of recording them all.
func Record(ctx context.Context, root int, o capture.Options) ([]*profile.Profile, error) {
	o.Save, o.Progress, o.ToEnd = "", nil, true
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &family{
		root: root, options: o, stop: stop,
		now: map[int]bool{}, past: map[int]bool{}, ended: make(chan *member), atOnce: atOnce(fileLimit()),
	}
	f.start(ctx, root)
	f.run(ctx)
	return f.results()
}

// family is a recording under way.
type family struct {
	root    int
	options capture.Options
	stop    context.CancelFunc
	members []*member // in the order in which they were found
	kin     live.Kin
	now     map[int]bool // pids that are recorded
	past    map[int]bool // that were, and were still there at the last look
	ended   chan *member
	atOnce  int   // how many are recorded
	short   int   // how many were not for want of open files
	err     error // of finding them
}

// run looks for new members until the last recording has ended.
func (f *family) run(ctx context.Context) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	for len(f.now) > 0 {
		select {
		case m := <-f.ended:
			f.end(m)
		case <-tick.C:
			if ctx.Err() == nil && f.err == nil {
				f.err = f.without(f.look(ctx))
			}
		}
	}
}

// end takes leave of a member. The others are not recorded without root.
func (f *family) end(m *member) {
	delete(f.now, m.pid)
	f.past[m.pid] = true
	if m.pid == f.root {
		f.stop()
	}
	m.err = f.without(m.err)
	if errors.As(m.err, new(*task.NoProcessError)) && (m.pid != f.root || len(m.profiles) > 0) {
		m.err = nil // it has ended
	}
}

// look finds new members. One whose parent has ended leads to its children only
// if it is asked for itself.
func (f *family) look(ctx context.Context) error {
	roots := make([]int, 0, len(f.now))
	for pid := range f.now {
		roots = append(roots, pid)
	}
	below, err := f.kin.Descendants(roots...)
	if err != nil {
		return fmt.Errorf("look for the processes that pid %d has started: %w", f.root, err)
	}
	past := map[int]bool{}
	for _, pid := range below {
		switch {
		case f.past[pid]:
			past[pid] = true
		case f.now[pid] || len(f.now) >= f.atOnce:
		case len(f.members) >= maxMembers:
			return fmt.Errorf("pid %d has started more than %d processes: the others are not recorded", f.root, maxMembers-1)
		default:
			f.start(ctx, pid)
		}
	}
	f.past = past
	return nil
}

// start records a process beside the others.
func (f *family) start(ctx context.Context, pid int) {
	m := &member{pid: pid}
	f.members, f.now[pid] = append(f.members, m), true
	go func() {
		m.record(ctx, f.options)
		f.ended <- m
	}()
}

func (f *family) results() (profiles []*profile.Profile, err error) {
	errs := []error{f.err}
	var notes []string
	for _, m := range f.members {
		profiles = append(profiles, m.profiles...)
		if m.pid == f.root {
			errs = append(errs, m.err)
		} else if m.err != nil {
			notes = append(notes, fmt.Sprintf("pid %d, which it started: %v", m.pid, m.err))
		}
	}
	if len(profiles) > 0 {
		profiles[0].Notes = append(profiles[0].Notes, notes[:min(len(notes), maxNotes)]...)
		profiles[0].Notes = append(profiles[0].Notes, fmt.Sprintf(
			"processes that it started: looked for every %v, so those that ended sooner may be missing; recorded: %d",
			lookInterval, len(f.members)-1))
	}
	if len(profiles) > 0 && f.atOnce < maxAtOnce {
		profiles[0].Notes = append(profiles[0].Notes, fmt.Sprintf(
			"no more than %d processes were recorded at once, for no more files may be open (ulimit -n)", f.atOnce))
	}
	if f.short > 0 {
		errs = append(errs, fmt.Errorf("%w %d times: processes are missing; let more be open (ulimit -n)", syscall.EMFILE, f.short))
	}
	return profiles, errors.Join(errs...)
}

// without counts an error that is for want of open files, which others give back,
// and leaves it out.
func (f *family) without(err error) error {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return err
	}
	f.short++
	return nil
}

// The files that are open beside those of the members, and those of a usual
// member: its folder, memory and threads, its program and libraries.
const (
	otherFiles  = 24
	memberFiles = 12
)

// atOnce returns how many members may be recorded where so many files may be open.
func atOnce(files uint64) int {
	if files <= otherFiles+memberFiles {
		return 1
	}
	return int(min((files-otherFiles)/memberFiles, maxAtOnce))
}

// member is one process.
type member struct {
	pid      int
	profiles []*profile.Profile // of one program after the other
	err      error
}

// record records a process, on one goroutine: it may only be used by that which
// has opened it.
func (m *member) record(ctx context.Context, o capture.Options) {
	for range maxPrograms {
		again, err := m.program(ctx, o)
		if !again {
			m.err = err
			return
		}
	}
}

// program records the process until its program ends. It tells whether there may
// be another: what was opened may have been what the process was before it called
// exec, of which there is no snapshot.
func (m *member) program(ctx context.Context, o capture.Options) (again bool, err error) {
	p, err := live.Open(m.pid)
	if err != nil {
		return false, err
	}
	prof, err := capture.Record(ctx, p, o)
	if prof != nil {
		m.profiles = append(m.profiles, prof)
	}
	closeErr := p.Close()
	if errors.As(err, new(*task.ExitedError)) {
		return ctx.Err() == nil, closeErr
	}
	return false, errors.Join(err, closeErr)
}
