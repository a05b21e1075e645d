package mach

import (
	"testing"

	"stacksnap/task"
)

// tidied is a kernel that tells when a right is given back.
type tidied struct {
	*scripted
	given func()
}

func (k *tidied) release(p port) Return {
	k.given()
	return k.scripted.release(p)
}

// The target runs on before the rights of a stop are given back: that is no part of
// the time for which it stood.
func TestReleasedBeforeRightsAreGivenBack(t *testing.T) {
	k := &tidied{scripted: newScripted(task.ARM64, 3), given: func() {}}
	p, err := open(k, k.pid)
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, p)
	if !p.LastStop().Released.IsZero() {
		t.Error("released before any stop")
	}
	given := 0
	for range 2 {
		before := p.LastStop().Released
		if _, err := p.Threads(); err != nil {
			t.Fatal(err)
		}
		resume, err := p.Suspend(task.StopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Threads(); err != nil {
			t.Fatal(err)
		}
		k.given = func() {
			given++
			if !p.LastStop().Released.After(before) {
				t.Error("a right was given back before the target was told to run on")
			}
		}
		if err := resume(); err != nil {
			t.Fatal(err)
		}
		k.given = func() {}
	}
	if given == 0 {
		t.Error("nothing was given back")
	}
}
