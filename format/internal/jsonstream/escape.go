package jsonstream

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeUnprintable escapes characters that encoding/json keeps but that could harm a
// terminal: DEL, C1 controls, marks that reverse or hide text. In valid JSON these occur
// only in strings, so that the document's values do not change.
func EscapeUnprintable(doc []byte) []byte {
	if isPlain(doc) || bytes.IndexFunc(doc, isUnprintable) < 0 {
		return doc
	}
	out := make([]byte, 0, len(doc)+len(doc)/16)
	for len(doc) > 0 {
		r, n := utf8.DecodeRune(doc)
		if isUnprintable(r) {
			for _, u := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, u)
			}
		} else {
			out = append(out, doc[:n]...)
		}
		doc = doc[n:]
	}
	return out
}

// isPlain reports whether a document has only printable ASCII and line ends, as nearly all have.
func isPlain(doc []byte) bool {
	for _, c := range doc {
		if c < ' ' && c != '\n' || c > '~' {
			return false
		}
	}
	return true
}

func isUnprintable(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\n' || r > '~'
	}
	return !unicode.IsPrint(r)
}
