package words

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
)

// pythonWait describes a wait of a thread in the words of Python's library; "" if it is not for
// something of that library. The call follows where it is about more than a lock's word.
func pythonWait(t *profile.Thread, w *profile.Wait) string {
	text := waits.PythonWait(t, w)
	if text == "" || waits.IsParked(w) {
		return text
	}
	return text + ", " + inCall(w)
}

// WaitOf is WaitFor for the wait in which a thread has its heaviest stack, in the words of Python's
// library where it is in that.
func (p *Printer) WaitOf(t *profile.Thread, w *profile.Wait) string {
	if text := waits.PythonWait(t, w); text != "" {
		return text + ", " + inCall(w)
	}
	return p.WaitFor(t.ID, w)
}
