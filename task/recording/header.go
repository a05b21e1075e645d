package recording

import (
	"strings"
	"time"

	"stacksnap/task"
)

// Header is what is known when a recording starts.
type Header struct {
	Target   task.Info
	Tool     string        // program that captured, with its version
	Interval time.Duration // between two snapshots, as requested; 0: a single snapshot
}

func appendHeader(b []byte, h *Header) []byte {
	b, at := begin(b, 1)
	b = appendInfo(b, &h.Target)
	b = end(b, at)
	b = appendBytesIf(b, 2, h.Tool)
	return appendUintIf(b, 3, uint64(h.Interval))
}

func parseHeader(data []byte) (Header, error) {
	var h Header
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			var err error
			h.Target, err = parseInfo(m.data)
			m.fail(err)
		case 2:
			h.Tool = m.string()
		case 3:
			h.Interval = duration(m.n)
		}
	}
	return h, m.err
}

func appendInfo(b []byte, i *task.Info) []byte {
	b = appendUintIf(b, 1, uint64(i.PID))
	b = appendBytesIf(b, 2, i.Name)
	b = appendBytesIf(b, 3, i.Path)
	b = appendUintIf(b, 4, uint64(i.Arch))
	b = appendUintIf(b, 5, uint64(i.OS))
	b = appendBytesIf(b, 6, i.OSVersion)
	b = appendUintIf(b, 7, uint64(i.ParentPID))
	b = appendBytesIf(b, 8, i.ParentName)
	b = appendTimeIf(b, 9, i.Start)
	b = appendUintIf(b, 10, uint64(i.PageSize))
	b = appendUintIf(b, 11, i.CodeMask)
	b = appendUintIf(b, 12, uint64(i.LoaderInfo))
	b = appendUintIf(b, 13, uint64(i.LoaderPointerSize))
	b = appendBoolIf(b, 14, i.Translated)
	b = appendBoolIf(b, 15, i.Live)
	return appendFacts(b, i)
}

func parseInfo(data []byte) (task.Info, error) {
	var i task.Info
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			i.PID = int(m.n)
		case 2:
			i.Name = m.string()
		case 3:
			i.Path = m.string()
		case 4:
			i.Arch = arch(m.n)
		case 5:
			i.OS = knownOS(m.n)
		case 6:
			i.OSVersion = m.string()
		case 7:
			i.ParentPID = int(m.n)
		case 8:
			i.ParentName = m.string()
		case 9:
			i.Start = m.time()
		default:
			parseMachine(&i, &m)
		}
	}
	return i, m.err
}

func parseMachine(i *task.Info, m *message) {
	switch m.field {
	case 10:
		i.PageSize = int(m.n)
	case 11:
		i.CodeMask = m.n
	case 12:
		i.LoaderInfo = task.Addr(m.n)
	case 13:
		i.LoaderPointerSize = int(m.n)
	case 14:
		i.Translated = m.bool()
	case 15:
		i.Live = m.bool()
	default:
		parseFacts(i, m)
	}
}

// arch maps an unsupported architecture to UnknownArch.
func arch(n uint64) task.Arch {
	if n >= uint64(task.NumArchs) {
		return task.UnknownArch
	}
	return task.Arch(n)
}

func knownOS(n uint64) task.OS {
	if n > uint64(task.Linux) {
		return task.UnknownOS
	}
	return task.OS(n)
}

// duration maps an impossible duration to 0.
func duration(n uint64) time.Duration { return max(0, time.Duration(n)) }

func appendTimeIf(b []byte, field int, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	zone, offset := t.Zone()
	b, at := begin(b, field)
	b = appendSint(b, 1, t.Unix())
	b = appendUintIf(b, 2, uint64(t.Nanosecond()))
	b = appendBytesIf(b, 3, zone)
	if offset != 0 {
		b = appendSint(b, 4, int64(offset))
	}
	return end(b, at)
}

const (
	maxOffset = 26 * 3600 // maximum offset of a time zone in seconds
	maxZone   = 32        // maximum length of its name in bytes
	maxYear   = 9000
)

// time decodes the current field as a Time. Times outside of all calendars become
// zero.
func (m *message) time() time.Time {
	var seconds, nanoseconds, offset int64
	var zone string
	t := newMessage(m.data)
	for t.next() {
		switch t.field {
		case 1:
			seconds = t.sint()
		case 2:
			nanoseconds = int64(t.n % 1e9)
		case 3:
			zone = t.string()
		case 4:
			offset = t.sint()
		}
	}
	m.fail(t.err)
	if offset < -maxOffset || offset > maxOffset || !isZone(zone) {
		zone, offset = "", 0
	}
	at := time.Unix(seconds, nanoseconds).UTC()
	if at.Year() < 1 || at.Year() > maxYear {
		return time.Time{}
	}
	return at.In(time.FixedZone(zone, int(offset)))
}

// isZone reports whether s can be the name of a time zone: CEST, +0530.
func isZone(s string) bool {
	return len(s) <= maxZone && strings.Trim(s, "+-/_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}
