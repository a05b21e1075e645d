package hangreport

import "time"

// Kind classifies how a thread spent a hang.
type Kind uint8

// The kinds of a hang.
const (
	Blocked Kind = iota // the thread waited for at least 4/5 of the time
	Busy                // the thread was runnable for at least 4/5 of the time
	Starved             // the thread was runnable as long, but waited for a CPU for more than half of that
	InTurns             // none of the other kinds
)

var kindNames = [...]string{"blocked", "busy", "starved of a processor", "busy and blocked in turns"}

// String returns the kind in lower case.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// KindOf returns the kind of a hang that lasted for whole. worked is the time in which the
// thread was runnable, ran that in which it was on a CPU. A thread that ran for 1/20 of the
// time or less was blocked, since each sample makes it run a little before it is back in
// its wait.
func KindOf(worked, ran, whole time.Duration) Kind {
	switch {
	case worked*5 >= whole*4 && ran*2 < worked:
		return Starved
	case worked*5 >= whole*4:
		return Busy
	case worked*5 <= whole, ran*20 <= whole:
		return Blocked
	}
	return InTurns
}
