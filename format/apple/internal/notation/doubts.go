package notation

import (
	"fmt"
	"slices"
	"stacksnap/format/profile"
)

// MaxNotes is the maximum number of a profile's notes that are written or read.
const MaxNotes = 40

// NoFrames begins the line of [Doubts] that counts empty stacks.
const NoFrames = "stacks of which no frame is known"

// Doubts returns what a reader of a profile should know: its notes, and the numbers
// of samples that are missing or may be wrong.
func Doubts(p *profile.Profile) (list []string) {
	for i, note := range p.Notes {
		if i == MaxNotes {
			list = append(list, fmt.Sprintf("and %d more", len(p.Notes)-i))
			break
		}
		list = append(list, Plain(note))
	}
	empty, unstopped := 0, 0
	for _, t := range p.Threads {
		empty, unstopped = empty+t.Empty, unstopped+t.Unstopped
	}
	for _, n := range []struct {
		what  string
		count int
	}{
		{"samples that were due and could not be taken in time", p.MissedTicks},
		{"threads that appeared too fast to be captured", p.MissedThreads},
		{NoFrames, empty},
		{"stacks read without a stop, of which frames may be missing", unstopped},
	} {
		if s := fmt.Sprintf("%s: %d", n.what, n.count); n.count > 0 && !slices.Contains(p.Notes, s) { // a report that was opened may have the note already
			list = append(list, s)
		}
	}
	return list
}
