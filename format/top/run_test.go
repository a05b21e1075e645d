package top

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// patience is long for any machine.
const patience = time.Minute

// watched is a screen that keeps what was shown last, and whether it was given back.
type watched struct {
	tcell.SimulationScreen
	shown   atomic.Value // string
	given   atomic.Int32
	resumed atomic.Int32
	failing bool
	lost    error // of a terminal that is not there when it is to be used again
}

func newWatched() *watched {
	w := &watched{SimulationScreen: tcell.NewSimulationScreen("UTF-8")}
	w.shown.Store("")
	return w
}

func (w *watched) Init() error {
	if w.failing {
		return errors.New("no such terminal")
	}
	return w.SimulationScreen.Init()
}

func (w *watched) Show() {
	w.SimulationScreen.Show()
	w.shown.Store(contents(w.SimulationScreen))
}

func (w *watched) Fini() {
	w.given.Add(1)
	w.SimulationScreen.Fini()
}

func (w *watched) Resume() error {
	w.resumed.Add(1)
	return w.lost
}

// see waits until a text is shown.
func (w *watched) see(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(w.shown.Load().(string), text); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q in\n%s", text, w.shown.Load())
		}
	}
}

func (w *watched) press(key tcell.Key, letters string) {
	if letters == "" {
		w.InjectKey(key, 0, tcell.ModNone)
	}
	for _, r := range letters {
		w.InjectKey(tcell.KeyRune, r, tcell.ModNone)
	}
}

// sampling is one that goes on until its context is done, or end is closed.
func sampling(end <-chan struct{}, err error) Sampling {
	return func(ctx context.Context, add func(*Sample, func() *profile.Profile)) (*profile.Profile, error) {
		s := newScript()
		made := func() *profile.Profile { return &profile.Profile{Snapshots: s.Samples} }
		for {
			s.now = s.now.Add(tick)
			s.Samples++
			s.thread(1, task.Running, tick, "main work")
			add(s.next(), made)
			select {
			case <-ctx.Done():
				return made(), nil
			case <-end:
				return made(), err
			case <-time.After(time.Millisecond):
			}
		}
	}
}

// run runs a view, and returns what comes of it once it has ended.
func run(ctx context.Context, w *watched, o Options, s Sampling) <-chan error {
	ended := make(chan error, 1)
	o.Target, o.Interval = task.Info{PID: 4711, Name: "program"}, tick
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- fmt.Errorf("panic, with the terminal given back %d times: %v", w.given.Load(), r)
			}
		}()
		_, err := Run(ctx, w, o, s)
		ended <- err
	}()
	return ended
}

func wait(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		t.Fatal("it does not end")
		return nil
	}
}

// TestQuit by a key, from outside, and when nobody can type any more.
func TestQuit(t *testing.T) {
	for name, quit := range map[string]func(*watched, func()){
		"key":    func(w *watched, _ func()) { w.press(0, "q") },
		"Ctrl-C": func(w *watched, _ func()) { w.press(tcell.KeyCtrlC, "") },
		"signal": func(_ *watched, stop func()) { stop() },
		"hangup": func(w *watched, _ func()) { _ = w.PostEvent(tcell.NewEventError(errors.New("EIO"))) },
	} {
		w := newWatched()
		ctx, stop := context.WithCancel(t.Context())
		ended := run(ctx, w, Options{}, sampling(nil, nil))
		w.see(t, "work (program)")
		quit(w, stop)
		if err := wait(t, ended); err != nil || w.given.Load() != 1 {
			t.Errorf("%s: %v; given back %d times", name, err, w.given.Load())
		}
		stop()
	}
}

// TestEndOfTheTarget leaves what was seen last to be read, and a report to be saved.
func TestEndOfTheTarget(t *testing.T) {
	w, end, exited := newWatched(), make(chan struct{}), &task.ExitedError{PID: 4711}
	saved := make(chan string, 9)
	o := Options{Save: func(path string, p *profile.Profile, v Shown) error {
		saved <- fmt.Sprint(path, " ", p.Snapshots > 0, v.Focus, v.Thread)
		return nil
	}}
	ended := run(t.Context(), w, o, sampling(end, exited))
	w.see(t, "work (program)")
	close(end)
	w.see(t, "ENDED")
	w.see(t, exited.Error())
	w.see(t, "work (program)")
	w.SetSize(60, 20)
	w.press(0, "/work")
	w.press(tcell.KeyEnter, "")
	w.press(0, "ts")
	w.press(tcell.KeyEnter, "")
	w.see(t, "saved stacksnap-program-4711-")
	if got := <-saved; !strings.HasSuffix(got, ".txt true (?i)work 1") {
		t.Error(got)
	}
	select {
	case err := <-ended:
		t.Fatalf("it has ended by itself: %v", err)
	default:
	}
	w.press(0, "q")
	if err := wait(t, ended); !errors.Is(err, exited) || w.given.Load() != 1 {
		t.Errorf("%v; given back %d times", err, w.given.Load())
	}
}

// TestSave while samples are taken, and what is told of one that fails.
func TestSave(t *testing.T) {
	w := newWatched()
	o := Options{Save: func(path string, p *profile.Profile, v Shown) error { return errors.New("disk\x1b[31m\nfull") }}
	ended := run(t.Context(), w, o, sampling(nil, nil))
	w.see(t, "work (program)")
	w.press(0, "s")
	w.press(tcell.KeyEnter, "")
	w.see(t, `not saved: disk\x1b[31m; full`)
	w.press(0, "s")
	w.press(tcell.KeyEnter, "")
	w.press(0, "s") // before the other is written
	w.press(tcell.KeyEnter, "")
	w.see(t, "not saved")
	w.press(0, "q")
	if err := wait(t, ended); err != nil {
		t.Error(err)
	}
}

// TestNothingIsShown where nothing was sampled, or the terminal cannot be used.
func TestNothingIsShown(t *testing.T) {
	denied := errors.New("denied")
	w := newWatched()
	none := func(context.Context, func(*Sample, func() *profile.Profile)) (*profile.Profile, error) {
		return nil, denied
	}
	if err := wait(t, run(t.Context(), w, Options{}, none)); !errors.Is(err, denied) || w.given.Load() != 0 {
		t.Errorf("%v", err)
	}
	w.failing = true
	if err := wait(t, run(t.Context(), w, Options{}, sampling(nil, nil))); err == nil || !strings.Contains(err.Error(), "no such terminal") {
		t.Errorf("%v", err)
	}
}

// TestPanics pass when the terminal is given back.
func TestPanics(t *testing.T) {
	const want = "panic, with the terminal given back 1 times: "
	w := newWatched()
	bad := func(ctx context.Context, add func(*Sample, func() *profile.Profile)) (*profile.Profile, error) {
		s := newScript()
		s.sample(1)
		add(s.next(), nil)
		w.see(t, "program")
		panic("sampling")
	}
	if err := wait(t, run(t.Context(), w, Options{}, bad)); err == nil || err.Error() != want+"sampling" {
		t.Errorf("%v", err)
	}
	w = newWatched()
	ended := run(t.Context(), w, Options{Suspend: func() { panic("showing") }}, sampling(nil, nil))
	w.see(t, "work")
	w.press(tcell.KeyCtrlZ, "")
	if err := wait(t, ended); err == nil || !strings.HasPrefix(err.Error(), want+"showing") || !strings.Contains(err.Error(), "run_test.go") {
		t.Errorf("%v", err)
	}
}

// TestSuspend gives the terminal back while this program is stopped, where that can be.
func TestSuspend(t *testing.T) {
	w, stopped := newWatched(), make(chan struct{}, 1)
	ended := run(t.Context(), w, Options{Suspend: func() { stopped <- struct{}{} }}, sampling(nil, nil))
	w.see(t, "work")
	w.press(tcell.KeyCtrlZ, "")
	<-stopped
	w.press(0, "?qq")
	if err := wait(t, ended); err != nil || w.resumed.Load() != 1 {
		t.Errorf("%v, resumed %d times", err, w.resumed.Load())
	}
	w = newWatched()
	ended = run(t.Context(), w, Options{}, sampling(nil, nil))
	w.see(t, "work")
	w.press(tcell.KeyCtrlZ, "")
	w.press(tcell.KeyCtrlL, "")
	w.press(0, "?")
	w.see(t, "draw anew")
	if strings.Contains(w.shown.Load().(string), "Ctrl-Z") {
		t.Error("the help names a key that does nothing")
	}
	w.press(0, "xq")
	if err := wait(t, ended); err != nil || w.resumed.Load() != 0 {
		t.Errorf("%v, resumed %d times", err, w.resumed.Load())
	}
}

// TestLostTerminal is told, where this program is to go on and cannot show anything.
func TestLostTerminal(t *testing.T) {
	w := newWatched()
	w.lost = errors.New("EIO")
	ended := run(t.Context(), w, Options{Suspend: func() {}}, sampling(nil, nil))
	w.see(t, "work")
	w.press(tcell.KeyCtrlZ, "")
	if err := wait(t, ended); !errors.Is(err, w.lost) || w.given.Load() != 1 {
		t.Errorf("%v; given back %d times", err, w.given.Load())
	}
}
