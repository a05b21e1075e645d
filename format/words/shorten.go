package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxColumns = 100 // of a function's name with all its arguments
	maxNesting = 100 // of brackets in a name; the standard library reaches a dozen
	end        = -1  // in the place of a closing bracket: that of the name
)

// shorten leaves out of a name of C++ or Rust that has more than maxColumns what
// tells least: its arguments, and if that is not enough those of templates. A name
// whose brackets are not understood stays as it is.
func shorten(name string) string {
	short := name
	for _, templates := range []bool{false, true} {
		if utf8.RuneCountInString(short) <= maxColumns {
			break
		}
		s := shortener{in: name, templates: templates}
		if !s.copyTo(end) {
			return name
		}
		short = s.out.String()
	}
	return short
}

// shortener copies a name without what stands in some of its brackets.
type shortener struct {
	in        string // what is left of it
	out       strings.Builder
	last      rune // that was copied
	templates bool // those of templates, too
	mute      int  // brackets around what is not copied
	depth     int
}

// copyTo copies up to a closing bracket, which it takes away. It returns false
// where brackets do not match.
func (s *shortener) copyTo(closing rune) bool {
	if s.depth++; s.depth > maxNesting {
		return false
	}
	defer func() { s.depth-- }()
	for s.in != "" {
		if word := s.operator(); word != "" {
			s.copy(word)
			s.last = '_' // what follows belongs to it as to any name
			continue
		}
		r, size := utf8.DecodeRuneInString(s.in)
		switch {
		case r == closing:
			s.in = s.in[size:]
			return true
		case r == '(', r == '<' && s.last != ')': // after which it compares
			s.in = s.in[size:]
			if !s.group(r) {
				return false
			}
		case r == ')', r == '>' && closing != ')': // in which it compares, too
			return false
		default:
			s.copy(s.in[:size])
		}
	}
	return closing == end
}

// operators have brackets in them that have no counterpart, the longest first.
var operators = []string{"<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "()", "[]", "<", ">"}

// operator returns the name of an operator or an arrow that comes next, with the
// blank between it and its template's arguments.
func (s *shortener) operator() string {
	if strings.HasPrefix(s.in, "->") {
		return "->"
	}
	const word = "operator"
	rest, ok := strings.CutPrefix(s.in, word)
	if !ok || isWord(s.last) {
		return ""
	}
	if plain := strings.TrimLeft(rest, "+-*/%^&|!=~,"); plain != rest && (strings.HasPrefix(plain, "<") || strings.HasPrefix(plain, "(")) {
		return s.in[:len(s.in)-len(plain)]
	}
	for _, op := range operators {
		if rest, ok := strings.CutPrefix(rest, op); ok && strings.HasPrefix(rest, " <") {
			return word + op + " "
		} else if ok {
			return word + op
		}
	}
	return ""
}

// group copies what stands between brackets, the first of which is taken away, or
// an ellipsis in its place.
func (s *shortener) group(opening rune) bool {
	closing, belongs := ')', s.arguments()
	if opening == '<' {
		closing, belongs = '>', s.parameters()
	}
	s.put(string(opening))
	before := s.in
	if belongs {
		s.mute++
	}
	if !s.copyTo(closing) {
		return false
	}
	content := ""
	if belongs {
		s.mute--
		content = before[:len(before)-len(s.in)-1]
	}
	if content != "" && (opening == '(' || s.templates) {
		content = "…"
	}
	s.put(content + string(closing))
	return true
}

// arguments reports whether a ( after what was copied begins a function's.
func (s *shortener) arguments() bool { return isWord(s.last) || strings.ContainsRune(">)}]'", s.last) }

// parameters reports whether a < after what was copied begins a template's, of Rust
// also behind ::, rather than a type as <T as Trait>.
func (s *shortener) parameters() bool {
	return isWord(s.last) || strings.ContainsRune(":})]'", s.last)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// copy takes the next part of the name over.
func (s *shortener) copy(part string) {
	s.in = s.in[len(part):]
	s.put(part)
}

func (s *shortener) put(part string) {
	s.last, _ = utf8.DecodeLastRuneInString(part)
	if s.mute == 0 {
		s.out.WriteString(part)
	}
}
