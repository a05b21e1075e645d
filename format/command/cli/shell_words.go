package cli

import (
	"errors"
	"strings"
)

var (
	errQuote     = errors.New("a quotation mark is not closed")
	errBackslash = errors.New("nothing follows the last backslash")
)

// splitWords splits a text as a shell does: at blanks, tabs and line ends, except those
// quoted by '...', "..." or a backslash. Nothing is expanded. (POSIX, Shell Command
// Language, 2.2.)
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

// splitter is the words so far, and the one under way.
type splitter struct {
	words []string
	word  strings.Builder
	begun bool // also by quotation marks with nothing between them
}

// take reads what comes first in a text that is not empty, and returns the rest.
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

// single takes what stands between '...'.
func (s *splitter) single(text string) (string, error) {
	inside, rest, closed := strings.Cut(text, "'")
	if !closed {
		return "", errQuote
	}
	s.word.WriteString(inside)
	return rest, nil
}

// double takes what stands between "...", where a backslash quotes only what has a
// meaning there.
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

// escaped takes what stands behind a backslash.
func (s *splitter) escaped(text string) (string, error) {
	if text == "" {
		return "", errBackslash
	}
	s.word.WriteByte(text[0])
	return text[1:], nil
}

// end ends the word, if one has begun.
func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}

// shellWords writes words so that a shell reads them back.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellWord(w)
	}
	return strings.Join(quoted, " ")
}

// ShellWord quotes a word unless it has nothing that a shell could take otherwise.
func ShellWord(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
