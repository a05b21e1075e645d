package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The most runes printed of a name from the target. The middle of a longer one
// is left out.
const (
	maxName = 400  // of a function: C++ templates are long, and differ at both ends
	MaxText = 200  // of a thread, a queue, an error
	MaxPath = 1024 // of a file
)

// Clean makes text from the target safe and unambiguous on a terminal and in a
// line: what does not print (control characters, escape sequences, line ends,
// marks that reverse or hide text, bytes that are not UTF-8) and the backslash
// are written as Go escapes. At most limit runes of s are kept.
func Clean(s string, limit int) string {
	if s = Elide(s, limit); isPlain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		writeRune(&b, r, s[:n])
		s = s[n:]
	}
	return b.String()
}

// Printable makes text safe on a terminal and one line, as clean does; the
// backslash stays, for parts of the text may have been quoted before.
func Printable(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == '\\' {
			b.WriteByte('\\')
		} else {
			writeRune(&b, r, s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func isPlain(s string) bool { return isASCII(s) && strings.IndexByte(s, '\\') < 0 }

// isASCII reports whether a text is printable ASCII alone.
func isASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

func writeRune(b *strings.Builder, r rune, bytes string) {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		fmt.Fprintf(b, `\x%02x`, bytes[0])
	case r == '\\':
		b.WriteString(`\\`)
	case unicode.IsPrint(r):
		b.WriteRune(r)
	default:
		writeEscape(b, r, bytes)
	}
}

// writeEscape writes a rune, of these bytes, as Go escapes it.
func writeEscape(b *strings.Builder, r rune, bytes string) {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		fmt.Fprintf(b, `\x%02x`, bytes[0])
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// Elide keeps three quarters of limit from the start of s and the rest from its
// end.
func Elide(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	tail := limit / 4
	return cutRunes(s, limit-tail) + "…" + lastRunes(s, tail)
}

// cutRunes returns the first n runes of a string that has more.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// lastRunes returns the last n runes of a string that has more.
func lastRunes(s string, n int) string {
	end := len(s)
	for ; n > 0 && end > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return s[end:]
}

// Quoted is clean between quotation marks, as a shell reads a word: what it would take
// for more inside them is escaped.
func Quoted(s string) string { return quotedWord(s, MaxText) }

func quotedWord(s string, limit int) string { return `"` + inQuotes.Replace(Clean(s, limit)) + `"` }

var inQuotes = strings.NewReplacer(`"`, `\"`, "`", "\\`", "$(", `\$(`)

// Word returns a name or path of the target for use in a line without quotes of the
// writer's own: clean, at most about limit characters, and quoted if a shell that read
// the report by mistake would run or write a part of it.
func Word(s string, limit int) string {
	if isCommand(s) {
		return quotedWord(s, limit)
	}
	return Clean(s, limit)
}

// isCommand reports whether a shell takes a part of a text for something to do: it ends a
// command, directs its output, or has another run. What quotes turns that on or off.
func isCommand(s string) bool {
	return strings.ContainsAny(s, ";|&<>`\"'") || strings.Contains(s, "$(")
}
