package words

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxColumns = 100 // longest name that is not shortened
	maxNesting = 100 // deepest nesting of brackets; the standard library reaches a dozen
	end        = -1  // the end of the name, in place of a closing bracket
)

// shorten shortens a name of more than maxColumns. It drops the arguments and, if that is
// not enough, template arguments, the innermost first. It returns a name unchanged if its
// brackets do not match.
func shorten(name string) string {
	for short := range unfilled(name) {
		if name = short; utf8.RuneCountInString(name) <= maxColumns {
			break
		}
	}
	return name
}

// unfilled yields a name in ever shorter forms: as it is, without its ABI tags, without its
// arguments, and without its template arguments, from the inside out. It yields none of the
// last two if the brackets do not match.
func unfilled(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(name) {
			return
		}
		if plain := untagged(name); plain != name {
			if name = plain; !yield(name) {
				return
			}
		}
		for keep, last := maxNesting, name; keep >= 0; {
			s := shortener{in: name, keep: keep}
			if !s.copyTo(end) {
				return
			}
			if short := s.out.String(); short != last && !yield(short) {
				return
			}
			last, keep = s.out.String(), min(keep, s.deepest)-1
		}
	}
}

// shortener copies a name without the contents of some of its brackets.
type shortener struct {
	in      string // the rest of the name
	out     strings.Builder
	last    rune // the last rune copied
	keep    int  // levels of template arguments that are kept
	level   int  // open brackets of template arguments
	deepest int  // the highest level so far
	mute    int  // number of open brackets whose contents are dropped
	depth   int
}

// copyTo copies up to a closing bracket, which it consumes. It returns false if brackets do
// not match.
func (s *shortener) copyTo(closing rune) bool {
	if s.depth++; s.depth > maxNesting {
		return false
	}
	defer func() { s.depth-- }()
	for s.in != "" {
		if word := s.operator(); word != "" {
			s.copy(word)
			s.last = '_' // treat brackets that follow as after a name
			continue
		}
		r, size := utf8.DecodeRuneInString(s.in)
		switch {
		case r == closing:
			s.in = s.in[size:]
			return true
		case r == '(', r == '<' && s.last != ')', // otherwise it is a comparison
			r == '[' && isWord(s.last): // Go's type arguments
			s.in = s.in[size:]
			if !s.group(r) {
				return false
			}
		case r == ')', r == '>' && closing != ')': // within parentheses it is a comparison
			return false
		default:
			s.copy(s.in[:size])
		}
	}
	return closing == end
}

// operators are the operators with unpaired brackets, the longest first.
var operators = []string{"<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "()", "[]", "<", ">"}

// operator returns the name of an operator, or an arrow, if one comes next. The name
// includes the blank before template arguments.
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

// group copies the contents of brackets, or writes an ellipsis instead. The opening bracket
// was consumed already.
func (s *shortener) group(opening rune) bool {
	closing, drop := closings[opening], false
	if opening == '(' {
		drop = s.arguments()
	} else if s.parameters() {
		s.level++
		defer func() { s.level-- }()
		s.deepest = max(s.deepest, s.level)
		drop = s.level > s.keep
	}
	s.put(string(opening))
	before := s.in
	if drop {
		s.mute++
	}
	if !s.copyTo(closing) {
		return false
	}
	if drop {
		s.mute--
		if len(before)-len(s.in) > 1 {
			s.put("…")
		}
	}
	s.put(string(closing))
	return true
}

var closings = map[rune]rune{'(': ')', '<': '>', '[': ']'}

// arguments reports whether a ( at this place begins the arguments of a function.
func (s *shortener) arguments() bool { return isWord(s.last) || strings.ContainsRune(">)}]'", s.last) }

// parameters reports whether a < at this place begins template arguments, in Rust also
// after ::, rather than a type such as <T as Trait>.
func (s *shortener) parameters() bool {
	return isWord(s.last) || strings.ContainsRune(":})]'", s.last)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// copy copies the next part of the name.
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
