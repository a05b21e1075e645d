package apple

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is how much of a line is looked at. Names of 10 KB and indents of deep stacks
// are far below it.
const maxLine = 256 << 10

// lines gives the lines of a text of any length.
type lines struct {
	from *bufio.Reader
	line []byte
}

// next returns a line without its end, valid until the next call. Of one that is too
// long it returns the begin. The error is io.EOF behind the last line.
func (l *lines) next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		part, err := l.from.ReadSlice('\n')
		if room := maxLine - len(l.line); len(part) > room {
			part = part[:room]
		}
		l.line = append(l.line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(l.line) == 0:
			return nil, err
		}
		return bytes.TrimRight(l.line, "\r\n"), nil
	}
}

// each reads the lines, until read wants no more.
func (l *lines) each(read func(line string) (more bool)) error {
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !read(string(line)):
			return nil
		}
	}
}

// texts keeps each text once, for names occur in many lines, and bounds them all.
type texts struct {
	kept  map[string]string
	bytes int
}

// maxTexts is how many bytes of names a report may have.
const maxTexts = 256 << 20

// of returns the text of s; false when there are too many.
func (t *texts) of(s string) (string, bool) {
	if kept, ok := t.kept[s]; ok {
		return kept, true
	}
	if t.bytes += len(s); t.bytes > maxTexts {
		return "", false
	}
	kept := string([]byte(s)) // not the line that it is a part of
	t.kept[kept] = kept
	return kept, true
}
