package recording

import (
	"math"

	"stacksnap/task"
)

// appendFacts appends the facts about a process that are only shown in reports.
func appendFacts(b []byte, i *task.Info) []byte {
	for _, a := range i.Command.Args {
		b = appendBytes(b, 20, a)
	}
	b = appendBoolIf(b, 21, i.Command.Cut)
	if i.Machine != (task.Machine{}) {
		var at int
		b, at = begin(b, 22)
		b = appendMachine(b, &i.Machine)
		b = end(b, at)
	}
	b = appendUintIf(b, 23, i.Footprint.Now)
	b = appendUintIf(b, 24, i.Footprint.Peak)
	if c := i.Crash; c != nil {
		var at int
		b, at = begin(b, 25)
		b = end(appendCrash(b, c), at)
	}
	b = appendBytesIf(b, 26, i.Folder)
	if u := i.User; u != nil {
		var at int
		b, at = begin(b, 27)
		b = end(appendBytesIf(appendUintIf(b, 1, uint64(u.ID)), 2, u.Name), at)
	}
	if g := i.Group; g != nil {
		var at int
		b, at = begin(b, 28)
		b = appendBytesIf(b, 1, g.Manager)
		b = appendBytesIf(b, 2, g.ID)
		b = end(appendBytesIf(b, 3, g.Pod), at)
	}
	if t := i.Tracer; t != nil {
		var at int
		b, at = begin(b, 29)
		b = end(appendBytesIf(appendUintIf(b, 1, uint64(t.PID)), 2, t.Name), at)
	}
	return b
}

func appendCrash(b []byte, c *task.Crash) []byte {
	b = appendBytesIf(b, 1, c.Signal)
	b = appendBytesIf(b, 2, c.Detail)
	return appendUintIf(b, 3, uint64(c.Thread))
}

func parseFacts(i *task.Info, m *message) {
	switch m.field {
	case 20:
		if len(i.Command.Args) == task.MaxArguments {
			m.fail(errTooBig)
			return
		}
		i.Command.Args = append(i.Command.Args, m.string())
	case 21:
		i.Command.Cut = m.bool()
	case 22:
		var err error
		i.Machine, err = parseComputer(m.data)
		m.fail(err)
	case 23:
		i.Footprint.Now = m.n
	case 24:
		i.Footprint.Peak = m.n
	case 25:
		var err error
		i.Crash, err = parseCrash(m.data)
		m.fail(err)
	default:
		parseOwner(i, m)
	}
}

// parseOwner reads the owner of a process, and where it runs.
func parseOwner(i *task.Info, m *message) {
	var err error
	switch m.field {
	case 26:
		i.Folder = m.string()
	case 27:
		i.User, err = parseUser(m.data)
	case 28:
		i.Group, err = parseGroup(m.data)
	case 29:
		i.Tracer, err = parseTracer(m.data)
	}
	m.fail(err)
}

func parseUser(data []byte) (*task.User, error) {
	u := new(task.User)
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			if m.n > math.MaxUint32 {
				return nil, errTooBig
			}
			u.ID = uint32(m.n)
		case 2:
			u.Name = m.string()
		}
	}
	return u, m.err
}

func parseTracer(data []byte) (*task.Tracer, error) {
	t := new(task.Tracer)
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			t.PID = index(m.n)
		case 2:
			t.Name = m.string()
		}
	}
	return t, m.err
}

func parseGroup(data []byte) (*task.Group, error) {
	g := new(task.Group)
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			g.Manager = m.string()
		case 2:
			g.ID = m.string()
		case 3:
			g.Pod = m.string()
		}
	}
	return g, m.err
}

func parseCrash(data []byte) (*task.Crash, error) {
	c := new(task.Crash)
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			c.Signal = m.string()
		case 2:
			c.Detail = m.string()
		case 3:
			c.Thread = task.ThreadID(m.n)
		}
	}
	return c, m.err
}

func appendMachine(b []byte, c *task.Machine) []byte {
	b = appendBytesIf(b, 1, c.Model)
	b = appendBytesIf(b, 2, c.CPU)
	b = appendUintIf(b, 3, uint64(c.CPUs))
	b = appendUintIf(b, 4, uint64(c.Active))
	return appendUintIf(b, 5, c.Memory)
}

func parseComputer(data []byte) (task.Machine, error) {
	var c task.Machine
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			c.Model = m.string()
		case 2:
			c.CPU = m.string()
		case 3:
			c.CPUs = index(m.n)
		case 4:
			c.Active = index(m.n)
		case 5:
			c.Memory = m.n
		}
	}
	return c, m.err
}
