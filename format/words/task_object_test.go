package words

import (
	"io"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
)

// TestTaskObjects: what goroutines wait for, and for how many others it keeps waiting.
func TestTaskObjects(t *testing.T) {
	channel := profile.TaskObject{Kind: "chan", Addr: 0xc000123450, Len: 1, Cap: 2, Receivers: 3, Waiters: 3}
	mutex := profile.TaskObject{Kind: "sync.Mutex", Addr: 0xc000123450, Waiters: 37}
	for _, c := range []struct {
		task profile.Task
		want string
	}{
		{profile.Task{Wait: "chan receive", Count: 1}, ""},
		{profile.Task{Wait: "chan receive", Count: 1, On: &channel}, " from the channel 0xc000123450 (len 1, cap 2), for which 3 goroutines wait"},
		{profile.Task{Wait: "chan send", Count: 3, On: &channel}, " to the same channel 0xc000123450 (len 1, cap 2)"},
		{profile.Task{Wait: "chan receive", Count: 5, Objects: 5}, " from 5 different channels"},
		{profile.Task{Wait: "sync.Mutex.Lock", Count: 37, On: &mutex}, " for the same sync.Mutex at 0xc000123450"},
		{profile.Task{Wait: "sync.Mutex.Lock", Count: 1, On: &mutex}, " for the sync.Mutex at 0xc000123450, for which 37 goroutines wait"},
		{profile.Task{Wait: "semacquire", Count: 9, Objects: 2}, " for 2 different objects"},
	} {
		c.task.Runtime = "Go 1.26.1"
		if got := taskObjects(&c.task); got != c.want {
			t.Errorf("%+v: %q, want %q", c.task, got, c.want)
		}
	}
}

// TestObjectInHeadline: the first line names an object for which several goroutines wait.
func TestObjectInHeadline(t *testing.T) {
	mutex := &profile.TaskObject{Kind: "sync.Mutex", Addr: 0xc000123450, Waiters: 37}
	for n, want := range map[int]string{
		37: "37 of 40 goroutines wait in sync.Mutex.Lock for the same sync.Mutex at 0xc000123450; Go does not record who holds it",
		1:  "1 of 40 goroutines waits in sync.Mutex.Lock; Go does not record who holds it",
	} {
		about := &headline.Tasks{Task: &profile.Task{Runtime: "Go 1.26.1", Wait: "sync.Mutex.Lock", On: mutex, Count: n}, Number: n, Of: 40}
		p := NewPrinter(io.Discard, &profile.Profile{}, Options{})
		if got := p.parked(about); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
