package notation

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the maximum number of bytes kept of a line. Names of 10 KB and the
// indents of deep stacks are far below it.
const MaxLine = 256 << 10

// EachLine calls read with each line, without its end, until read returns false. It
// cuts lines that are too long. When it returns, the next byte of from is the first
// of the following line.
func EachLine(from *bufio.Reader, read func(line string) (more bool)) error {
	var line []byte
	for {
		var err error
		line, err = appendLine(line[:0], from)
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

// appendLine appends a line without its end. The error is io.EOF after the last line.
func appendLine(line []byte, from *bufio.Reader) ([]byte, error) {
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part[:min(len(part), MaxLine-len(line))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0:
			return nil, err
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}
