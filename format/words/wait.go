package words

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/profile/waits"
	"stacksnap/format/profile/waits/python"
	"stacksnap/task"
)

// ByLooks returns a phrase with the number of observations; empty for 0.
func ByLooks(n int) string {
	if n == 0 {
		return ""
	}
	return "by " + Plural(n, "check")
}

// Waits describes the wait of a thread; for many snapshots, its usual waits.
func (p *Printer) Waits(t *profile.Thread) (lines []string) {
	if !p.Profile.Sampled() {
		switch {
		case t.Wait == nil:
			return nil
		case t.State == task.Running: // the thread runs, but was in a call that waits for a disk
			return []string{inCall(t.Wait)}
		}
		lines = []string{strings.TrimPrefix(waited(t), " ") + p.WaitOf(t, t.Wait)}
		if text := stalled(t.Wait.Stalled); text != "" {
			lines = append(lines, text)
		}
		return lines
	}
	for i, w := range t.UsualWaits() {
		if i == maxWaits {
			return lines
		}
		thing := p.WaitFor(t.ID, &w.Wait)
		if w.Looks == t.Looks {
			thing = p.WaitOf(t, &w.Wait)
		}
		if w.Owners {
			thing += ", " + had(w.Lock) + " by one thread after another"
		}
		lines = append(lines, fmt.Sprintf("waits %s: in %s", thing, inLooks(w.Looks, t.Looks)))
	}
	return lines
}

// maxWaits is the most lines on waits of one thread.
const maxWaits = 4

func inLooks(n, all int) string {
	switch {
	case n < all:
		return fmt.Sprintf("%s of %s", Count(n), Plural(all, "check"))
	case n == 1:
		return "the only check"
	}
	return "all " + Plural(n, "check")
}

// WaitFor describes the object of a wait and its owner.
func (p *Printer) WaitFor(id task.ThreadID, w *profile.Wait) string {
	thing := lockName(w)
	switch {
	case w.Peer.PID != 0:
		return peerWait(p.Profile.Target.OS, w)
	case w.Lock == profile.NoLock:
		return inCall(w)
	case w.Lock == profile.ThreadEnd:
		return fmt.Sprintf("for %s to end", p.ThreadName(w.Owner, w.OwnerName))
	case w.Owner == id && id != 0:
		return fmt.Sprintf("for %s, %s by itself", thing, had(w.Lock))
	case w.Owner != 0:
		return fmt.Sprintf("for %s, %s by %s", thing, had(w.Lock), p.ThreadName(w.Owner, w.OwnerName))
	case w.GoneOwner != 0:
		return fmt.Sprintf("for %s, held %s", thing, p.byGone(w))
	case w.OwnerPID != 0 && w.OwnerPID == p.Profile.Target.PID:
		return fmt.Sprintf("for %s, held by this process", thing)
	case w.OwnerPID != 0:
		return fmt.Sprintf("for %s, held by process %d", thing, w.OwnerPID)
	case w.Readers != 0:
		return fmt.Sprintf("for %s, held by %s", thing, Plural(w.Readers, "reader"))
	}
	return "for " + thing
}

// pythonWait describes a thread's wait in the terms of Python's library; "" if the thread does
// not wait in that library. The system call follows, unless it only waits for a lock's word.
func pythonWait(t *profile.Thread, w *profile.Wait) string {
	text := python.Wait(t, w)
	if text == "" || waits.IsParked(w) {
		return text
	}
	return text + ", " + inCall(w)
}

// WaitOf is WaitFor for a wait that belongs to the heaviest stack of its thread. For a wait in
// Python's library it uses the terms of that library.
func (p *Printer) WaitOf(t *profile.Thread, w *profile.Wait) string {
	if text := python.Wait(t, w); text != "" {
		return text + ", " + inCall(w)
	}
	return p.WaitFor(t.ID, w)
}

// inCall describes the call of a wait and its object.
func inCall(w *profile.Wait) string {
	if w.Object == "" {
		return "in " + CallName(w)
	}
	return fmt.Sprintf("in %s: %s", CallName(w), object(w))
}

// wordAddress matches the address at the end of an object's description.
var wordAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\((futex|word) )?0x[0-9a-f]+\)?$`) })

// object describes the object of a wait, by the name of its variable if that is known.
func object(w *profile.Wait) string {
	at := wordAddress().FindStringIndex(w.Object)
	if w.Variable == "" || at == nil {
		return waitedFor(w.Object)
	}
	return waitedFor(w.Object[:at[0]]) + variable(w)
}

// abiTag matches what compilers append to a name that has several forms, and libc++ to all of its own.
// It distinguishes no two variables of a program.
var abiTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[abi:\w+\]`) })

func untagged(name string) string { return abiTag().ReplaceAllLiteralString(name, "") }

func variable(w *profile.Wait) string { return Clean(untagged(w.Variable), MaxText) }

// quotedPart is a text in quotation marks without anything special for a shell.
var quotedPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\"[^\"`$\\\\]*\"") })

// waitedFor is Word for the object of a wait, which may contain quoted parts, such as the
// label of a queue.
func waitedFor(s string) string {
	if isCommand(quotedPart().ReplaceAllLiteralString(s, "")) {
		return quotedWord(s, MaxPath)
	}
	return Clean(s, MaxPath)
}

// CallName returns the name of the call of a wait.
func CallName(w *profile.Wait) string {
	if w.Call == profile.PageFault {
		return "a " + w.Call
	}
	return Word(w.Call, MaxText)
}

// had returns the verb for what the owner of such a lock does with it.
func had(k profile.LockKind) string {
	switch k {
	case profile.Queue:
		return "drained"
	case profile.Once:
		return "run"
	}
	return "held"
}

// lockName describes a lock: its kind, its variable or else its address, and its object.
func lockName(w *profile.Wait) string {
	name := w.Lock.String()
	switch {
	case w.Lock == profile.GIL:
		return "the GIL"
	case w.Variable != "":
		name += " " + variable(w)
	case w.Addr != 0 && !isLabelled(w):
		name += " " + w.Addr.String()
	}
	if w.Object != "" {
		name += " " + waitedFor(w.Object)
	}
	return name
}

// isLabelled reports whether a lock is a dispatch queue that has a label, by which people know it.
func isLabelled(w *profile.Wait) bool {
	return w.Lock == profile.Queue && strings.HasPrefix(w.Object, `"`) && !strings.HasPrefix(w.Object, `""`)
}

// maxChain is how many threads a headline names, at most, after the one that waits: as many as a
// reader can keep in mind.
const maxChain = 3

// waitsIn describes a wait, and the frame of own code in which the thread waits. If the wait
// itself does not show its purpose, the name of that function may.
func (p *Printer) waitsIn(t *profile.Thread, w *profile.Wait, own *profile.Node) string {
	if own != nil && w.Lock == profile.NoLock && w.Peer.PID == 0 {
		if purpose := waits.Purpose(own.Function); purpose != "" {
			return waited(t) + purpose + ", in " + CallName(w) + p.calledBy(own)
		}
	}
	if text := pythonWait(t, w); text != "" {
		return waited(t) + text + p.calledBy(own)
	}
	if text := p.looksUp(t, w, own); text != "" {
		return text
	}
	return waited(t) + p.WaitFor(t.ID, w) + p.calledBy(own)
}

// waited returns the verb for a thread's wait and, if that is known, how long the wait has
// lasted.
func waited(t *profile.Thread) string {
	if t.NotRun == 0 {
		return " waits "
	}
	return " has waited " + atLeast(t.NotRun) + " "
}

// haveWaited returns the verb for the waits of several threads; d is the shortest of these
// waits.
func haveWaited(d time.Duration) string {
	if d == 0 {
		return " wait "
	}
	return " have waited " + atLeast(d) + " "
}

// atLeast returns a phrase with a lower bound of a time.
func atLeast(d time.Duration) string { return "at least " + span(d) }

// forAtLeast returns a phrase with how long something has lasted at least; empty if that is unknown.
func forAtLeast(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return " for " + atLeast(d)
}

// looksUp describes a wait for the look-up of a host name; "" for any other wait. If no own code
// is known, the function of the C library that looks up names is the caller.
func (p *Printer) looksUp(t *profile.Thread, w *profile.Wait, own *profile.Node) string {
	by, server := waits.LookUp(w, t.Heaviest())
	if own == nil {
		own = by
	}
	switch {
	case server != "":
		return waited(t) + "for an answer from DNS server " + Word(server, MaxText) + ", in " + CallName(w) + p.calledBy(own)
	case by != nil:
		return waited(t) + "for a name to be looked up, " + p.WaitFor(t.ID, w) + p.calledBy(own)
	}
	return ""
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
		if w.Owner == 0 || t == nil || hasChangedHands(w, t) {
			break
		}
		text += "; " + p.ThreadName(w.Owner, w.OwnerName)
		own := owncode.Innermost(t.Heaviest())
		switch {
		case t.Wait != nil:
			text += p.waitsIn(t, t.Wait, waits.Waiter(t.Heaviest())) + endsByItself(w, t.Wait)
		case own != nil:
			return text + " is in " + p.functionIn(own.Location, nameRoom) + sourceLine(&own.Location) + contention(w, t)
		default:
			return text + stateAsHolder(w, t)
		}
		w = t.Wait
	}
	return text
}

// stateAsHolder returns a clause with the state of the thread that holds a lock.
func stateAsHolder(w *profile.Wait, t *profile.Thread) string {
	if c := contention(w, t); c != "" {
		return strings.TrimPrefix(c, " and")
	}
	return " is " + t.State.String()
}

// contention returns a clause if the holder of a lock was able to run when the threads that wait
// for the lock were stopped: then there is no deadlock. The holder may have taken the lock only
// since; then another thread has released it.
func contention(w *profile.Wait, holder *profile.Thread) string {
	if !isHeld(w) || holder.State != task.Running {
		return ""
	}
	switch holder.OnCPUState {
	case task.OnCPU:
		return " and runs: contention, no deadlock"
	case task.Queued:
		return " and waits for a CPU: contention, no deadlock"
	}
	return " and is runnable: contention, no deadlock"
}

// endsByItself returns a clause if the holder of a lock sleeps for a time.
func endsByItself(w, holders *profile.Wait) string {
	if isHeld(w) && (holders.Call == "nanosleep" || holders.Call == "clock_nanosleep") {
		return ", which ends by itself: no deadlock"
	}
	return ""
}

// isHeld reports whether a wait is for a lock that a thread takes and releases.
func isHeld(w *profile.Wait) bool {
	switch w.Lock {
	case profile.Mutex, profile.ReadWrite, profile.UnfairLock, profile.GIL:
		return true
	}
	return false
}

// alsoHung returns a clause for each further thread that waits for a lock in a process whose
// threads cannot wake each other. With those of the chain, no more than maxChain threads are
// named.
func (p *Printer) alsoHung(h *headline.Headline) (text string) {
	if h.Wait.Hung == 0 {
		return ""
	}
	named := map[task.ThreadID]bool{h.Thread.ID: true}
	for w := h.Wait; w != nil && w.Owner != 0 && !named[w.Owner]; {
		named[w.Owner] = true
		t := p.Profile.Find(w.Owner)
		if w = nil; t != nil {
			w = t.Wait
		}
	}
	for _, t := range p.Profile.Threads {
		if w := t.Wait; len(named) <= maxChain && !named[t.ID] && w != nil && w.Lock != profile.NoLock && w.Lock != profile.ThreadEnd {
			named[t.ID] = true
			text += "; " + p.ThreadName(t.ID, t.Name) + p.waitsIn(t, w, waits.Waiter(t.Heaviest()))
		}
	}
	return text
}

// holds returns a clause with the lock that a thread holds in one snapshot; if there are
// several, the one with the most waiters. It returns "" if no thread waits for any.
func (p *Printer) holds(t *profile.Thread) string {
	if p.Profile.Sampled() {
		return ""
	}
	most, name := 0, ""
	waiting := map[string]int{}
	for _, other := range p.Profile.Threads {
		w := other.Wait
		if w == nil || w.Owner != t.ID || w.Lock == profile.NoLock || w.Lock == profile.ThreadEnd || hasChangedHands(w, t) {
			continue
		}
		lock := lockName(w)
		waiting[lock] += other.Weight()
		if n := waiting[lock]; n > most {
			most, name = n, lock
		}
	}
	if most == 0 {
		return ""
	}
	return "; it holds " + name + ", waited for by " + Plural(most, "thread")
}

// hasChangedHands reports whether the owner of a lock itself waits for that lock. Then its wait
// and the owner were read at different moments.
func hasChangedHands(w *profile.Wait, owner *profile.Thread) bool {
	return owner.Wait != nil && w.Addr != 0 && owner.Wait.Addr == w.Addr
}
