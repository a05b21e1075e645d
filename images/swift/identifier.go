package swift

import "strings"

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

// word returns the word that a letter stands for; the last of an identifier is told
// in upper case.
func (w *words) word(letter byte) (word string, last, ok bool) {
	i := int(letter - 'a')
	if isUpper(letter) {
		i, last = int(letter-'A'), true
	}
	if i >= w.n {
		return "", false, false
	}
	return w.known[i], last, true
}

// note takes up the words of an identifier: each begins with a letter that is no
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
		if start < 0 && c != 0 && c != '_' && !isDigit(c) {
			start = i
		}
	}
}

func endsWord(c, before byte) bool {
	return c == 0 || c == '_' || isUpper(c) && !isUpper(before)
}

// identifier reads an identifier: its length and itself; after a 0, words that came
// before and new parts; after 00, one in Punycode.
func (p *parser) identifier() *node {
	if p.acceptString("00") {
		return p.identifierNode(p.punycoded())
	}
	if p.accept('0') {
		return p.identifierNode(p.identifierOfWords())
	}
	part, ok := p.identifierPart()
	if !ok {
		return nil
	}
	p.words.note(part)
	return p.identifierNode(part)
}

func (p *parser) identifierNode(text string) *node {
	if text == "" {
		return nil
	}
	n := p.withText(kindIdentifier, text)
	p.remember(n)
	return n
}

// identifierPart reads a length and so many bytes.
func (p *parser) identifierPart() (string, bool) {
	n := p.natural()
	if n <= 0 {
		return "", false
	}
	return p.take(n)
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
		if p.accept('0') {
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
	for isLower(p.peek()) || isUpper(p.peek()) {
		word, last, ok := p.words.word(p.next())
		p.words.copied += len(word)
		if !ok || p.words.copied > maxOutput {
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
	n := p.natural()
	if n <= 0 {
		return ""
	}
	p.accept('_') // keeps the length from running into a digit
	encoded, ok := p.take(n)
	if !ok {
		return ""
	}
	text, ok := decodePunycode(encoded)
	if !ok {
		return ""
	}
	return text
}

// operatorLetters are the characters of operators that stand for a to z, a space
// where there is none.
const operatorLetters = "& @/= >    <*!|+?%-~   ^ ."

// operatorText spells an operator out. Characters beyond ASCII stand for themselves.
func operatorText(letters string) (string, bool) {
	b := make([]byte, 0, len(letters))
	for i := range len(letters) {
		c := letters[i]
		if c < 0x80 {
			if !isLower(c) || operatorLetters[c-'a'] == ' ' {
				return "", false
			}
			c = operatorLetters[c-'a']
		}
		b = append(b, c)
	}
	return string(b), true
}

// fixities are how operators are told apart.
var fixities = [128]string{'i': " infix", 'p': " prefix", 'P': " postfix"}

func (p *parser) operatorName() *node {
	name := p.pop(kindIdentifier)
	if name == nil {
		return nil
	}
	text, ok := operatorText(name.text)
	fixity := at(&fixities, p.next())
	if !ok || fixity == "" {
		return nil
	}
	return p.withText(kindOperator, text+fixity)
}

// localName reads the names of declarations in functions, of private ones, and of
// those that were made from another.
func (p *parser) localName() *node {
	switch c := p.peek(); {
	case c == 'L':
		p.pos++
		discriminator := p.pop(kindIdentifier)
		return p.node(kindPrivateDeclName, discriminator, p.popIf(isDeclName))
	case c == 'l':
		p.pos++
		return p.node(kindPrivateDeclName, p.pop(kindIdentifier))
	case c >= 'a' && c <= 'j' || c >= 'A' && c <= 'J':
		p.pos++
		n := p.node(kindRelatedEntityDeclName, p.popAny())
		if n != nil {
			n.text = string(c)
		}
		return n
	}
	discriminator := p.numberNode()
	return p.node(kindLocalDeclName, discriminator, p.popIf(isDeclName))
}

// numberNode reads an index as a node.
func (p *parser) numberNode() *node {
	if i := p.index(); i >= 0 {
		return p.withIndex(kindNumber, i)
	}
	return nil
}

// at returns the entry of a table for a byte.
func at[T any](table *[128]T, c byte) (entry T) {
	if int(c) < len(table) {
		entry = table[c]
	}
	return entry
}
