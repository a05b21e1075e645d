package perfmap

import (
	"bytes"

	"stacksnap/images/generated"
)

// Limits for one file.
const (
	maxFile = 64 << 20 // bytes
	maxLine = 16 << 10 // bytes; a longer one is skipped
)

// NewReader returns a reader of a perf map that is still being written. It owns the
// file.
func NewReader(file generated.Source) *generated.Reader {
	return generated.NewReader(file, new(decoder))
}

// decoder decodes lines.
type decoder struct {
	skip bool // inside a line that is too long
}

// MaxFile implements [generated.Decoder].
func (d *decoder) MaxFile() int64 { return maxFile }

// Reset implements [generated.Decoder].
func (d *decoder) Reset() { d.skip = false }

// Decode implements [generated.Decoder]. It consumes whole lines.
func (d *decoder) Decode(b []byte, _ int64, add func(generated.Entry) error) (done int64, err error) {
	rest := b
	for i := bytes.IndexByte(rest, '\n'); i >= 0; i = bytes.IndexByte(rest, '\n') {
		e, ok := parseLine(rest[:i])
		if ok && !d.skip && i <= maxLine {
			if err := add(e); err != nil {
				return 0, err
			}
		}
		d.skip = false
		rest = rest[i+1:]
	}
	if len(rest) > maxLine {
		d.skip, rest = true, nil
	}
	return int64(len(b) - len(rest)), nil
}
