package hangreport

import "time"

// Kind says how a thread spent a time.
type Kind uint8

// The kinds of a hang.
const (
	Blocked Kind = iota // it waited, at least four fifths of the time
	Busy                // it computed as long
	Starved             // it would have computed as long, but half of that it waited for a processor
	InTurns             // none of these
)

var kindNames = [...]string{"blocked", "busy", "starved of a processor", "busy and blocked in turns"}

// String names the kind in lower case.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// KindOf judges by the time of a whole in which a thread did not wait, and that
// in which it had a processor. One that hardly had any was blocked: each sample
// makes it run a little, or wait for a processor, before it is back in its wait.
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
