package swift

import (
	"strings"

	"stacksnap/images/swift/internal/tree"
)

// words are the words in the identifiers read so far. Later identifiers can refer to
// them by a letter.
type words struct {
	known  [maxWords]string
	n      int
	copied int // total bytes of the words referred to
}

const (
	maxWords      = 26 // one for each letter
	minWordLength = 2
)

// word returns the word that a letter refers to. last reports whether it ends the
// identifier, which an upper-case letter does.
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

// note stores the words of an identifier that have at least two bytes. A word begins
// with a character other than a digit or an underscore. It ends before an underscore,
// and before an upper-case letter that does not follow another one.
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

// identifier reads an identifier: its length and text. After a 0 it consists of word
// references and new parts; after 00 it is in Punycode.
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

// identifierPart reads a length and that many bytes.
func (p *parser) identifierPart() (string, bool) {
	n := p.Natural()
	if n <= 0 {
		return "", false
	}
	return p.Take(n)
}

// identifierOfWords reads word references and new parts, up to the part after the
// last reference, or up to a 0.
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
		// A new part follows the last reference, too.
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

// appendWords appends the words that the next letters refer to. done reports whether
// the last reference of the identifier was among them.
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
	p.Accept('_') // separates the length from a digit at the start of the text
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

// localName reads the name of a local or private declaration, or of a declaration
// derived from another one.
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
