package tree

import "strings"

// VariableInitializer describes the function that computes the initial value of a
// variable.
const VariableInitializer = "variable initialization expression"

// At returns the entry of a table for a letter, or the zero value if the byte is not
// ASCII.
func At[T any](table *[128]T, c byte) (entry T) {
	if int(c) < len(table) {
		entry = table[c]
	}
	return entry
}

// Fixities are the fixities of operators, by letter.
var Fixities = [128]string{'i': " infix", 'p': " prefix", 'P': " postfix"}

// operatorLetters are the operator characters that the letters a to z encode. A space
// is an unused letter.
const operatorLetters = "& @/= >    <*!|+?%-~   ^ ."

// OperatorText decodes an operator: each letter encodes a character, and bytes beyond
// ASCII are unchanged. It reports false if a letter is unused.
func OperatorText(letters string) (string, bool) {
	b := make([]byte, 0, len(letters))
	for i := range len(letters) {
		c := letters[i]
		if c < 0x80 {
			if !IsLower(c) || operatorLetters[c-'a'] == ' ' {
				return "", false
			}
			c = operatorLetters[c-'a']
		}
		b = append(b, c)
	}
	return string(b), true
}

// DifferentiableAttributes are the attributes of differentiable function types, by
// letter.
var DifferentiableAttributes = [128]string{
	'f': "@differentiable(_forward) ", 'r': "@differentiable(reverse) ", 'd': "@differentiable ", 'l': "@differentiable(_linear) ",
}

// MetatypeRepresentations are the representations of metatypes, by letter.
var MetatypeRepresentations = [128]string{'t': "@thin", 'T': "@thick", 'o': "@objc_metatype"}

// Layouts are the names of layouts, by letter. SizedLayouts is the number of integers
// that follow a layout: 1 for a size, 2 for a size and an alignment.
var (
	Layouts = [128]string{
		'U': "_UnknownLayout", 'R': "_RefCountedObject", 'N': "_NativeRefCountedObject", 'C': "AnyObject",
		'D': "_NativeClass", 'T': "_Trivial", 'B': "_BridgeObject", 'E': "_Trivial", 'e': "_Trivial",
		'M': "_TrivialAtMost", 'm': "_TrivialAtMost", 'S': "_TrivialStride",
	}
	SizedLayouts = [128]int{'E': 2, 'e': 1, 'M': 2, 'm': 1, 'S': 1}
)

// BoundKinds has, for each kind, the kind of the node that applies generic arguments
// to it.
var BoundKinds = [...]Kind{
	Class:            BoundGenericClass,
	Structure:        BoundGenericStructure,
	Enum:             BoundGenericEnum,
	Protocol:         BoundGenericProtocol,
	TypeAlias:        BoundGenericTypeAlias,
	OtherNominalType: BoundGenericOtherNominalType,
	Function:         BoundGenericFunction,
	Constructor:      BoundGenericFunction,
}

// TypePhrases are the templates of the operators after X that qualify a type.
var TypePhrases = [128]string{'o': "unowned %0", 'u': "unowned(unsafe) %0", 'w': "weak %0"}

// BuiltinNames are the names of the compiler's builtin types, by letter.
var BuiltinNames = [128]string{
	'A': "ImplicitActor", 'b': "BridgeObject", 'B': "UnsafeValueBuffer", 'e': "Executor", 'I': "IntLiteral",
	'O': "UnknownObject", 'o': "NativeObject", 'p': "RawPointer", 'j': "Job", 'D': "DefaultActorStorage",
	'd': "NonDefaultDistributedActorStorage", 'c': "RawUnsafeContinuation", 't': "SILToken", 'w': "Word",
	'P': "PackIndex",
}

// BuiltinPrefix precedes the names of builtin types in a rendering.
const BuiltinPrefix = "Builtin."

// NoDerivativeMark is printed before a parameter or result that is not
// differentiated.
const NoDerivativeMark = "@noDerivative "

// Modules with an operator of their own.
const (
	SwiftModule = "Swift"
	ObjCModule  = "__C"
	ClangModule = "__C_Synthesized"
)

// Marks before the type names in tables; a name without a mark is a structure's.
const (
	markProtocol = "@"
	markEnum     = "|"
	markClass    = "#"
)

// StandardType returns a name without its mark, and the kind that the mark means.
func StandardType(marked string) (name string, k Kind) {
	switch {
	case strings.HasPrefix(marked, markProtocol):
		return marked[1:], Protocol
	case strings.HasPrefix(marked, markEnum):
		return marked[1:], Enum
	case strings.HasPrefix(marked, markClass):
		return marked[1:], Class
	}
	return marked, Structure
}

// The names of accessors, by letter. Addressors have two letters: the first is a for
// a mutable addressor and l for another one, the second is here.
var (
	AccessorNames = [128]string{
		'm': "materializeForSet", 's': "setter", 'g': "getter", 'G': "getter", 'w': "willset", 'W': "didset",
		'r': "read", 'y': "read2", 'M': "modify", 'x': "modify2", 'i': "init", 'b': "borrow", 'z': "mutate",
	}
	MutableAddressorNames = [128]string{
		'O': "owningMutableAddressor", 'o': "nativeOwningMutableAddressor", 'P': "nativePinningMutableAddressor",
		'u': "unsafeMutableAddressor",
	}
	AddressorNames = [128]string{
		'O': "owningAddressor", 'o': "nativeOwningAddressor", 'p': "nativePinningAddressor", 'u': "unsafeAddressor",
	}
)

// AccessorNode makes an accessor of a variable or subscript, nil if name is "".
func (a *Arena) AccessorNode(name string, storage *Node) *Node {
	if name == "" {
		return nil
	}
	return a.WithText(Accessor, name, storage)
}

// valueWitnesses are the operations that every type has, by their two letters.
var valueWitnesses = [...]struct{ code, name string }{
	{"al", "allocateBuffer"}, {"ca", "assignWithCopy"}, {"ta", "assignWithTake"}, {"de", "deallocateBuffer"},
	{"xx", "destroy"}, {"XX", "destroyBuffer"}, {"Xx", "destroyArray"}, {"CP", "initializeBufferWithCopyOfBuffer"},
	{"Cp", "initializeBufferWithCopy"}, {"cp", "initializeWithCopy"}, {"Tk", "initializeBufferWithTake"},
	{"tk", "initializeWithTake"}, {"pr", "projectBuffer"}, {"TK", "initializeBufferWithTakeOfBuffer"},
	{"Cc", "initializeArrayWithCopy"}, {"Tt", "initializeArrayWithTakeFrontToBack"},
	{"tT", "initializeArrayWithTakeBackToFront"}, {"xs", "storeExtraInhabitant"}, {"xg", "getExtraInhabitantIndex"},
	{"ug", "getEnumTag"}, {"up", "destructiveProjectEnumData"}, {"ui", "destructiveInjectEnumTag"},
	{"et", "getEnumTagSinglePayload"}, {"st", "storeEnumTagSinglePayload"},
}

// ValueWitnessName reads the two letters of a value witness and returns its name, "" if there is none.
func (c *Cursor) ValueWitnessName() string {
	for _, w := range &valueWitnesses {
		if c.AcceptString(w.code) {
			return w.name
		}
	}
	return ""
}

// ValueWitnessNode makes a value witness of a type, nil if name is "".
func (a *Arena) ValueWitnessNode(name string, t *Node) *Node {
	if name == "" {
		return nil
	}
	return a.WithText(ValueWitness, name, t)
}

// Changes that the optimizer makes to a parameter when it specializes a function.
// Those from ParamDead on are flags, which can be combined.
const (
	ParamFunction = iota
	ParamGlobal
	ParamInteger
	ParamFloat
	ParamString
	ParamClosure
	ParamBoxToValue
	ParamBoxToStack
	ParamInOutToOut
	ParamKeyPath
	ParamStruct
	ParamSameClosure

	ParamDead                 = 1 << 6
	ParamOwnedToGuaranteed    = 1 << 7
	ParamExploded             = 1 << 8
	ParamGuaranteedToOwned    = 1 << 9
	ParamExistentialToGeneric = 1 << 10
)
