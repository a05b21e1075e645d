package hangreport

import "time"

// Kind says how a thread spent a hang.
type Kind uint8

// The kinds of a hang.
const (
	Blocked Kind = iota // it waited, at least four fifths of the time
	Busy                // it computed as long
	Starved             // it would have computed as long, but half of that it waited for a processor
	InTurns             // none of these
)

var kindNames = [...]string{"blocked", "busy", "starved of a processor", "busy and blocked in turns"}

// String returns the kind in lower case.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// KindOf returns the kind of a hang of that whole time, by how long the thread worked, which is
// running or waiting for a CPU, and ran. A thread that ran a twentieth of the time or less was
// blocked: each sample makes it run a little before it is back in its wait.
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
