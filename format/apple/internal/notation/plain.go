package notation

import (
	"bytes"
	"path"
	"stacksnap/format/words"
	"strings"
)

// Printable returns a line of a report without control characters. It keeps the
// line's blanks.
func Printable(line string) string {
	return words.Printable(strings.ReplaceAll(line, "\t", "    "))
}

// Plain makes a text from the target safe for one field of a line: without control
// characters, and without the double blanks at which readers split a line.
func Plain(s string) string {
	s = words.Printable(s)
	for strings.Contains(s, "  (in ") || strings.Contains(s, "  [") || strings.Contains(s, "   ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	return s
}

// SourceFile returns the last element of a source file's path, as sample prints it.
// For code that the compiler generated, sample prints a path,
// "/<compiler-generated>".
func SourceFile(file string) string {
	const generated = "<compiler-generated>"
	switch name := path.Base(file); {
	case file == "":
		return ""
	case name == generated:
		return "/" + generated
	default:
		return Plain(name)
	}
}

// HasLine reports whether a line of head begins with prefix.
func HasLine(head []byte, prefix string) bool {
	return bytes.HasPrefix(head, []byte(prefix)) || bytes.Contains(head, []byte("\n"+prefix))
}
