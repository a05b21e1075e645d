package swift

import (
	"stacksnap/images/swift/internal/tree"
)

// maxRepeat is how often one operator may repeat a substitution.
const maxRepeat = 2048

// bigSubstitution is the number of the first substitution without a letter: A_.
const bigSubstitution = 26

// remember makes a node a substitution, which later operators can refer to.
func (p *parser) remember(n *tree.Node) {
	if n != nil {
		p.substitutions = append(p.substitutions, n)
	}
}

// remembered remembers n and returns it.
func (p *parser) remembered(n *tree.Node) *tree.Node {
	p.remember(n)
	return n
}

// substitution returns the substitution with a number, nil if there is none.
func (p *parser) substitution(i int) *tree.Node {
	if i < 0 || i >= len(p.substitutions) {
		return nil
	}
	return p.substitutions[i]
}

// multiSubstitution reads references to substitutions: lower-case letters, and an
// upper-case one that is the last. A number before a letter repeats it.
func (p *parser) multiSubstitution() *tree.Node {
	repeat := -1
	for {
		switch c := p.Peek(); {
		case tree.IsLower(c):
			p.Pos++
			n := p.repeated(p.substitution(int(c-'a')), repeat)
			if n == nil {
				return nil
			}
			p.push(n)
			repeat = -1
		case tree.IsUpper(c):
			p.Pos++
			return p.repeated(p.substitution(int(c-'A')), repeat)
		case c == '_':
			p.Pos++
			return p.substitution(repeat + bigSubstitution + 1)
		default:
			if repeat = p.Natural(); repeat < 0 {
				return nil
			}
		}
	}
}

// repeated pushes a node times − 1 times, and returns it for the last repetition.
func (p *parser) repeated(n *tree.Node, times int) *tree.Node {
	if n == nil || times > maxRepeat || len(p.stack)+times > maxStack {
		return nil
	}
	for ; times > 1; times-- {
		p.push(n)
	}
	return n
}

// standardSubstitution reads a reference to a type of the standard library, or to a
// module for imported C or Objective-C declarations.
func (p *parser) standardSubstitution() *tree.Node {
	switch {
	case p.Accept('o'):
		return p.WithText(tree.Module, tree.ObjCModule)
	case p.Accept('C'):
		return p.WithText(tree.Module, tree.ClangModule)
	case p.Accept('g'):
		optional := p.Node(tree.BoundGenericEnum, p.swiftType(tree.Enum, "Optional"), p.Node(tree.TypeList, p.popType()))
		return p.remembered(p.Typed(optional))
	}
	repeat := p.Natural()
	types := &standardTypes
	if p.Accept('c') {
		types = &concurrencyTypes
	}
	standard := tree.At(types, p.Next())
	if standard == "" {
		return nil
	}
	name, k := tree.StandardType(standard)
	return p.repeated(p.swiftType(k, name), repeat)
}

// swiftType makes a type of the standard library.
func (p *parser) swiftType(k tree.Kind, name string) *tree.Node {
	return p.Typed(p.Node(k, p.WithText(tree.Module, tree.SwiftModule), p.WithText(tree.Identifier, name)))
}

func (p *parser) swiftModule() *tree.Node { return p.WithText(tree.Module, tree.SwiftModule) }

// standardTypes are the types in StandardTypesMangling.def.
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

// concurrencyTypes are the types in the same file that follow a c.
var concurrencyTypes = [128]string{
	'A': "@Actor", 'C': "CheckedContinuation", 'c': "UnsafeContinuation", 'E': "CancellationError",
	'e': "UnownedSerialExecutor", 'F': "@Executor", 'f': "@SerialExecutor", 'G': "TaskGroup",
	'g': "ThrowingTaskGroup", 'h': "@TaskExecutor", 'I': "@AsyncIteratorProtocol", 'i': "@AsyncSequence",
	'J': "UnownedJob", 'M': "#MainActor", 'P': "TaskPriority", 'S': "AsyncStream", 's': "AsyncThrowingStream",
	'T': "Task", 't': "UnsafeCurrentTask",
}
