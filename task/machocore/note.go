package machocore

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"

	"stacksnap/task"
	"stacksnap/task/internal/saved"
)

// notes is the contents of a core's LC_NOTE commands. Their payloads are those of
// xnu's osfmk/kdp/core_notes.h and lldb's ObjectFileMachO.cpp.
type notes struct {
	ident       string // "kern ver str", LC_IDENT
	pageSize    int
	addressBits int       // of a code pointer; 0: unknown
	mainBinary  task.Addr // dyld, for a user process; 0: unknown
	loaderInfo  task.Addr // dyld's list of images, or dyld itself; 0: unknown
	process     processNote
	threads     []threadNote
	images      []task.SavedImage
}

// maxPayload is how many bytes of a note's payload are read.
const maxPayload = 4 << 20

// add decodes one note_command: a data owner of 16 characters, an offset and a size
// in the file. It ignores notes of other owners.
func (n *notes) add(p part, body []byte, at int64, bad *saved.Problems) {
	const ownerSize = 16
	if len(body) < ownerSize+16 {
		bad.Add(at, "a note that is too short")
		return
	}
	read, known := n.reader(cString(body[:ownerSize]))
	if !known {
		return
	}
	offset, size := binary.LittleEndian.Uint64(body[ownerSize:]), binary.LittleEndian.Uint64(body[ownerSize+8:])
	if offset > uint64(p.Size()) || size > uint64(p.Size())-offset || size > maxPayload {
		bad.Add(at, "the note %q lies beyond the file's end or is too large", cString(body[:ownerSize]))
		return
	}
	payload := make([]byte, size)
	if _, err := p.ReadAt(payload, int64(offset)); err != nil || !read(payload, p) {
		bad.Add(int64(offset), "the note %q cannot be read", cString(body[:ownerSize]))
	}
}

// reader returns the function that decodes the payload of an owner's notes; that
// reports false for a malformed payload.
func (n *notes) reader(owner string) (read func(payload []byte, p part) bool, known bool) {
	switch owner {
	case "main bin spec":
		return n.mainBinSpec, true
	case "all image infos":
		return n.allImageInfos, true
	case "load binary":
		return n.loadBinary, true
	case "addrable bits":
		return n.addressableBits, true
	case "process metadata":
		return n.metadata, true
	case "task crashinfo":
		return n.taskCrashInfo, true
	case "kern ver str":
		return n.kernelVersion, true
	}
	return nil, false
}

// notKnown is the value of an unknown address or slide in a note.
const notKnown = ^uint64(0)

// mainBinSpec decodes { u32 version, u32 type, u64 address, [version 2: u64 slide],
// uuid, u32 log2_pagesize, u32 platform }. For a user process (type 2) the address is
// dyld's.
func (n *notes) mainBinSpec(b []byte, _ part) bool {
	const userProcess = 2
	c := cursor{b: b}
	version, kind, address := c.u32(), c.u32(), c.u64()
	if version > 1 {
		c.u64()
	}
	c.bytes(16)
	log2 := c.u32()
	if c.short || version < 1 || version > 2 {
		return false
	}
	n.setPageSize(log2)
	if kind == userProcess && address != notKnown {
		n.mainBinary = task.Addr(address)
	}
	return true
}

// setPageSize sets the page size by its logarithm, if it is plausible.
func (n *notes) setPageSize(log2 uint32) {
	if log2 >= 12 && log2 <= 16 {
		n.pageSize = 1 << log2
	}
}

// addressableBits decodes { u32 version, u32 bits } of version 3, and { u32 version,
// u32 low-memory bits, u32 high-memory bits } of version 4. A user process is in low
// memory.
func (n *notes) addressableBits(b []byte, _ part) bool {
	c := cursor{b: b}
	version, bits := c.u32(), c.u32()
	if c.short || version < 3 || version > 4 || bits > 64 {
		return false
	}
	n.addressBits = int(bits)
	return true
}

// kernelVersion decodes { u32 version = 1, string }.
func (n *notes) kernelVersion(b []byte, _ part) bool {
	c := cursor{b: b}
	if version := c.u32(); c.short || version != 1 {
		return false
	}
	n.ident = printable(cString(c.b))
	return true
}

// identity decodes LC_IDENT, the older form of the version: consecutive strings.
func identity(body []byte) string { return printable(cString(body)) }

// printable returns an untrusted text on one line, cut to the length of a path.
func printable(s string) string {
	const longest = 4096
	s = strings.ToValidUTF8(s[:min(len(s), longest)], "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s))
}

// threadNote is a thread in the process metadata.
type threadNote struct {
	ID    task.ThreadID `json:"thread_id"`
	Name  string        `json:"name"`
	Queue string        `json:"queue"`
}

// metadata decodes the process metadata: a JSON dictionary, possibly followed by
// zeros, whose "threads" are in the order of the LC_THREAD commands.
func (n *notes) metadata(b []byte, _ part) bool {
	var meta struct {
		Threads []threadNote `json:"threads"`
	}
	if err := json.Unmarshal(bytes.TrimRight(b, "\x00"), &meta); err != nil {
		return false
	}
	for i := range meta.Threads {
		meta.Threads[i].Name = printable(meta.Threads[i].Name)
		meta.Threads[i].Queue = printable(meta.Threads[i].Queue)
	}
	n.threads = meta.Threads
	return true
}

// cursor reads little-endian numbers. Past the end it returns zeros and sets short.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) bytes(n int) []byte {
	if len(c.b) < n {
		c.b, c.short = nil, true
		return make([]byte, n)
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) u32() uint32 { return binary.LittleEndian.Uint32(c.bytes(4)) }
func (c *cursor) u64() uint64 { return binary.LittleEndian.Uint64(c.bytes(8)) }

// cString returns b up to its first zero byte.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
