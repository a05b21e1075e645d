package top

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

const (
	refresh = 250 * time.Millisecond // time between pages
	// drawPart bounds the cost of drawing: at most about 1/drawPart of the time.
	drawPart = 20
)

// Options are the appearance of a view and its callbacks.
type Options struct {
	Target      task.Info
	Interval    time.Duration // time between samples
	MaxStopped  float64       // the part of the time beyond which stops lower the rate; 0: they do not
	Color       bool
	ASCII       bool // the terminal shows only ASCII
	Save        func(path string, p *profile.Profile, v Shown) error
	Suspend     func() // stops this program until it is continued; nil: impossible
	ScreenBegun func() // called before anything is shown; may be nil
}

// Sampling samples the process until ctx is done, and returns its profile. For each sample
// it calls add, with a function that returns the profile so far. That function is valid
// until add returns.
type Sampling func(ctx context.Context, add func(*Sample, func() *profile.Profile)) (*profile.Profile, error)

// OpenScreen returns the terminal of this program without changing it. It returns an error
// if the type of the terminal is unknown.
func OpenScreen() (tcell.Screen, error) {
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII)
	return tcell.NewScreen()
}

// Run shows a sampling until the user quits or ctx is done. The sampling runs in the
// caller's goroutine; if it ends by itself, the last page stays. Run restores the terminal,
// even after a panic. The error is that of the sampling or of the terminal. Nothing is
// shown before the first sample.
func Run(ctx context.Context, screen tcell.Screen, o Options, sampling Sampling) (Totals, error) {
	ctx, stop := context.WithCancel(ctx)
	v := &view{
		Options: o, screen: screen, board: NewBoard(o.Target, o.Interval), state: newState(),
		ended: make(chan ending, 1), requests: make(chan request, 1), results: make(chan string, 1),
	}
	v.state.stops, v.state.maxStopped = o.Suspend != nil, o.MaxStopped
	defer v.wait() // even if the sampling panics
	defer stop()
	p, err := sampling(ctx, func(s *Sample, made func() *profile.Profile) {
		v.add(s, made)
		v.begin(ctx, stop)
	})
	v.ended <- ending{p, err}
	shown := v.wait()
	if shown.panic != "" {
		panic(shown.panic)
	}
	if shown.err != nil {
		err = shown.err
	}
	return v.board.data().Totals, err
}

// view is a sampling with its screen.
type view struct {
	Options
	screen   tcell.Screen
	board    *Board
	state    *state
	now      *data
	closed   chan showing // nil: show was not started yet
	ended    chan ending
	over     bool             // the sampling has ended
	profile  *profile.Profile // profile of all samples, when the sampling has ended
	requests chan request
	results  chan string // results of requests
	pending  int
}

// ending is the result of the sampling.
type ending struct {
	profile *profile.Profile
	err     error
}

// showing is the result of the screen's goroutine.
type showing struct {
	err   error
	panic string
}

// begin starts the screen's goroutine on its first call.
func (v *view) begin(ctx context.Context, stop func()) {
	if v.closed != nil {
		return
	}
	v.closed = make(chan showing, 1)
	go func() {
		var s showing
		defer func() {
			if r := recover(); r != nil {
				s.panic = fmt.Sprintf("%v\n\n%s", r, debug.Stack())
			}
			stop()
			v.closed <- s
			close(v.closed)
		}()
		s.err = v.show(ctx)
	}()
}

// wait returns when the screen's goroutine has ended.
func (v *view) wait() showing {
	if v.closed == nil {
		return showing{}
	}
	return <-v.closed
}

// add adds a sample, and writes the report that was requested, if any.
func (v *view) add(s *Sample, made func() *profile.Profile) {
	v.board.Add(s)
	select {
	case r := <-v.requests:
		v.results <- r.write(v.Save, made())
	default:
	}
}

// show draws pages until the user quits or ctx is done.
func (v *view) show(ctx context.Context) error {
	if v.ScreenBegun != nil {
		v.ScreenBegun()
	}
	if err := v.screen.Init(); err != nil {
		return fmt.Errorf("the terminal cannot be used: %w", err)
	}
	defer v.screen.Fini()
	events, quit := make(chan tcell.Event), make(chan struct{})
	defer close(quit)
	go v.screen.ChannelEvents(events, quit)
	return v.loop(ctx, events)
}

func (v *view) loop(ctx context.Context, events <-chan tcell.Event) error {
	p := newPainter(v.screen, v.Color, v.ASCII)
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case ev, ok := <-events:
			if !ok {
				return nil
			}
			if quit, err := v.handle(ev); quit || err != nil {
				return err
			}
			v.draw(p)
		case <-next.C:
			began := time.Now()
			v.now = v.board.data()
			v.draw(p)
			next.Reset(max(refresh, drawPart*time.Since(began)))
		case text := <-v.results:
			v.state.message = words.Printable(text)
			v.pending--
		case e := <-v.ended:
			v.tellEnd(e)
		}
	}
}

func (v *view) draw(p *painter) {
	if v.now == nil {
		v.now = v.board.data()
	}
	width, height := v.screen.Size()
	p.paint(v.state.page(v.now, width, height))
}

// tellEnd shows that the sampling has ended, and writes the report that was still
// requested.
func (v *view) tellEnd(e ending) {
	v.over, v.profile, v.now = true, e.profile, v.board.data()
	v.state.ended = "sampling ended after " + clock(v.now.Elapsed)
	if e.err != nil {
		v.state.ended = words.Printable(strings.ReplaceAll(e.err.Error(), "\n", "; "))
	}
	select {
	case r := <-v.requests:
		v.state.message = words.Printable(r.write(v.Save, v.profile))
		v.pending--
	default:
	}
}

// handle handles an event, and reports whether the user quits.
func (v *view) handle(ev tcell.Event) (quit bool, err error) {
	switch ev := ev.(type) {
	case *tcell.EventError: // the terminal is gone
		return true, nil
	case *tcell.EventResize:
		v.screen.Sync()
	case *tcell.EventKey:
		return v.handleKey(ev)
	}
	return false, nil
}

func (v *view) handleKey(ev *tcell.EventKey) (quit bool, err error) {
	if v.now == nil {
		v.now = v.board.data()
	}
	a := v.state.key(ev, v.now)
	switch {
	case a.repaint:
		v.screen.Sync()
	case a.suspend && v.Suspend != nil:
		return false, v.suspend()
	case a.save != "":
		v.save(request{a.save, v.state.shown()})
	}
	return a.quit, nil
}

// suspend restores the terminal while this program is stopped.
func (v *view) suspend() error {
	if err := v.screen.Suspend(); err != nil {
		return fmt.Errorf("the terminal cannot be given back: %w", err)
	}
	v.Suspend()
	if err := v.screen.Resume(); err != nil {
		return fmt.Errorf("the terminal cannot be used again: %w", err)
	}
	return nil
}

// save requests a report, which is written with the next sample, or immediately if there
// will be none.
func (v *view) save(r request) {
	switch {
	case v.over:
		v.state.message = words.Printable(r.write(v.Save, v.profile))
	case v.pending > 0:
		v.state.message = "the last report is being written"
	default:
		v.pending++
		v.requests <- r
		v.state.message = "saving…"
	}
}
