package stackshot

import (
	"fmt"
	"strings"

	"stacksnap/task/stackshot/kcdata"
)

// Crash is what the kernel saves of a crashed process (TASK_CRASHINFO_*), as far as
// [CrashError] reports it.
type Crash struct {
	PID       *uint64        `kcdata:"pid"`
	Name      string         `kcdata:"p_comm"`
	Path      string         `kcdata:"p_path"`
	Thread    *uint64        `kcdata:"crashed_threadid"`
	Exception *ExceptionCode `kcdata:"mach_exception_data_t"`
	Kind      *uint64        `kcdata:"exception_type"`
	Inside    []Crash        `kcdata:",inside"` // nested buffers
	Shots     []*Shot        // nested stackshots

	Unknown, Bad int   // as in a [Shot]
	Cut          error // why the buffer is incomplete
}

// ExceptionCode is mach_exception_data_t: the exception's code and subcode.
type ExceptionCode struct {
	Code    uint64 `kcdata:"code_0"`
	Subcode uint64 `kcdata:"code_1"`
}

// maxInside is how deep buffers may be nested.
const maxInside = 4

// read reads a buffer at a nesting depth.
func (c *Crash) read(r *kcdata.Reader, depth int) {
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		if it.Type == kcdata.Nested && depth < maxInside {
			c.addInside(it.Data(), depth+1)
		} else {
			c.add(&it)
		}
	}
	c.Cut = r.Err()
}

// addInside adds a nested buffer. Kinds other than these two, such as an exit reason,
// add nothing.
func (c *Crash) addInside(data []byte, depth int) {
	r := kcdata.NewReader(data)
	switch kind, _ := r.Buffer(); kind {
	case kcdata.CrashInfo:
		var in Crash
		in.read(r, depth)
		c.Inside = append(c.Inside, in)
	case kcdata.Stackshot, kcdata.DeltaStackshot:
		shots, _ := parseAt(data, nil, depth) // there is one, which has its own error
		c.Shots = append(c.Shots, shots...)
	default:
		c.Unknown++
	}
}

// shots returns the stackshots in it and in its nested buffers.
func (c *Crash) shots() []*Shot {
	all := c.Shots
	for i := range c.Inside {
		all = append(all, c.Inside[i].shots()...)
	}
	return all
}

// CrashError means that a file is what the kernel saves of a crashed process, without
// any stacks.
type CrashError struct{ *Crash }

func (e *CrashError) Error() string {
	c := e.Crash
	for c.Name == "" && c.PID == nil && len(c.Inside) > 0 {
		c = &c.Inside[0]
	}
	line := []string{"what the kernel keeps of a crashed process, without stacks"}
	for _, part := range []string{c.process(), c.end()} {
		if part != "" {
			line = append(line, part)
		}
	}
	return strings.Join(line, ": ") + "; for stacks open macOS's report of the crash, an .ips file"
}

// process names the process; "" if nothing is known.
func (c *Crash) process() string {
	text := c.Name
	if c.PID != nil {
		text = strings.TrimSpace(fmt.Sprintf("%s [%d]", c.Name, int32(*c.PID)))
	}
	if c.Path != "" {
		text = strings.TrimSpace(text + " of " + c.Path)
	}
	return text
}

// end says what ended the process, and in which thread.
func (c *Crash) end() string {
	cause := c.Cause()
	text := cause.String()
	if cause.Thread != 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s in thread %#x", text, uint64(cause.Thread)))
	}
	return text
}

func (c *Crash) add(it *kcdata.Item) {
	t := it.Type
	if it.IsArray() {
		t = uint32(it.Flags >> 32)
	}
	set, known := crashItems[t]
	switch {
	case !known:
		c.Unknown++
	case !set(c, it):
		c.Bad++
	}
}

// crashItems are the items of a crash buffer.
var crashItems = map[uint32]func(*Crash, *kcdata.Item) bool{
	0x805: func(c *Crash, it *kcdata.Item) bool { return number32(&c.PID, it) },
	0x809: func(c *Crash, it *kcdata.Item) bool { return text(&c.Name, it) },
	0x80e: func(c *Crash, it *kcdata.Item) bool { return one(&c.Exception, it) },
	0x80f: func(c *Crash, it *kcdata.Item) bool { return text(&c.Path, it) },
	0x81a: func(c *Crash, it *kcdata.Item) bool { return number(&c.Thread, it) },
	0x838: func(c *Crash, it *kcdata.Item) bool { return number32(&c.Kind, it) },
}
