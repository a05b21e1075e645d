package words

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Function names a function in a list that has each once: shortened, and without a
// symbol by its image and where the code begins that is taken together, see
// [profile.Node.Area].
func (w *Words) Function(n *profile.Node) string {
	if n.Function == "" {
		return strings.TrimSuffix(AreaLabel(n), guessMark)
	}
	return w.p.Shown(n.Function)
}

// File names the file that a frame lies in, without its folder; it is empty where there
// is none.
func (w *Words) File(n *profile.Node) string {
	if n.Image == nil {
		return ""
	}
	return ImageLabel(n.Image)
}

// IsGuess reports whether a frame may not exist.
func (w *Words) IsGuess(n *profile.Node) bool { return n.By.Guess() }

// ThreadID writes a thread's id as the system's own tools do.
func (w *Words) ThreadID(id task.ThreadID) string { return ThreadID(w.p.Profile.Target.OS, id) }

// Waiting says what a thread waits for now, behind "waits".
func (w *Words) Waiting(id task.ThreadID, wait *profile.Wait) string { return w.p.WaitFor(id, wait) }

// Text is a text of the target, such as a name, safe in a line.
func (w *Words) Text(s string) string { return Clean(s, MaxText) }

// Fit leaves out the middle of a text that is fit for a terminal, where it has more than
// so many columns.
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
