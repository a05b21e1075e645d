package words

import (
	"fmt"
	"regexp"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// ByLooks says how many looks have found something; nothing where none has.
func ByLooks(n int) string {
	if n == 0 {
		return ""
	}
	return "by " + Plural(n, "look")
}

// Waits says what a thread waits for; of many snapshots, what it was found to wait for
// again and again.
func (p *Printer) Waits(t *profile.Thread) (lines []string) {
	if !p.Profile.Sampled() {
		if t.Wait != nil {
			lines = append(lines, "waits "+p.WaitFor(t.ID, t.Wait))
		}
		return lines
	}
	for i, w := range t.UsualWaits() {
		if i == maxWaits {
			return lines
		}
		thing := p.WaitFor(t.ID, &w.Wait)
		if w.Owners {
			thing += ", " + had(w.Lock) + " by one thread after another"
		}
		lines = append(lines, fmt.Sprintf("waits %s: in %s", thing, inLooks(w.Looks, t.Looks)))
	}
	return lines
}

// maxWaits bounds the lines of one thread.
const maxWaits = 4

func inLooks(n, all int) string {
	switch {
	case n < all:
		return fmt.Sprintf("%s of %s", Count(n), Plural(all, "look"))
	case n == 1:
		return "the only look"
	}
	return "all " + Plural(n, "look")
}

// WaitFor names the thing, and who has it.
func (p *Printer) WaitFor(id task.ThreadID, w *profile.Wait) string {
	thing := lockName(w)
	switch {
	case w.Peer.PID != 0:
		return peerWait(p.Profile.Target.OS, w)
	case w.Lock == profile.NoLock:
		return inCall(w)
	case w.Lock == profile.ThreadEnd:
		return fmt.Sprintf("for %s to end", p.ThreadName(w.Owner, w.OwnerName))
	case w.Owner == id:
		return fmt.Sprintf("for %s, %s by itself", thing, had(w.Lock))
	case w.Owner != 0:
		return fmt.Sprintf("for %s, %s by %s", thing, had(w.Lock), p.ThreadName(w.Owner, w.OwnerName))
	case w.OwnerPID != 0 && w.OwnerPID == p.Profile.Target.PID:
		return fmt.Sprintf("for %s, held by this process", thing)
	case w.OwnerPID != 0:
		return fmt.Sprintf("for %s, held by process %d", thing, w.OwnerPID)
	case w.Readers != 0:
		return fmt.Sprintf("for %s, held by %s", thing, Plural(w.Readers, "reader"))
	}
	return "for " + thing
}

// inCall names the call that is waited in, and what it is about.
func inCall(w *profile.Wait) string {
	if w.Object == "" {
		return "in " + CallName(w)
	}
	return fmt.Sprintf("in %s: %s", CallName(w), waitedFor(w.Object))
}

// quotedPart is a text between quotation marks in which a shell finds nothing to do.
var quotedPart = regexp.MustCompile("\"[^\"`$\\\\]*\"")

// waitedFor is what is waited for as a word, but that in it, as the label of a queue, may
// stand between quotation marks already.
func waitedFor(s string) string {
	if isCommand(quotedPart.ReplaceAllLiteralString(s, "")) {
		return quotedWord(s, MaxPath)
	}
	return Clean(s, MaxPath)
}

// CallName names what a thread waits in.
func CallName(w *profile.Wait) string {
	if w.Call == profile.PageFault {
		return "a " + w.Call
	}
	return Word(w.Call, MaxText)
}

// had says what the owner of a lock does with it.
func had(k profile.LockKind) string {
	switch k {
	case profile.Queue:
		return "drained"
	case profile.Once:
		return "run"
	}
	return "held"
}

// lockName is a lock's kind with what tells it from others.
func lockName(w *profile.Wait) string {
	name := w.Lock.String()
	if w.Addr != 0 {
		name += " " + w.Addr.String()
	}
	if w.Object != "" {
		name += " " + waitedFor(w.Object)
	}
	return name
}

func (p *Printer) ThreadName(id task.ThreadID, name string) string {
	s := "thread " + ThreadID(p.Profile.Target.OS, id)
	if name != "" {
		s += " " + Quoted(name)
	}
	return s
}

// maxDeadlocks bounds the circles printed.
const maxDeadlocks = 20

// Deadlocks writes each circle of threads in one line.
func (p *Printer) Deadlocks() { p.Circles(p.Profile.Deadlocks) }

func (p *Printer) Circles(all []profile.Deadlock) {
	for i, circle := range all {
		if i == maxDeadlocks {
			p.warn(Plural(len(all)-i, "further deadlock"))
			return
		}
		p.Fact("Deadlock", p.Cut(p.Circle(circle.Waiters)+p.Stood(&circle)))
	}
}

// Stood tells for how long a deadlock did, as far as several looks can.
func (p *Printer) Stood(d *profile.Deadlock) string {
	from := "+" + Duration(d.From)
	switch {
	case !p.Profile.Sampled():
		return ""
	case d.Looks == 1:
		return "; seen at " + from + ", in the last look alone"
	case d.Ended:
		return fmt.Sprintf("; stood from %s to +%s, in %s, and then ended", from, Duration(d.To), Plural(d.Looks, "look"))
	}
	return fmt.Sprintf("; stood from %s on to the end, in all %s", from, Plural(d.Looks, "look"))
}

// Circle follows a deadlock around. The thread that each one waits for is named
// with it.
func (p *Printer) Circle(d []profile.Waiter) string {
	var b strings.Builder
	for i, w := range d {
		if i == 0 {
			b.WriteString(p.waiterName(&w) + " waits ")
		} else {
			b.WriteString(", which waits ")
		}
		b.WriteString(p.waitForNext(&w))
	}
	return b.String()
}

// waiterName names a thread of a deadlock, with its process where it is of several.
func (p *Printer) waiterName(w *profile.Waiter) string {
	if w.PID == 0 {
		return p.ThreadName(w.ID, w.Name)
	}
	return peerThread(p.Profile.Target.OS, &profile.Peer{PID: w.PID, Name: w.Process, Thread: w.ID, ThreadName: w.Name})
}

// waitForNext names the thing, and who has it, in such an order that a text about the
// latter can follow.
func (p *Printer) waitForNext(w *profile.Waiter) string {
	if peer := &w.Wait.Peer; peer.PID != 0 && !peer.Others && peer.Action != profile.Release {
		return inCall(&w.Wait) + ", for " + peerThread(p.Profile.Target.OS, peer) + " to " + peer.Action.String()
	}
	return p.WaitFor(w.ID, &w.Wait)
}
