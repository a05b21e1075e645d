package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"stacksnap/format/profile"
)

// The schema that JSON.md describes. The version grows when a reader of the
// version before would be misled; new keys alone do not change it.
const (
	jsonSchema  = "stacksnap.profile"
	jsonVersion = 2 // "runnable" was "running" in version 1
)

// JSON writes all that the profile knows as one indented JSON document, in the
// schema that JSON.md describes.
func JSON(w io.Writer, p *profile.Profile) error { return writeJSON(w, p, "  ") }

// JSONLine writes the same document in one line: written one after the other,
// the profiles of a stream are JSON lines.
func JSONLine(w io.Writer, p *profile.Profile) error { return writeJSON(w, p, "") }

func writeJSON(w io.Writer, p *profile.Profile, indent string) error {
	return encode(w, newDocument(p), indent)
}

// encode writes any document of ours, safe for a terminal.
func encode(w io.Writer, document any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(document); err != nil {
		return fmt.Errorf("encode profile: %w", err)
	}
	_, err := w.Write(escapeUnprintable(b.Bytes()))
	return err
}

// escapeUnprintable writes as JSON escapes what encoding/json leaves as it is
// but would harm a terminal: DEL, C1 controls, marks that reverse or hide text.
// They can stand in strings only, so that the document stays the same.
func escapeUnprintable(doc []byte) []byte {
	if bytes.IndexFunc(doc, isUnprintable) < 0 {
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

func isUnprintable(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
