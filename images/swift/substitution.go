package swift

import "strings"

// maxRepeat is how often a substitution may be repeated by one operator.
const maxRepeat = 2048

// bigSubstitution is the number of the first substitution that has no letter of its
// own: A_ is that.
const bigSubstitution = 26

// The modules that names have an operator for.
const (
	swiftModule = "Swift"
	objCModule  = "__C"
	clangModule = "__C_Synthesized"
)

// remember makes a node one that later ones may refer to.
func (p *parser) remember(n *node) {
	if n != nil {
		p.substitutions = append(p.substitutions, n)
	}
}

// remembered is remember for what is returned.
func (p *parser) remembered(n *node) *node {
	p.remember(n)
	return n
}

// substitution returns the node by its number, nil if there is none.
func (p *parser) substitution(i int) *node {
	if i < 0 || i >= len(p.substitutions) {
		return nil
	}
	return p.substitutions[i]
}

// multiSubstitution reads some references to what came before, all but the last in
// lower case, each with how often it is meant before it.
func (p *parser) multiSubstitution() *node {
	repeat := -1
	for {
		switch c := p.peek(); {
		case isLower(c):
			p.pos++
			n := p.repeated(p.substitution(int(c-'a')), repeat)
			if n == nil {
				return nil
			}
			p.push(n)
			repeat = -1
		case isUpper(c):
			p.pos++
			return p.repeated(p.substitution(int(c-'A')), repeat)
		case c == '_':
			p.pos++
			return p.substitution(repeat + bigSubstitution + 1)
		default:
			if repeat = p.natural(); repeat < 0 {
				return nil
			}
		}
	}
}

// repeated puts all but the last of the repetitions of a node on the stack.
func (p *parser) repeated(n *node, times int) *node {
	if n == nil || times > maxRepeat || len(p.stack)+times > maxStack {
		return nil
	}
	for ; times > 1; times-- {
		p.push(n)
	}
	return n
}

// standardSubstitution reads a reference to a type of the standard library, or to a
// module that has no name in Swift.
func (p *parser) standardSubstitution() *node {
	switch {
	case p.accept('o'):
		return p.withText(kindModule, objCModule)
	case p.accept('C'):
		return p.withText(kindModule, clangModule)
	case p.accept('g'):
		optional := p.node(kindBoundGenericEnum, p.swiftType(kindEnum, "Optional"), p.node(kindTypeList, p.popType()))
		return p.remembered(p.typed(optional))
	}
	repeat := p.natural()
	types := &standardTypes
	if p.accept('c') {
		types = &concurrencyTypes
	}
	standard := at(types, p.next())
	if standard == "" {
		return nil
	}
	name, k := standardType(standard)
	return p.repeated(p.swiftType(k, name), repeat)
}

// swiftType makes a type of the standard library.
func (p *parser) swiftType(k kind, name string) *node {
	return p.typed(p.node(k, p.withText(kindModule, swiftModule), p.withText(kindIdentifier, name)))
}

func (p *parser) swiftModule() *node { return p.withText(kindModule, swiftModule) }

// Marks before the names below; a name without one is that of a structure.
const (
	markProtocol = "@"
	markEnum     = "|"
	markClass    = "#"
)

// standardType takes the mark off a name.
func standardType(marked string) (name string, k kind) {
	switch {
	case strings.HasPrefix(marked, markProtocol):
		return marked[1:], kindProtocol
	case strings.HasPrefix(marked, markEnum):
		return marked[1:], kindEnum
	case strings.HasPrefix(marked, markClass):
		return marked[1:], kindClass
	}
	return marked, kindStructure
}

// standardTypes are those of StandardTypesMangling.def.
var standardTypes = [128]string{
	'A': "AutoreleasingUnsafeMutablePointer", 'a': "Array", 'b': "Bool", 'D': "Dictionary", 'd': "Double",
	'f': "Float", 'h': "Set", 'I': "DefaultIndices", 'i': "Int", 'J': "Character", 'N': "ClosedRange", 'n': "Range",
	'O': "ObjectIdentifier", 'P': "UnsafePointer", 'p': "UnsafeMutablePointer", 'R': "UnsafeBufferPointer",
	'r': "UnsafeMutableBufferPointer", 'S': "String", 's': "Substring", 'u': "UInt", 'V': "UnsafeRawPointer",
	'v': "UnsafeMutableRawPointer", 'W': "UnsafeRawBufferPointer", 'w': "UnsafeMutableRawBufferPointer",
	'q': "|Optional",
	'B': "@BinaryFloatingPoint", 'E': "@Encodable", 'e': "@Decodable", 'F': "@FloatingPoint",
	'G': "@RandomNumberGenerator", 'H': "@Hashable", 'j': "@Numeric", 'K': "@BidirectionalCollection",
	'k': "@RandomAccessCollection", 'L': "@Comparable", 'l': "@Collection", 'M': "@MutableCollection",
	'm': "@RangeReplaceableCollection", 'Q': "@Equatable", 'T': "@Sequence", 't': "@IteratorProtocol",
	'U': "@UnsignedInteger", 'X': "@RangeExpression", 'x': "@Strideable", 'Y': "@RawRepresentable",
	'y': "@StringProtocol", 'Z': "@SignedInteger", 'z': "@BinaryInteger",
}

// concurrencyTypes are those of the same list that follow a c.
var concurrencyTypes = [128]string{
	'A': "@Actor", 'C': "CheckedContinuation", 'c': "UnsafeContinuation", 'E': "CancellationError",
	'e': "UnownedSerialExecutor", 'F': "@Executor", 'f': "@SerialExecutor", 'G': "TaskGroup",
	'g': "ThrowingTaskGroup", 'h': "@TaskExecutor", 'I': "@AsyncIteratorProtocol", 'i': "@AsyncSequence",
	'J': "UnownedJob", 'M': "#MainActor", 'P': "TaskPriority", 'S': "AsyncStream", 's': "AsyncThrowingStream",
	'T': "Task", 't': "UnsafeCurrentTask",
}
