package capture

import (
	"errors"
	"io"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

// Replay makes the profile of a recording: the one that was made when it was
// captured, as far as its threads are wanted. A recording that was cut off or
// damaged gives the profile of its whole snapshots, and the error that says so.
func Replay(path string, threads Threads) (*profile.Profile, error) {
	r, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := newReplay(r.Reader).run(threads)
	return p, errors.Join(err, r.Close())
}

// replay is a recording that is being walked again.
type replay struct {
	reader     *recording.Reader
	process    *recording.Process
	builder    *profile.Builder
	unwinder   *unwind.Unwinder
	images     *images.Map
	layout     layout
	generation int
}

func newReplay(r *recording.Reader) *replay {
	h := r.Header()
	p := &replay{reader: r, process: recording.NewProcess(r), builder: profile.NewBuilder(h.Target, h.Tool)}
	p.unwinder = unwind.New(unwind.Options{
		CodeMask:   h.Target.CodeMask,
		Executable: func(a task.Addr) bool { return p.layout.executable(a) },
	})
	return p
}

func (p *replay) run(threads Threads) (*profile.Profile, error) {
	for {
		s, err := p.process.Next()
		if err != nil {
			return p.end(err)
		}
		// The main thread of some systems is known by those there are.
		wanted, err := threads.filter(p.process)
		if err != nil {
			return nil, err
		}
		p.add(s, wanted)
	}
}

// add walks a snapshot, and adds it as it was added when it was captured.
func (p *replay) add(s *recording.Sample, wanted func(*task.Thread) bool) {
	if g := p.reader.Generation(); g != p.generation || p.images == nil {
		p.generation = g
		p.images = images.NewMap(recorded.Place(p.reader))
		p.layout = readLayout(p.process)
	}
	for _, d := range s.OtherStops {
		p.builder.CountStop(d)
	}
	for _, n := range s.Notes {
		p.builder.Note(n)
	}
	stacks := make([]profile.Stack, len(s.Threads))
	for i := range s.Threads {
		frames, stop := p.unwinder.Walk(nil, &s.Threads[i], p.images, p.process.Memory())
		stacks[i] = profile.Stack{Frames: frames, Stop: stop}
	}
	stacks = keep(s.Snapshot, stacks, wanted)
	p.builder.Add(s.Snapshot, stacks, p.images)
	p.builder.Look(looksOf(s.Looks), s.Whole)
}

// end adds what was known at the end of the capture.
func (p *replay) end(err error) (*profile.Profile, error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	end := p.reader.End()
	p.builder.Look(looksOf(end.Looks), true)
	for _, n := range end.Notes {
		p.builder.Note(n)
	}
	p.builder.SetInterval(p.reader.Header().Interval, end.MissedTicks)
	p.builder.CountCPU(end.OwnCPU)
	if p.reader.Snapshots() == 0 {
		if err == nil {
			err = errors.New("the recording has no snapshot")
		}
		return nil, err
	}
	return p.builder.Profile(), err
}
