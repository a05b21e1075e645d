package words

import (
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
	case w.Peer.Others:
		return inCall(w) + atOtherEnd(peer) + butNobodySeen(w)
	case w.Peer.Self:
		return inCall(w) + ", whose other end nobody but " + itself + " has open for " + opened(w.Peer.Action)
	case w.Peer.Action == profile.Release:
		return "for " + lockName(w) + ", held by " + peerThread(os, &w.Peer)
	}
	return "for " + peer + " to " + w.Peer.Action.String() + ", " + inCall(w)
}

// itself names the process of a thread that has both ends of what the thread waits for.
const itself = "the process itself"

// opened returns what the other end of a pipe or socket is open for.
func opened(a profile.Action) string {
	if a == profile.Read {
		return "reading"
	}
	return "writing"
}

// atOtherEnd names a peer that may not be the only one at the other end.
func atOtherEnd(peer string) string { return ", with " + peer + " at the other end" }

// butNobodySeen returns a phrase if the process that waits is the only one known at the other end.
func butNobodySeen(w *profile.Wait) string {
	if !w.Peer.Self {
		return ""
	}
	return ", and no other process that could be checked"
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
