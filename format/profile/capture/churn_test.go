package capture

import (
	"testing"
	"time"

	"stacksnap/task"
)

// restlessMac is a Darwin process that exchanges a plug-in each time that its list
// is read, as long as it runs.
type restlessMac struct {
	*macLike
	turn  int
	stood bool
	stops int
}

func newRestlessMac() *restlessMac {
	p := &restlessMac{macLike: newMacLike(libA)}
	p.initial = 1
	p.eachRead = func() {
		if !p.stood {
			p.exchange()
		}
	}
	return p
}

func (p *restlessMac) exchange() {
	p.turn++
	p.become([]lib{libA, libB, libB, libA, libB}[p.turn%5])
}

func (p *restlessMac) Suspend(task.StopOptions) (func() error, error) {
	p.stood = true
	return func() error { p.stood = false; p.stops++; return nil }, nil
}

// TestListThatNeverRests: of a process that changes it faster than it can be read,
// the program is named, and all that was seen in the stop; and that by the name
// which it had then.
func TestListThatNeverRests(t *testing.T) {
	p := newRestlessMac()
	var stood int
	f := newTracker(p, func(line string) { t.Error(line) }, func(time.Duration) { stood++ }, nil, new(Options), &codeMemory{})
	named := map[string]int{}
	for i := range 40 {
		there := []lib{libA, libB}[i%2]
		p.turn += i
		got := names(f, stood1(stable, there), inPlugin, inStable, inMain)
		if got != string(there.name)+"sm" && got != "" { // not known before, and gone since
			t.Fatalf("%d: %q with %c", i, got, there.name)
		}
		named[got]++
		if got := names(f, stood1(stable, there), inMain, inStable); got != "ms" {
			t.Errorf("%d: %q", i, got)
		}
		if got := names(f, stood1(), inMain, inStable); got != "m" {
			t.Errorf("%d: %q without a look", i, got)
		}
		if got := names(f, stood1(stable, there), inMain, nowhere); got != "m" {
			t.Errorf("%d: %q, of code that may be another library's", i, got)
		}
	}
	if named["asm"] < 15 || named["bsm"] < 15 {
		t.Errorf("%v", named)
	}
	if stood == 0 || stood != p.stops || p.stood {
		t.Errorf("%d stops are told of, of %d", stood, p.stops)
	}
}

// stood1 is a thread that was captured with a timestamp that is none of the list's.
func stood1(libs ...lib) task.Thread { return stood(1, libs...) }

// TestListThatNeverRestsIsNotStoppedFor where nothing is to be stopped.
func TestListThatNeverRestsIsNotStoppedFor(t *testing.T) {
	p := newRestlessMac()
	notes := 0
	f := newTracker(p, func(string) { notes++ }, nil, nil, new(Options), &codeMemory{})
	if got := names(f, stood1(stable, libA), inMain, inStable); got != "" || p.stops > 0 || notes == 0 {
		t.Errorf("%q after %d stops, %d notes", got, p.stops, notes)
	}
}
