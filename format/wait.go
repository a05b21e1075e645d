package format

import (
	"fmt"
	"regexp"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// wait writes what a thread waits for.
func (p *printer) wait(t *profile.Thread) {
	for _, line := range p.waits(t) {
		p.text("  ", 6, line)
	}
}

// waits says what a thread waits for; of many snapshots, what it was found to wait for
// again and again.
func (p *printer) waits(t *profile.Thread) (lines []string) {
	if !p.profile.Sampled() {
		if t.Wait != nil {
			lines = append(lines, "waits "+p.waitFor(t.ID, t.Wait))
		}
		return lines
	}
	for i, w := range t.UsualWaits() {
		if i == maxWaits {
			return lines
		}
		thing := p.waitFor(t.ID, &w.Wait)
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
		return fmt.Sprintf("%s of %s", count(n), plural(all, "look"))
	case n == 1:
		return "the only look"
	}
	return "all " + plural(n, "look")
}

// waitFor names the thing, and who has it.
func (p *printer) waitFor(id task.ThreadID, w *profile.Wait) string {
	thing := lockName(w)
	switch {
	case w.Peer.PID != 0:
		return peerWait(p.profile.Target.OS, w)
	case w.Lock == profile.NoLock:
		return inCall(w)
	case w.Lock == profile.ThreadEnd:
		return fmt.Sprintf("for %s to end", p.threadName(w.Owner, w.OwnerName))
	case w.Owner == id:
		return fmt.Sprintf("for %s, %s by itself", thing, had(w.Lock))
	case w.Owner != 0:
		return fmt.Sprintf("for %s, %s by %s", thing, had(w.Lock), p.threadName(w.Owner, w.OwnerName))
	case w.OwnerPID != 0 && w.OwnerPID == p.profile.Target.PID:
		return fmt.Sprintf("for %s, held by this process", thing)
	case w.OwnerPID != 0:
		return fmt.Sprintf("for %s, held by process %d", thing, w.OwnerPID)
	case w.Readers != 0:
		return fmt.Sprintf("for %s, held by %s", thing, plural(w.Readers, "reader"))
	}
	return "for " + thing
}

// inCall names the call that is waited in, and what it is about.
func inCall(w *profile.Wait) string {
	if w.Object == "" {
		return "in " + callName(w)
	}
	return fmt.Sprintf("in %s: %s", callName(w), waitedFor(w.Object))
}

// quotedPart is a text between quotation marks in which a shell finds nothing to do.
var quotedPart = regexp.MustCompile("\"[^\"`$\\\\]*\"")

// waitedFor is what is waited for as a word, but that in it, as the label of a queue, may
// stand between quotation marks already.
func waitedFor(s string) string {
	if isCommand(quotedPart.ReplaceAllLiteralString(s, "")) {
		return quotedWord(s, maxPath)
	}
	return clean(s, maxPath)
}

// callName names what a thread waits in.
func callName(w *profile.Wait) string {
	if w.Call == profile.PageFault {
		return "a " + w.Call
	}
	return word(w.Call, maxText)
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

func (p *printer) threadName(id task.ThreadID, name string) string {
	s := "thread " + threadID(p.profile.Target.OS, id)
	if name != "" {
		s += " " + quoted(name)
	}
	return s
}

// maxDeadlocks bounds the circles printed.
const maxDeadlocks = 20

// deadlocks writes each circle of threads in one line.
func (p *printer) deadlocks() { p.circles(p.profile.Deadlocks) }

func (p *printer) circles(all []profile.Deadlock) {
	for i, circle := range all {
		if i == maxDeadlocks {
			p.warn(plural(len(all)-i, "further deadlock"))
			return
		}
		p.fact("Deadlock", p.cut(p.circle(circle.Waiters)+p.stood(&circle)))
	}
}

// stood tells for how long a deadlock did, as far as several looks can.
func (p *printer) stood(d *profile.Deadlock) string {
	from := "+" + duration(d.From)
	switch {
	case !p.profile.Sampled():
		return ""
	case d.Looks == 1:
		return "; seen at " + from + ", in the last look alone"
	case d.Ended:
		return fmt.Sprintf("; stood from %s to +%s, in %s, and then ended", from, duration(d.To), plural(d.Looks, "look"))
	}
	return fmt.Sprintf("; stood from %s on to the end, in all %s", from, plural(d.Looks, "look"))
}

// circle follows a deadlock around. The thread that each one waits for is named
// with it.
func (p *printer) circle(d []profile.Waiter) string {
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
func (p *printer) waiterName(w *profile.Waiter) string {
	if w.PID == 0 {
		return p.threadName(w.ID, w.Name)
	}
	return peerThread(p.profile.Target.OS, &profile.Peer{PID: w.PID, Name: w.Process, Thread: w.ID, ThreadName: w.Name})
}

// waitForNext names the thing, and who has it, in such an order that a text about the
// latter can follow.
func (p *printer) waitForNext(w *profile.Waiter) string {
	if peer := &w.Wait.Peer; peer.PID != 0 && !peer.Others && peer.Act != profile.Release {
		return inCall(&w.Wait) + ", for " + peerThread(p.profile.Target.OS, peer) + " to " + peer.Act.String()
	}
	return p.waitFor(w.ID, &w.Wait)
}
