package swift

import (
	"strings"

	"stacksnap/images/swift/internal/tree"
)

// words are the parts of the identifiers read so far that later ones may repeat.
type words struct {
	known  [maxWords]string
	n      int
	copied int // bytes of all that were repeated
}

const (
	maxWords      = 26 // one for each letter
	minWordLength = 2
)

// word returns the word that a letter stands for, and whether it is the last of the identifier: the
// letter is in upper case then.
func (w *words) word(letter byte) (word string, last, ok bool) {
	i := int(letter - 'a')
	if tree.IsUpper(letter) {
		i, last = int(letter-'A'), true
	}
	if i >= w.n {
		return "", false, false
	}
	return w.known[i], last, true
}

// note keeps the words of an identifier: each begins with a letter that is no
// digit, and ends before an underscore or before an upper case letter that follows
// another.
func (w *words) note(identifier string) {
	start := -1
	for i := 0; i <= len(identifier) && w.n < maxWords; i++ {
		var c byte
		if i < len(identifier) {
			c = identifier[i]
		}
		if start >= 0 && endsWord(c, identifier[i-1]) {
			if i-start >= minWordLength {
				w.known[w.n] = identifier[start:i]
				w.n++
			}
			start = -1
		}
		if start < 0 && c != 0 && c != '_' && !tree.IsDigit(c) {
			start = i
		}
	}
}

func endsWord(c, before byte) bool {
	return c == 0 || c == '_' || tree.IsUpper(c) && !tree.IsUpper(before)
}

// identifier reads an identifier: its length and itself; after a 0, words that came
// before and new parts; after 00, one in Punycode.
func (p *parser) identifier() *tree.Node {
	if p.AcceptString("00") {
		return p.identifierNode(p.punycoded())
	}
	if p.Accept('0') {
		return p.identifierNode(p.identifierOfWords())
	}
	part, ok := p.identifierPart()
	if !ok {
		return nil
	}
	p.words.note(part)
	return p.identifierNode(part)
}

func (p *parser) identifierNode(text string) *tree.Node {
	if text == "" {
		return nil
	}
	n := p.WithText(tree.Identifier, text)
	p.remember(n)
	return n
}

// identifierPart reads a length and so many bytes.
func (p *parser) identifierPart() (string, bool) {
	n := p.Natural()
	if n <= 0 {
		return "", false
	}
	return p.Take(n)
}

// identifierOfWords reads words and parts up to the last word, or up to a 0 that
// follows a part.
func (p *parser) identifierOfWords() string {
	var b strings.Builder
	for {
		done, ok := p.appendWords(&b)
		if !ok {
			return ""
		}
		if p.Accept('0') {
			return b.String()
		}
		// Also after the last word a part follows.
		part, ok := p.identifierPart()
		if !ok {
			return ""
		}
		p.words.note(part)
		b.WriteString(part)
		if done {
			return b.String()
		}
	}
}

// appendWords appends the words that the next letters stand for, and reports whether
// the last of the identifier was among them.
func (p *parser) appendWords(b *strings.Builder) (done, ok bool) {
	for tree.IsLower(p.Peek()) || tree.IsUpper(p.Peek()) {
		word, last, ok := p.words.word(p.Next())
		p.words.copied += len(word)
		if !ok || p.words.copied > tree.MaxOutput {
			return false, false
		}
		b.WriteString(word)
		if last {
			return true, true
		}
	}
	return false, true
}

func (p *parser) punycoded() string {
	n := p.Natural()
	if n <= 0 {
		return ""
	}
	p.Accept('_') // keeps the length from running into a digit
	encoded, ok := p.Take(n)
	if !ok {
		return ""
	}
	text, ok := tree.DecodePunycode(encoded)
	if !ok {
		return ""
	}
	return text
}

func (p *parser) operatorName() *tree.Node {
	name := p.pop(tree.Identifier)
	if name == nil {
		return nil
	}
	text, ok := tree.OperatorText(name.Text)
	fixity := tree.At(&tree.Fixities, p.Next())
	if !ok || fixity == "" {
		return nil
	}
	return p.WithText(tree.Operator, text+fixity)
}

// localName reads the names of declarations in functions, of private ones, and of
// those that were made from another.
func (p *parser) localName() *tree.Node {
	switch c := p.Peek(); {
	case c == 'L':
		p.Pos++
		discriminator := p.pop(tree.Identifier)
		return p.Node(tree.PrivateDeclName, discriminator, p.popIf(tree.IsDeclName))
	case c == 'l':
		p.Pos++
		return p.Node(tree.PrivateDeclName, p.pop(tree.Identifier))
	case c >= 'a' && c <= 'j' || c >= 'A' && c <= 'J':
		p.Pos++
		return p.WithText(tree.RelatedEntityDeclName, string(c), p.popAny())
	}
	discriminator := p.Number(p.Index())
	return p.Node(tree.LocalDeclName, discriminator, p.popIf(tree.IsDeclName))
}
