package cli

import (
	"errors"
	"strings"
)

var (
	errQuote     = errors.New("a quotation mark is not closed")
	errBackslash = errors.New("nothing follows the last backslash")
)

// splitWords splits a text into words as a shell does: at blanks, tabs and line ends
// outside '...', "..." and backslashes. It expands nothing (POSIX, Shell Command Language,
// 2.2).
func splitWords(text string) ([]string, error) {
	var s splitter
	for text != "" {
		rest, err := s.take(text)
		if err != nil {
			return nil, err
		}
		text = rest
	}
	s.end()
	return s.words, nil
}

// splitter has the words read so far and the unfinished one.
type splitter struct {
	words []string
	word  strings.Builder
	begun bool // the word has begun, even if only with empty quotation marks
}

// take reads one character or quoted part from the start of a text, and returns the rest.
func (s *splitter) take(text string) (rest string, err error) {
	if rest, continued := strings.CutPrefix(text, "\\\n"); continued {
		return rest, nil
	}
	first, rest := text[0], text[1:]
	if strings.IndexByte(" \t\n", first) >= 0 {
		s.end()
		return rest, nil
	}
	s.begun = true
	switch first {
	case '\'':
		return s.single(rest)
	case '"':
		return s.double(rest)
	case '\\':
		return s.escaped(rest)
	}
	s.word.WriteByte(first)
	return rest, nil
}

// single reads the rest of a part in single quotes.
func (s *splitter) single(text string) (string, error) {
	inside, rest, closed := strings.Cut(text, "'")
	if !closed {
		return "", errQuote
	}
	s.word.WriteString(inside)
	return rest, nil
}

// double reads the rest of a part in double quotes, where a backslash only quotes some
// characters.
func (s *splitter) double(text string) (string, error) {
	for text != "" {
		first, rest := text[0], text[1:]
		switch {
		case first == '"':
			return rest, nil
		case first == '\\' && rest != "" && rest[0] == '\n':
			rest = rest[1:]
		case first == '\\' && rest != "" && strings.IndexByte("$`\"\\", rest[0]) >= 0:
			s.word.WriteByte(rest[0])
			rest = rest[1:]
		default:
			s.word.WriteByte(first)
		}
		text = rest
	}
	return "", errQuote
}

// escaped reads the character after a backslash.
func (s *splitter) escaped(text string) (string, error) {
	if text == "" {
		return "", errBackslash
	}
	s.word.WriteByte(text[0])
	return text[1:], nil
}

// end completes the unfinished word, if there is one.
func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}

// shellWords quotes words for a shell and joins them.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellWord(w)
	}
	return strings.Join(quoted, " ")
}

// ShellWord quotes a word for a shell, if it has characters that are special there.
func ShellWord(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
