// Package family records several processes at the same time: the given ones, and those that they
// start.
package family

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/live"
)

const (
	lookInterval = 50 * time.Millisecond // between two searches for new processes
	maxAtOnce    = 64                    // processes recorded at a time, if enough files may be open; others wait until some have ended
	maxMembers   = 1000                  // recorded in all
	maxNotes     = 20                    // notes on members that could not be recorded
)

// Record records the process root and its descendants with [capture.Record]. Each is found at
// most 50 ms after its start, and recorded until it ends or the options end it. Record returns
// when root is no longer recorded, or ctx is done. The end of a process is no error. A process
// that calls exec gets another profile.
//
// A process that ends before it is found is missed; the first profile has a note on that. The
// profiles of root come first, then the others in the order in which their processes were found;
// a process that ended before its first snapshot has none. Errors of processes other than root
// are notes in the first profile. If there is an error, for example because root does not exist,
// the profiles are those of the other processes. Record ignores the options Save and Progress,
// which are for one process. Several goroutines call Each at once. The profiles' own CPU time is
// that of recording all of them.
func Record(ctx context.Context, root int, o capture.Options) ([]*profile.Profile, error) {
	profiles, lost, err := RecordAll(ctx, []int{root}, true, o)
	errs := []error{err}
	for _, l := range lost {
		errs = append(errs, l.Err)
	}
	return profiles, errors.Join(errs...)
}

// Lost is a process that was to be captured, and why its profile is missing or incomplete.
type Lost struct {
	PID int
	Err error
}

// RecordAll records several processes as [Record] does one, with or without their descendants,
// until none of the roots is recorded any more. lost lists the roots whose profile is missing or
// incomplete.
func RecordAll(ctx context.Context, roots []int, descend bool, o capture.Options) (profiles []*profile.Profile, lost []Lost, err error) {
	o.Save, o.SaveTo, o.Progress, o.ToEnd, o.Files = "", nil, nil, true, new(images.Files)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &family{
		roots: map[int]bool{}, descend: descend, options: o, stop: stop,
		now: map[int]bool{}, past: map[int]bool{}, ended: make(chan *member), atOnce: MostAtOnce(maxAtOnce),
	}
	for _, pid := range roots {
		if !f.now[pid] {
			f.roots[pid] = true
			f.left++
			f.start(ctx, pid)
		}
	}
	f.run(ctx)
	return f.results()
}

// family is a recording under way.
type family struct {
	roots   map[int]bool
	left    int  // roots that are still recorded
	descend bool // descendants are recorded as well
	options capture.Options
	stop    context.CancelFunc
	members []*member // in the order in which they were found
	kin     live.Kin
	now     map[int]bool // pids that are recorded
	past    map[int]bool // pids that were recorded, and still existed at the last search
	ended   chan *member
	atOnce  int   // the limit of processes recorded at a time
	short   int   // processes that were not recorded because too few files may be open
	err     error // error of the search for new processes
}

// run searches for new members until the last recording has ended.
func (f *family) run(ctx context.Context) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	for len(f.now) > 0 {
		select {
		case m := <-f.ended:
			f.end(m)
		case <-tick.C:
			if f.descend && ctx.Err() == nil && f.err == nil {
				f.err = f.without(f.look(ctx))
			}
		}
	}
}

// end removes a member. When the last root has ended, the other recordings end, too.
func (f *family) end(m *member) {
	delete(f.now, m.pid)
	f.past[m.pid] = true
	if f.roots[m.pid] {
		f.left--
	}
	if f.left == 0 {
		f.stop()
	}
	m.err = f.without(m.err)
	if errors.As(m.err, new(*task.NoProcessError)) && (!f.roots[m.pid] || len(m.profiles) > 0) {
		m.err = nil // it has ended
	}
}

// look finds new members: the descendants of the processes that run now. It passes each of these
// as a root, because a process whose parent has ended is no longer a descendant of the first
// root.
func (f *family) look(ctx context.Context) error {
	roots := make([]int, 0, len(f.now))
	for pid := range f.now {
		roots = append(roots, pid)
	}
	below, err := startedBy(&f.kin, roots)
	if err != nil {
		return err
	}
	past := map[int]bool{}
	for _, pid := range below {
		switch {
		case f.past[pid]:
			past[pid] = true
		case f.now[pid] || len(f.now) >= f.atOnce:
		case len(f.members) >= maxMembers:
			return fmt.Errorf("more than %d processes: the others are not recorded", maxMembers)
		default:
			f.start(ctx, pid)
		}
	}
	f.past = past
	return nil
}

// startedBy returns the descendants of the roots.
func startedBy(kin *live.Kin, roots []int) ([]int, error) {
	below, err := kin.Descendants(roots...)
	if err != nil {
		return nil, fmt.Errorf("look for the processes that others have started: %w", err)
	}
	return below, nil
}

// start records a process in a goroutine of its own.
func (f *family) start(ctx context.Context, pid int) {
	m := &member{pid: pid}
	f.members, f.now[pid] = append(f.members, m), true
	go func() {
		m.record(ctx, f.options)
		f.ended <- m
	}()
}

func (f *family) results() (profiles []*profile.Profile, lost []Lost, err error) {
	var notes []string
	for _, m := range f.members {
		profiles = append(profiles, m.profiles...)
		switch {
		case m.err == nil:
		case f.roots[m.pid]:
			lost = append(lost, Lost{m.pid, m.err})
		default:
			notes = append(notes, fmt.Sprintf("pid %d, which it started: %v", m.pid, m.err))
		}
	}
	if len(profiles) > 0 && f.descend {
		f.note(profiles[0], notes)
	}
	err = f.err
	if f.short > 0 {
		err = errors.Join(err, fmt.Errorf("%w %d times: processes are missing; let more be open (ulimit -n)", syscall.EMFILE, f.short))
	}
	return profiles, lost, err
}

// note adds notes about the started processes to a profile.
func (f *family) note(p *profile.Profile, notes []string) {
	p.Notes = append(p.Notes, notes[:min(len(notes), maxNotes)]...)
	recorded, unseen := f.count()
	p.Notes = append(p.Notes, fmt.Sprintf(
		"processes that it started: looked for every %v, so those that ended sooner may be missing; recorded: %d",
		lookInterval, recorded))
	if unseen > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("processes that it started and that ended before they could be captured: %d", unseen))
	}
	if f.atOnce < maxAtOnce {
		p.Notes = append(p.Notes, fmt.Sprintf(
			"no more than %d processes were recorded at once, for no more files may be open (ulimit -n)", f.atOnce))
	}
}

// count counts the started processes: those with snapshots, and those that ended before their
// first. Others have a note that says why they were not recorded.
func (f *family) count() (recorded, unseen int) {
	for _, m := range f.members {
		switch {
		case f.roots[m.pid]:
		case len(m.profiles) > 0:
			recorded++
		case m.err == nil:
			unseen++
		}
	}
	return recorded, unseen
}

// without removes an error that only says that too many files are open, and counts it: other
// members will close theirs.
func (f *family) without(err error) error {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return err
	}
	f.short++
	return nil
}

// The number of open files besides those of the members, and those of a usual member: its
// directory, memory and threads, its program and libraries.
const (
	otherFiles  = 24
	memberFiles = 12
)

// MostAtOnce returns how many processes may be open at a time, at most limit.
func MostAtOnce(limit int) int {
	return mostOf(fileLimit(), limit)
}

// mostOf returns how many processes may be open if that many files may be.
func mostOf(files uint64, limit int) int {
	if files <= otherFiles+memberFiles {
		return 1
	}
	return int(min((files-otherFiles)/memberFiles, uint64(limit)))
}

// member is one process.
type member struct {
	pid      int
	profiles []*profile.Profile // one for each program, in order
	err      error
}

// record records a process in one goroutine: a process may be used only by the goroutine that
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

// program records the process until its program ends. again reports whether another program may
// follow, because exec also ends a program. The process then has to be opened again.
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
