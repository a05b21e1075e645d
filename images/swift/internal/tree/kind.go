package tree

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes that the code distinguishes, named as in Swift's own demangler.
// Nodes that are only printed share one kind, Phrase.
const (
	None Kind = iota

	// Entities. Each is printed with its context.
	Class
	Structure
	Enum
	Protocol
	TypeAlias
	OtherNominalType
	Function
	BoundGenericFunction
	Variable
	Subscript
	Accessor  // of a variable or subscript; the text is its name
	Allocator // an init that allocates the object
	Constructor
	Destructor
	Deallocator
	IsolatedDeallocator
	IVarInitializer
	IVarDestroyer
	ExplicitClosure
	ImplicitClosure
	Initializer // computes an initial value; the text says of what
	DefaultArgument
	Macro
	GenericTypeParamDecl
	AttachedMacro // the text is its role
	FreestandingMacro
	MacroUniqueName
	EndOfEntities

	// Contexts other than nominal types.
	Module
	Extension
	AnonymousContext
	Static
	OpaqueReturnTypeOf
	AutoDiffFunction
	BuiltinTupleType
	endOfContexts

	// Names.
	Identifier
	LocalDeclName
	PrivateDeclName
	RelatedEntityDeclName
	Operator // the text has the operator and its fixity
	LabelList
	endOfNames

	// Functions in types.
	FunctionType
	NoEscapeFunctionType
	UncurriedFunctionType
	AutoClosureType
	ThinFunctionType
	CFunctionPointer
	ObjCBlock
	EscapingObjCBlock
	endOfFunctionTypes

	ArgumentTuple
	ReturnType
	ClangType
	SendingResult
	GlobalActor
	IsolatedAny
	NonIsolatedCaller
	Differentiable
	Throws
	TypedThrows
	Sendable
	Async

	// Types.
	Type
	TypeList
	Tuple
	TupleElement
	TupleElementName
	BoundGenericClass
	BoundGenericStructure
	BoundGenericEnum
	BoundGenericProtocol
	BoundGenericOtherNominalType
	BoundGenericTypeAlias
	BuiltinTypeName
	SimpleType // a phrase that needs no parentheses
	SugaredOptional
	PackElement
	InOut
	Metatype
	ExistentialMetatype
	ProtocolList
	ProtocolListWithClass
	ProtocolListWithAnyObject
	SILBoxTypeWithLayout
	SILBoxLayout
	Integer
	OpaqueReturnType
	OpaqueType

	// Generics.
	AssociatedTypeRef
	GenericParam // child 0 is the depth, child 1 the index
	DependentMemberType
	AssociatedTypeName
	AssociatedTypePath
	DependentGenericType
	GenericSignature
	GenericParamCount
	PackMarker
	ValueMarker
	Requirement // the text is a template for both sides
	InverseRequirement
	LayoutRequirement
	ConstrainedExistentialRequirements

	// Functions of the intermediate language.
	ImplFunctionType
	ImplAttribute
	ImplParameter
	ImplResult // also a yield and an error; the text says which
	ImplSendingResult
	ImplPatternSubstitutions
	ImplInvocationSubstitutions

	// Conformances.
	ProtocolConformance
	ConcreteConformance
	PackConformance
	DependentConformance // root, inherited or associated; the text says which
	OpaqueConformance
	ConformanceRef // the text is a template
	ConformanceList
	RetroactiveConformance

	// What precedes the entity that it belongs to.
	Attribute      // the text is printed
	ThunkAttribute // the text is printed, but not when simplified
	ResumeFunction // the text is printed with the index, but not when simplified
	PartialApply
	Specialization // the text describes it
	PartialSpecialization
	InlinedFunction
	SpecializationParam
	SpecializationPass
	Serialized
	AsyncRemoved
	RepresentationChanged
	DroppedArgument
	FunctionParam // the change of a parameter in a function signature specialization
	FunctionResult
	FunctionParamKind
	FunctionParamPayload

	// The rest.
	Global
	Suffix
	TypeMangling
	Phrase // the text is a template; see printer.template
	Text
	Number
	UnknownIndex
	EmptyList
	FirstElement
	Variadic
	ValueWitness
	ReabstractionThunk
	ReabstractionThunkWithSelf
	KeyPathThunk
	KeyPathIndexThunk
	Once
	DeclList
	MacroLocation
	CompletionHandler
	AutoDiffThunk
	AutoDiffSubsetThunk
	AutoDiffReorderingThunk
	AutoDiffKind
	DifferentiabilityWitness
	IndexSubset
)

// IsContext reports whether nodes of the kind can contain declarations.
func IsContext(k Kind) bool {
	switch k {
	case Macro, GenericTypeParamDecl, AttachedMacro, FreestandingMacro, MacroUniqueName, BoundGenericFunction:
		return false
	}
	return k > None && k < endOfContexts && k != EndOfEntities
}

// IsEntity reports whether a modifier, a thunk or an attribute can apply to a node of this kind: to a
// context or, as in Swift's own demangler, to any type.
func IsEntity(k Kind) bool { return k == Type || IsContext(k) }

// IsNominal reports whether the kind is a type that can have generic arguments.
func IsNominal(k Kind) bool {
	return k >= Class && k <= OtherNominalType || k == BuiltinTupleType
}

// IsDeclName reports whether the kind is the name of a declaration.
func IsDeclName(k Kind) bool { return k >= Identifier && k <= Operator }

// IsFunctionType reports whether the kind is a function type, of any convention.
func IsFunctionType(k Kind) bool { return k >= FunctionType && k < endOfFunctionTypes }

// IsRequirement reports whether the kind is a requirement or a marker in a generic
// signature.
func IsRequirement(k Kind) bool {
	return k >= PackMarker && k <= LayoutRequirement
}

// IsConformance reports whether the kind is a conformance that another one can depend
// on.
func IsConformance(k Kind) bool {
	return k >= ConcreteConformance && k <= OpaqueConformance
}

// IsFunctionAttribute reports whether a node of this kind describes a function. It is printed before
// the function's name and mangled after it.
func IsFunctionAttribute(k Kind) bool {
	return k >= Attribute && k <= InlinedFunction
}

// IsMacroExpansion reports whether the kind is a macro expansion that can contain
// another one.
func IsMacroExpansion(k Kind) bool {
	return k == AttachedMacro || k == FreestandingMacro || k == MacroLocation
}

// IsIsolation reports whether the kind says which actor a function is isolated to.
func IsIsolation(k Kind) bool {
	return k == GlobalActor || k == IsolatedAny || k == NonIsolatedCaller
}

// IsPart reports whether the kind is only a part of another node, and cannot be a
// whole name.
func IsPart(k Kind) bool {
	return k >= EmptyList && k <= Variadic || k >= ArgumentTuple && k <= Async
}

// IsThrows reports whether the kind says that a function throws.
func IsThrows(k Kind) bool { return k == Throws || k == TypedThrows }
