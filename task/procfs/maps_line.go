//go:build linux

package procfs

import (
	"bytes"
	"errors"
	"strings"

	"stacksnap/task"
)

var errMapsLine = errors.New("not a line of /proc/PID/maps")

// deletedSuffix is what d_path appends to the path of an unlinked file.
const deletedSuffix = " (deleted)"

// parseRegion reads one line of /proc/PID/maps, without its newline
// (show_map_vma, fs/proc/task_mmu.c):
//
//	start-end perms offset major:minor inode    path
func parseRegion(line []byte) (task.Region, error) {
	c := fields{rest: line}
	r := task.Region{
		Start: task.Addr(c.hex('-')),
		End:   task.Addr(c.hex(' ')),
	}
	r.Prot, r.Shared = permissions(c.word())
	r.Offset = c.hex(' ')
	major, minor := c.hex(':'), c.hex(' ')
	r.Dev = device(major, minor)
	r.Inode = c.decimal()
	r.Path, r.PathDeleted = cutDeleted(unescape(bytes.TrimLeft(c.rest, " ")))
	if c.bad || r.End < r.Start {
		return task.Region{}, errMapsLine
	}
	return r, nil
}

// parseMapped reads from a line of /proc/PID/maps what identifies the mapping. It returns false
// when the mapping is not executable.
func parseMapped(line []byte) (task.Mapped, bool) {
	c := fields{rest: line}
	m := task.Mapped{Start: task.Addr(c.hex('-')), End: task.Addr(c.hex(' '))}
	prot, _ := permissions(c.word())
	if prot&task.Execute == 0 {
		return m, false
	}
	m.Base = m.Start - task.Addr(c.hex(' '))
	major, minor := c.hex(':'), c.hex(' ')
	m.Dev, m.Inode = device(major, minor), c.decimal()
	return m, !c.bad && m.Start < m.End
}

// fields is a cursor over one line. After something unexpected, bad is set and every further
// field is zero.
type fields struct {
	rest []byte
	bad  bool
}

// word returns the bytes before the next space, and skips the space.
func (c *fields) word() []byte {
	w, rest, _ := bytes.Cut(c.rest, []byte(" "))
	c.rest = rest
	return w
}

// skip skips n fields.
func (c *fields) skip(n int) {
	for range n {
		c.word()
	}
}

// hex reads a hexadecimal number that is followed by the byte end.
func (c *fields) hex(end byte) uint64 {
	v, n := number(c.rest, 16)
	if n == 0 || n == len(c.rest) || c.rest[n] != end {
		c.bad, c.rest = true, nil
		return 0
	}
	c.rest = c.rest[n+1:]
	return v
}

// decimal reads a decimal number that is followed by a space or the end of the line.
func (c *fields) decimal() uint64 {
	w := c.word()
	v, n := number(w, 10)
	if n == 0 || n != len(w) {
		c.bad, c.rest = true, nil
		return 0
	}
	return v
}

// integer reads a decimal number that may be negative.
func (c *fields) integer() int {
	const most = 1 << 31
	rest, negative := bytes.CutPrefix(c.rest, []byte("-"))
	c.rest = rest
	n := int(min(c.decimal(), most))
	if negative {
		return -n
	}
	return n
}

// number reads digits of a base up to 16 from the start of b, and returns how many there were: 0
// when the value is too large for 64 bits.
func number(b []byte, base uint64) (v uint64, n int) {
	for n < len(b) {
		d := digit(b[n])
		if d >= base {
			break
		}
		if v > (^uint64(0)-d)/base {
			return 0, 0
		}
		v = v*base + d
		n++
	}
	return v, n
}

func digit(c byte) uint64 {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0')
	case 'a' <= c && c <= 'f':
		return uint64(c-'a') + 10
	}
	return ^uint64(0)
}

// permissions reads "rwxp": p for private, s for shared.
func permissions(w []byte) (p task.Prot, shared bool) {
	for _, c := range w {
		switch c {
		case 'r':
			p |= task.Read
		case 'w':
			p |= task.Write
		case 'x':
			p |= task.Execute
		case 's':
			shared = true
		}
	}
	return p, shared
}

// device joins the halves of a device number in the way of stat(2) (new_encode_dev,
// include/linux/kdev_t.h; gnu_dev_makedev).
func device(major, minor uint64) uint64 {
	return major&0xfff<<8 | major&^0xfff<<32 | minor&0xff | minor&^0xff<<12
}

// unescape undoes the file's only escape: a newline is written as \012.
func unescape(path []byte) string {
	return strings.ReplaceAll(string(path), `\012`, "\n")
}

// cutDeleted removes the mark of an unlinked file. A file whose real name ends with it looks
// like one that was unlinked.
func cutDeleted(path string) (string, bool) {
	return strings.CutSuffix(path, deletedSuffix)
}
