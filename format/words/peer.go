package words

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// peerWait describes a wait whose peer is known.
func peerWait(os task.OS, w *profile.Wait) string {
	peer := ProcessName(w.Peer.Name, w.Peer.PID)
	if w.Peer.Self {
		peer = itself
	}
	switch {
	case w.Peer.AlsoSelf:
		return inCall(w) + atOtherEnd(itself+" and "+peer)
	case w.Peer.Self && w.Peer.Others:
		return inCall(w) + onlyItself(w) + " (not all others could be checked)"
	case w.Peer.Self:
		return inCall(w) + onlyItself(w)
	case w.Peer.Others:
		return inCall(w) + atOtherEnd(peer)
	case w.Peer.Action == profile.Release:
		return "for " + lockName(w) + ", held by " + peerThread(os, &w.Peer)
	}
	return "for " + peer + " to " + w.Peer.Action.String() + ", " + inCall(w)
}

// itself is the peer's name if the thread's own process has both ends of what the thread waits
// for.
const itself = "the process itself"

// opened returns a phrase with the purpose for which the other end of a pipe or socket is open.
func opened(a profile.Action) string {
	if a == profile.Read {
		return "reading"
	}
	return "writing"
}

// atOtherEnd names a peer that may not be the only one at the other end.
func atOtherEnd(peer string) string { return ", with " + peer + " at the other end" }

// onlyItself returns a phrase for a wait whose peer is the process that waits.
func onlyItself(w *profile.Wait) string {
	return ", which only " + itself + " has open for " + opened(w.Peer.Action)
}

// peerThread names a thread of another process, or only the process if the thread is
// unknown.
func peerThread(os task.OS, peer *profile.Peer) string {
	name := ProcessName(peer.Name, peer.PID)
	switch {
	case peer.Thread == 0:
		return name
	case os == task.Linux && peer.Thread == task.ThreadID(peer.PID):
		return "main thread of " + name
	}
	thread := "thread " + ThreadID(os, peer.Thread)
	if peer.ThreadName != "" {
		thread += " " + Quoted(peer.ThreadName)
	}
	return thread + " of " + name
}

// stalled describes the connections of a process on which nothing moves; "" if there are none.
// It only states facts, because it is not known whether the other end is expected to send
// something.
func stalled(s *task.Stalled) string {
	if s == nil {
		return ""
	}
	remote := Word(s.Remote, MaxPath)
	if s.PID != 0 {
		remote += " (" + ProcessName(s.Name, s.PID) + ")"
	}
	bytes := Plural(int(min(s.Unread, math.MaxInt)), "byte")
	text := ""
	switch s.State {
	case task.Connecting:
		text = remote + " has not answered the request to connect" + onEach(s.Count)
	case task.NotAccepted:
		text = remote + " has not accepted " + Plural(s.Count, "connection")
	case task.NotTaken:
		text = remote + " has not read " + bytes + " sent to it" + onEach(s.Count) + ago(s.Since)
	case task.Silent:
		text = "nothing received from " + remote + onEach(s.Count) + " since the last send to it" + ago(s.Since)
	case task.Unread:
		text = "not read: " + bytes + " received from " + remote + onEach(s.Count) + ago(s.Since)
	}
	if s.Others > 0 && text != "" {
		text += ", and nothing moves on " + Plural(s.Others, "more connection")
	}
	return text
}

// onEach returns a phrase with the number of connections, if there are several.
func onEach(n int) string {
	if n == 1 {
		return ""
	}
	return " on " + Plural(n, "connection")
}

// ago returns a phrase with the time that has passed since an event; empty if it is unknown.
func ago(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return ", " + span(d) + " ago"
}

// span formats a time of seconds to days, rounded down.
func span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}

// quotedProcess is ProcessName with the name in quotes, where it could be read as a verb.
func quotedProcess(name string, pid int) string {
	return fmt.Sprintf("%s [%d]", Quoted(cmp.Or(name, "???")), pid)
}

// byGone names the owner of a lock if that is not a thread of the process.
func (p *Printer) byGone(w *profile.Wait) string {
	thread := p.ThreadName(w.GoneOwner, "")
	switch g := &w.Gone; {
	case g.Ended:
		return "by " + thread + ", which has ended"
	case g.Parent == 0:
		return "by " + thread + " (ended, or of another process)"
	case w.GoneOwner == task.ThreadID(g.Parent):
		thread = "the main thread"
	}
	return "since the fork by " + thread + " of the parent process, " + quotedProcess(w.Gone.ParentName, w.Gone.Parent) + ", which cannot unlock it here"
}
