package dwarf

import (
	"errors"
	"strings"
)

// lines is the line table of a unit: its files, and marks from which its program can
// be resumed.
type lines struct {
	layout
	program, end  uint64 // in .debug_line
	minLength     uint64 // of an instruction, in bytes
	maxOps        uint64 // operations of an instruction; above 1 only on VLIW machines
	lineBase      int64
	lineRange     uint64
	opcodeBase    uint64
	opcodeLengths []byte // argument counts of the opcodes from 1
	dirs          []value
	files         []file
	indexed       bool
	spans         spans // of sequences
	sequences     []sequence
	marks         []mark
}

// file is a source file.
type file struct {
	name value
	dir  uint64
	path *string // nil: not computed yet
}

const (
	linesBytes = 512
	fileBytes  = 48
	maxFiles   = 1 << 20
)

var errLines = errors.New("a line table that cannot be read")

// readLines reads the header of a line table; nil if it is unreadable.
func (d *Data) readLines(u *unit, off uint64) *lines {
	c := d.cursor(secLine, off, sectionEnd, farWindow/16)
	t := &lines{layout: u.layout}
	length, offsetSize := c.initialLength()
	if offsetSize == 0 || !d.keep(linesBytes) {
		return nil
	}
	t.end = c.offset() + length
	c.end = t.end
	t.offsetSize = uint8(offsetSize)
	t.version = c.u16()
	if t.version < 2 || t.version > 5 {
		return nil
	}
	if t.version == 5 {
		t.addrSize = c.u8()
		c.skip(1) // segment_selector_size
	}
	headerLength := c.uint(offsetSize)
	if headerLength > t.end-min(c.offset(), t.end) {
		return nil
	}
	t.program = c.offset() + headerLength
	t.readParameters(c)
	if t.version == 5 {
		d.readEntries5(c, t)
	} else {
		d.readEntries(c, t)
	}
	if c.err != nil {
		return nil
	}
	return t
}

func (t *lines) readParameters(c *cursor) {
	t.minLength = uint64(c.u8())
	t.maxOps = 1
	if t.version >= 4 {
		t.maxOps = max(uint64(c.u8()), 1)
	}
	c.skip(1) // default_is_stmt
	t.lineBase = int64(int8(c.u8()))
	t.lineRange = uint64(c.u8())
	t.opcodeBase = uint64(c.u8())
	if t.lineRange == 0 || t.opcodeBase == 0 {
		c.fail(errLines)
		return
	}
	t.opcodeLengths = append([]byte{0}, c.take(int(t.opcodeBase-1))...)
}

// readEntries reads the directories and files of versions 2 to 4, which are counted
// from 1: directory 0 is the unit's own.
func (d *Data) readEntries(c *cursor, t *lines) {
	t.dirs = append(t.dirs, value{})
	for c.err == nil {
		dir := value{formString, c.offset()}
		if c.u8() == 0 {
			break
		}
		c.skipString()
		d.addDir(c, t, dir)
	}
	t.files = append(t.files, file{})
	for c.err == nil {
		f := file{name: value{formString, c.offset()}}
		if c.u8() == 0 {
			break
		}
		c.skipString()
		f.readRest(c)
		d.addFile(c, t, f)
	}
}

// readRest reads the fields after a file's name.
func (f *file) readRest(c *cursor) {
	f.dir = c.uleb()
	c.skipLEB() // time of modification
	c.skipLEB() // length
}

func (d *Data) addDir(c *cursor, t *lines, dir value) {
	if len(t.dirs) >= maxFiles || !d.keep(fileBytes/2) {
		c.fail(errLarge)
	}
	t.dirs = append(t.dirs, dir)
}

func (d *Data) addFile(c *cursor, t *lines, f file) {
	if len(t.files) >= maxFiles || !d.keep(fileBytes) {
		c.fail(errLarge)
	}
	t.files = append(t.files, f)
}

// The fields of an entry in version 5 (table 7.27).
const (
	contentPath = 1
	contentDir  = 2
)

// content is the type and form of a field of version 5.
type content struct {
	kind uint64
	form uint16
}

// readEntries5 reads the directories and files of version 5, which are counted from
// 0.
func (d *Data) readEntries5(c *cursor, t *lines) {
	for _, add := range []func(file){
		func(f file) { d.addDir(c, t, f.name) },
		func(f file) { d.addFile(c, t, f) },
	} {
		var format []content
		for n := c.u8(); n > 0 && c.err == nil; n-- {
			format = append(format, content{c.uleb(), uint16(min(c.uleb(), 0xffff))})
		}
		n := c.uleb()
		if n > 0 && len(format) == 0 {
			c.fail(errLines)
		}
		for ; n > 0 && c.err == nil; n-- {
			add(t.entry(c, format))
		}
	}
}

// entry reads a directory or file. Forms without any bytes are rejected.
func (t *lines) entry(c *cursor, format []content) (f file) {
	for _, field := range format {
		switch field.form {
		case formIndirect, formImplicitConst, formFlagPresent:
			c.fail(errForm)
			return f
		}
		v := t.read(c, field.form, 0)
		switch field.kind {
		case contentPath:
			f.name = v
		case contentDir:
			f.dir = v.u
		}
	}
	return f
}

// path returns the path of a file by its number, as far as the table and the unit
// have it; "" if there is none.
func (d *Data) path(u *unit, number uint32) string {
	t := u.root.lines
	if t == nil || uint64(number) >= uint64(len(t.files)) {
		return ""
	}
	f := &t.files[number]
	if f.path == nil {
		path := d.join(u, f)
		if !d.keep(uint64(len(path))) {
			return path
		}
		f.path = &path
	}
	return *f.path
}

func (d *Data) join(u *unit, f *file) string {
	t := u.root.lines
	name := d.string(u, secLine, f.name)
	if name == "" || isAbsolute(name) {
		return name
	}
	dir := ""
	if f.dir < uint64(len(t.dirs)) {
		dir = d.string(u, secLine, t.dirs[f.dir])
	}
	if t.version == 5 && f.dir == 0 {
		return under(dir, name) // this one is the unit's own
	}
	if !isAbsolute(dir) {
		dir = under(u.root.compDir, dir)
	}
	return under(dir, name)
}

func isAbsolute(path string) bool { return strings.HasPrefix(path, "/") }

// under joins a directory and a path. It does not clean the result: a/../b need not
// be b.
func under(dir, path string) string {
	switch {
	case dir == "", dir == ".": // as in Go's compiler
		return path
	case path == "":
		return dir
	case strings.HasSuffix(dir, "/"):
		return dir + path
	}
	return dir + "/" + path
}
