package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The maximum number of runes of a text from the target to print. The middle of a longer text is
// left out.
const (
	maxName = 400  // the name of a function: names of C++ templates are long, and differ at both ends
	MaxText = 200  // the name of a thread or a queue, or an error
	MaxPath = 1024 // the path of a file
)

// Clean makes a text from the target safe and unambiguous within a line of a terminal. It
// writes as Go escapes all that does not print (control characters, escape sequences, line
// ends, marks that reverse or hide text, invalid UTF-8), and backslashes. It keeps at most
// limit runes of s.
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

// Printable makes a text safe within a line of a terminal, like Clean, but keeps
// backslashes, as parts of the text may be quoted already.
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

// isASCII reports whether a text is only printable ASCII.
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

// writeEscape writes a rune, whose encoding is bytes, as a Go escape.
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

// Elide shortens s to limit runes. It keeps three quarters from the start and the rest from
// the end.
func Elide(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	tail := limit / 4
	return cutRunes(s, limit-tail) + "…" + lastRunes(s, tail)
}

// cutRunes returns the first n runes of a longer string.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// lastRunes returns the last n runes of a longer string.
func lastRunes(s string, n int) string {
	end := len(s)
	for ; n > 0 && end > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return s[end:]
}

// Quoted returns s cleaned and in quotation marks. Characters that are special for a shell
// within them are escaped.
func Quoted(s string) string { return quotedWord(s, MaxText) }

func quotedWord(s string, limit int) string { return `"` + inQuotes.Replace(Clean(s, limit)) + `"` }

var inQuotes = strings.NewReplacer(`"`, `\"`, "`", "\\`", "$(", `\$(`)

// Word returns a name or path from the target, cleaned to at most about limit characters.
// It is in quotation marks if a shell that read the report by mistake would execute or
// write a part of it.
func Word(s string, limit int) string {
	if isCommand(s) {
		return quotedWord(s, limit)
	}
	return Clean(s, limit)
}

// isCommand reports whether a shell would act on a part of a text: end a command, redirect
// output, or run another command. Quotation marks count too, as they change what is
// special.
func isCommand(s string) bool {
	return strings.ContainsAny(s, ";|&<>`\"'") || strings.Contains(s, "$(")
}
