package format

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// wait writes what a thread waits for.
func (p *printer) wait(t *profile.Thread) {
	if t.Wait != nil {
		p.line("  waits %s", p.waitFor(t.ID, t.Wait))
	}
}

// waitFor names the thing, and who has it.
func (p *printer) waitFor(id task.ThreadID, w *profile.Wait) string {
	thing := lockName(w)
	switch {
	case w.Lock == profile.NoLock && w.Object == "":
		return "in " + clean(w.Call, maxText)
	case w.Lock == profile.NoLock:
		return fmt.Sprintf("in %s: %s", clean(w.Call, maxText), clean(w.Object, maxPath))
	case w.Lock == profile.ThreadEnd:
		return fmt.Sprintf("for %s to end", p.threadName(w.Owner, w.OwnerName))
	case w.Owner == id:
		return fmt.Sprintf("for %s, held by itself", thing)
	case w.Owner != 0:
		return fmt.Sprintf("for %s, held by %s", thing, p.threadName(w.Owner, w.OwnerName))
	case w.OwnerPID != 0 && w.OwnerPID == p.profile.Target.PID:
		return fmt.Sprintf("for %s, held by this process", thing)
	case w.OwnerPID != 0:
		return fmt.Sprintf("for %s, held by process %d", thing, w.OwnerPID)
	case w.Readers != 0:
		return fmt.Sprintf("for %s, held by %s", thing, plural(w.Readers, "reader"))
	}
	return "for " + thing
}

// lockName is a lock's kind with what tells it from others.
func lockName(w *profile.Wait) string {
	name := w.Lock.String()
	if w.Addr != 0 {
		name += " " + w.Addr.String()
	}
	if w.Object != "" {
		name += " " + clean(w.Object, maxPath)
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
func (p *printer) deadlocks() {
	all := p.profile.Deadlocks
	for i, circle := range all {
		if i == maxDeadlocks {
			p.warn(plural(len(all)-i, "further deadlock"))
			return
		}
		p.fact("Deadlock", p.cut(p.circle(circle)))
	}
}

// circle follows a deadlock around. The thread that each one waits for is named
// with it.
func (p *printer) circle(d profile.Deadlock) string {
	var b strings.Builder
	for i, w := range d {
		if i == 0 {
			b.WriteString(p.threadName(w.ID, w.Name) + " waits ")
		} else {
			b.WriteString(", which waits ")
		}
		b.WriteString(p.waitFor(w.ID, &w.Wait))
	}
	return b.String()
}
