package tree

import "strings"

// VariableInitializer is the name of what computes the first value of a variable.
const VariableInitializer = "variable initialization expression"

// At returns the entry of a table for a letter, the zero value if the byte is beyond ASCII.
func At[T any](table *[128]T, c byte) (entry T) {
	if int(c) < len(table) {
		entry = table[c]
	}
	return entry
}

// Fixities has, by its letter, how an operator is used.
var Fixities = [128]string{'i': " infix", 'p': " prefix", 'P': " postfix"}

// operatorLetters are the characters of operators that a to z mean, a space
// where there is none.
const operatorLetters = "& @/= >    <*!|+?%-~   ^ ."

// OperatorText decodes an operator: each letter stands for a character, and one beyond ASCII for
// itself. It is false if a letter stands for none.
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

// DifferentiableAttributes has, by its letter, the attribute of a function type that can be
// differentiated.
var DifferentiableAttributes = [128]string{
	'f': "@differentiable(_forward) ", 'r': "@differentiable(reverse) ", 'd': "@differentiable ", 'l': "@differentiable(_linear) ",
}

// MetatypeRepresentations has, by its letter, how a metatype is represented.
var MetatypeRepresentations = [128]string{'t': "@thin", 'T': "@thick", 'o': "@objc_metatype"}

// Layouts are the names of layouts, and sizedLayouts whether one has a size, and an
// alignment.
var (
	Layouts = [128]string{
		'U': "_UnknownLayout", 'R': "_RefCountedObject", 'N': "_NativeRefCountedObject", 'C': "AnyObject",
		'D': "_NativeClass", 'T': "_Trivial", 'B': "_BridgeObject", 'E': "_Trivial", 'e': "_Trivial",
		'M': "_TrivialAtMost", 'm': "_TrivialAtMost", 'S': "_TrivialStride",
	}
	SizedLayouts = [128]int{'E': 2, 'e': 1, 'M': 2, 'm': 1, 'S': 1}
)

// BoundKinds has the kind that a node of each kind becomes when generic arguments are applied to it.
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

// TypePhrases has the templates for the operators after X that qualify a type.
var TypePhrases = [128]string{'o': "unowned %0", 'u': "unowned(unsafe) %0", 'w': "weak %0"}

// BuiltinNames has, by their letters, the names of the compiler's builtin types.
var BuiltinNames = [128]string{
	'A': "ImplicitActor", 'b': "BridgeObject", 'B': "UnsafeValueBuffer", 'e': "Executor", 'I': "IntLiteral",
	'O': "UnknownObject", 'o': "NativeObject", 'p': "RawPointer", 'j': "Job", 'D': "DefaultActorStorage",
	'd': "NonDefaultDistributedActorStorage", 'c': "RawUnsafeContinuation", 't': "SILToken", 'w': "Word",
	'P': "PackIndex",
}

// BuiltinPrefix begins the printed names of builtin types.
const BuiltinPrefix = "Builtin."

// NoDerivativeMark is printed before a parameter or result that is not differentiated.
const NoDerivativeMark = "@noDerivative "

// The modules that names have an operator for.
const (
	SwiftModule = "Swift"
	ObjCModule  = "__C"
	ClangModule = "__C_Synthesized"
)

// Marks before the names below; a name without one is that of a structure.
const (
	markProtocol = "@"
	markEnum     = "|"
	markClass    = "#"
)

// StandardType returns a name without its mark, and the kind that the mark stands for.
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

// The names of accessors; those of addressors follow an a if they are for writing
// and an l if for reading.
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

// AccessorNode makes the accessor of that name of a variable or subscript, nil without a name.
func (a *Arena) AccessorNode(name string, storage *Node) *Node {
	if name == "" {
		return nil
	}
	return a.WithText(Accessor, name, storage)
}

// valueWitnesses are the operations that each type has, by their two letters.
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

// ValueWitnessNode makes the value witness of that name for a type, nil without a name.
func (a *Arena) ValueWitnessNode(name string, t *Node) *Node {
	if name == "" {
		return nil
	}
	return a.WithText(ValueWitness, name, t)
}

// The ways in which the optimizer specialized a function for a parameter. The flags among
// them may be combined.
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
