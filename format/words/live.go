package words

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/task"
)

// Function returns the name of a function for a list of functions: shortened or, without a
// symbol, the image and the start of its [profile.Node.Area].
func (w *Words) Function(n *profile.Node) string {
	if n.Function == "" {
		return strings.TrimSuffix(AreaLabel(n), guessMark)
	}
	return w.p.Shown(n.Function)
}

// File returns the name of the file that contains a frame, without its directory; empty if
// there is none.
func (w *Words) File(n *profile.Node) string {
	if n.Image == nil {
		return ""
	}
	return ImageLabel(n.Image)
}

// Line returns the source file and line of a frame; empty if they are not known.
func (w *Words) Line(n *profile.Node) string {
	return strings.Trim(sourceLine(&n.Location), " ()")
}

// IsGuess reports whether a frame is a guess of the unwinder, and may not exist.
func (w *Words) IsGuess(n *profile.Node) bool { return n.By.Guess() }

// ThreadID formats a thread's id as the system's own tools do.
func (w *Words) ThreadID(id task.ThreadID) string { return ThreadID(w.p.Profile.Target.OS, id) }

// Waiting describes a thread's wait, to follow the word "waits".
func (w *Words) Waiting(id task.ThreadID, wait *profile.Wait) string { return w.p.WaitFor(id, wait) }

// Circle describes a deadlock in one line, thread by thread.
func (w *Words) Circle(d []profile.Waiter) string {
	parts := make([]string, len(d))
	for i := range d {
		parts[i] = w.p.waitForNext(&d[i])
	}
	return w.p.waiterName(&d[0]) + " waits " + strings.Join(parts, ", which waits ")
}

// Tasks describes tasks that wait at one place in one line.
func (w *Words) Tasks(t *headline.Tasks) string { return w.p.parked(t) }

// Text makes a text from the target, such as a name, safe in a line.
func (w *Words) Text(s string) string { return Clean(s, MaxText) }

// Fit leaves out the middle of a printable text that is wider than width columns.
func Fit(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	for limit := min(len([]rune(text)), width) - 1; limit > 0; limit-- {
		if short := Elide(text, limit); Columns(short) <= width {
			return short
		}
	}
	return ""
}
