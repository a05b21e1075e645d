package words

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// maxChain is how many threads a headline names behind the one that waits: as many as
// its reader can keep in mind.
const maxChain = 3

// waitsIn describes a wait, and the frame of own code in which it is, with what that one waits for
// where the wait itself does not tell.
func (p *Printer) waitsIn(id task.ThreadID, w *profile.Wait, own *profile.Node) string {
	purpose := ""
	if own != nil && w.Lock == profile.NoLock && w.Peer.PID == 0 {
		purpose = waits.Purpose(own.Function)
	}
	if purpose != "" {
		purpose += ", "
	}
	return " waits " + purpose + p.WaitFor(id, w) + p.calledBy(own)
}

// chain returns a clause for each thread that a wait leads to in one snapshot: the
// thread that is waited for, the one that this one waits for, and so on. Each says what
// the thread waits for, or where it is. chain returns nothing for many snapshots, in
// which a wait changes.
func (p *Printer) chain(w *profile.Wait) (text string) {
	if p.Profile.Sampled() {
		return ""
	}
	for range maxChain {
		t := p.Profile.Find(w.Owner)
		if w.Owner == 0 || t == nil {
			break
		}
		text += "; " + p.ThreadName(w.Owner, w.OwnerName)
		own := owncode.Innermost(t.Heaviest())
		switch {
		case t.Wait != nil:
			text += p.waitsIn(t.ID, t.Wait, waits.Waiter(t.Heaviest()))
		case own != nil:
			return text + " is in " + p.Function(own.Location) + sourceLine(&own.Location)
		default:
			return text + " is " + t.State.String()
		}
		w = t.Wait
	}
	return text
}
