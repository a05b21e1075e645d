package words

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// maxChain is how many threads a headline names behind the one that waits: as many as
// its reader can keep in mind.
const maxChain = 3

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
			text += " waits " + p.WaitFor(t.ID, t.Wait) + p.calledBy(own)
		case own != nil:
			return text + " is in " + p.Function(own.Location) + sourceLine(&own.Location)
		default:
			return text + " is " + t.State.String()
		}
		w = t.Wait
	}
	return text
}
