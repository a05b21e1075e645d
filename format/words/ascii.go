package words

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// asciiWriter writes text for terminals that show only ASCII. It replaces the marks of reports
// by ASCII ones, and all other runes by Go escapes. Its input must be UTF-8.
type asciiWriter struct {
	to   io.Writer
	rest []byte // start of a rune that is not complete yet
}

// Plainer maps the marks that reports use to their replacements in ASCII.
var Plainer = map[rune]string{'…': "...", 'µ': "u", '←': "<-", '→': "->"}

// Write implements [io.Writer].
func (w *asciiWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	var b bytes.Buffer
	for len(text) > 0 && utf8.FullRune(text) {
		r, n := utf8.DecodeRune(text)
		b.WriteString(inASCII(r, string(text[:n])))
		text = text[n:]
	}
	w.rest = bytes.Clone(text)
	if _, err := w.to.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// InASCII returns a text with all runes beyond ASCII replaced.
func InASCII(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(inASCII(r, string(r)))
	}
	return b.String()
}

// inASCII returns the replacement of a rune, whose encoding is bytes.
func inASCII(r rune, bytes string) string {
	switch mark, ok := Plainer[r]; {
	case ok:
		return mark
	case r < utf8.RuneSelf:
		return bytes
	}
	var b strings.Builder
	writeEscape(&b, r, bytes)
	return b.String()
}
