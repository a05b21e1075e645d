package apple

import (
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// The parts of a thread's line, which has the thread and its dispatch queue:
//
//	Thread_ID: NAME   DispatchQueue_SERIAL: LABEL  (serial)
const (
	threadPrefix = "Thread_"
	queueMark    = "   DispatchQueue_"
	mainName     = "Main Thread"
	// multiple replaces an ID if a queue had several threads, one after another, or a
	// thread worked for several queues.
	multiple = "<multiple>"
)

// threadLine returns a thread's line without its count.
func threadLine(p *profile.Profile, t *profile.Thread) string {
	s := threadPrefix + strconv.FormatUint(uint64(t.ID), 10)
	if t.ID == 0 {
		s = threadPrefix + multiple
	}
	switch {
	case t.Name != "":
		s += ": " + notation.Plain(t.Name)
	case t.Main && t.Queue == "" && p.Target.OS == task.Darwin:
		s += ": " + mainName
	}
	return s + queueText(t)
}

// queueText returns the part of the line that describes the queue.
func queueText(t *profile.Thread) string {
	switch {
	case t.Queue == "":
		return ""
	case t.Queue == multiple:
		return queueMark + multiple
	}
	s := queueMark + strconv.FormatUint(t.QueueSerial, 10) + ": " + notation.Plain(t.Queue)
	if kind := queueKind(t); kind != "" {
		s += "  (" + kind + ")"
	}
	return s
}

const (
	serial     = "serial"
	concurrent = "concurrent"
)

// queueKind returns whether a queue is serial or concurrent, as far as the queue or
// its name says.
func queueKind(t *profile.Thread) string {
	switch {
	case t.QueueKind != "":
		return t.QueueKind
	case t.Queue == notation.MainQueue:
		return serial
	case strings.HasPrefix(t.Queue, "com.apple.root."): // root queues of libdispatch, which all other queues target
		return concurrent
	}
	return ""
}

// parseThread parses a thread's line.
func parseThread(text string) *profile.Thread {
	t := &profile.Thread{Last: -1}
	rest, found := strings.CutPrefix(text, threadPrefix)
	if !found {
		t.Name = text
		return t
	}
	if i := strings.LastIndex(rest, queueMark); i >= 0 {
		parseQueue(t, rest[i+len(queueMark):])
		rest = rest[:i]
	}
	number, name, _ := strings.Cut(rest, ": ")
	t.ID, t.Name = parseThreadID(number), name
	t.Main = t.Queue == notation.MainQueue || name == mainName
	return t
}

// parseThreadID parses a thread's number: its id in decimal, or on old systems its
// port in hexadecimal. It returns 0 for several threads.
func parseThreadID(s string) task.ThreadID {
	for _, base := range []int{10, 16} {
		if n, err := strconv.ParseUint(s, base, 64); err == nil {
			return task.ThreadID(n)
		}
	}
	return 0
}

func parseQueue(t *profile.Thread, s string) {
	if s == multiple {
		t.Queue = multiple
		return
	}
	number, label, found := strings.Cut(s, ": ")
	if !found {
		return
	}
	t.Queue = label
	t.QueueSerial, _ = strconv.ParseUint(number, 10, 64) // 0: not known
	for _, kind := range []string{serial, concurrent} {
		if label, found := strings.CutSuffix(label, "  ("+kind+")"); found {
			t.Queue, t.QueueKind = label, kind
		}
	}
}
