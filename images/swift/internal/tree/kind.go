package tree

// Kind is what a node of the tree is.
type Kind uint8

// The kinds of nodes that the code distinguishes, with the names of Swift's own demangler.
// Nodes that are only printed are of a common kind, Phrase.
const (
	None Kind = iota

	// Entities, each printed with the context that it is in.
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
	Accessor  // the text is its name; of a variable or subscript
	Allocator // an init that allocates
	Constructor
	Destructor
	Deallocator
	IsolatedDeallocator
	IVarInitializer
	IVarDestroyer
	ExplicitClosure
	ImplicitClosure
	Initializer // of what the text says
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
	GenericParam // by depth (text is empty, child 0) and index (child 1)
	DependentMemberType
	AssociatedTypeName
	AssociatedTypePath
	DependentGenericType
	GenericSignature
	GenericParamCount
	PackMarker
	ValueMarker
	Requirement // the text is how its two sides are written
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
	ConformanceRef // a phrase
	ConformanceList
	RetroactiveConformance

	// What is put before the entity that it is about.
	Attribute      // the text is printed
	ThunkAttribute // the text is printed, but not when simplified
	ResumeFunction // the text is printed with its index, but not when simplified
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
	FunctionParam // of a function signature specialization
	FunctionResult
	FunctionParamKind
	FunctionParamPayload

	// The rest.
	Global
	Suffix
	TypeMangling
	Phrase // the text is a template; see print
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

// IsContext reports whether a node of the kind can contain declarations.
func IsContext(k Kind) bool {
	switch k {
	case Macro, GenericTypeParamDecl, AttachedMacro, FreestandingMacro, MacroUniqueName, BoundGenericFunction:
		return false
	}
	return k > None && k < endOfContexts && k != EndOfEntities
}

// IsEntity reports whether a thunk or attribute can be for a node of the kind: a context or, as in
// Swift's own demangler, any type.
func IsEntity(k Kind) bool { return k == Type || IsContext(k) }

// IsNominal reports whether it is a type that can have generic arguments.
func IsNominal(k Kind) bool {
	return k >= Class && k <= OtherNominalType || k == BuiltinTupleType
}

// IsDeclName reports whether it is the name of a declaration.
func IsDeclName(k Kind) bool { return k >= Identifier && k <= Operator }

// IsFunctionType reports whether it is the type of a function, in any convention.
func IsFunctionType(k Kind) bool { return k >= FunctionType && k < endOfFunctionTypes }

// IsRequirement reports whether it is a requirement or a marker of a generic signature.
func IsRequirement(k Kind) bool {
	return k >= PackMarker && k <= LayoutRequirement
}

// IsConformance reports whether it is a conformance that another may need.
func IsConformance(k Kind) bool {
	return k >= ConcreteConformance && k <= OpaqueConformance
}

// IsFunctionAttribute reports whether it is printed before the entity that follows it
// in the tree, and was mangled after that.
func IsFunctionAttribute(k Kind) bool {
	return k >= Attribute && k <= InlinedFunction
}

// IsMacroExpansion reports whether it is the expansion of a macro, which other expansions may be in.
func IsMacroExpansion(k Kind) bool {
	return k == AttachedMacro || k == FreestandingMacro || k == MacroLocation
}

// IsIsolation reports whether it says to which actor a function is isolated.
func IsIsolation(k Kind) bool {
	return k == GlobalActor || k == IsolatedAny || k == NonIsolatedCaller
}

// IsPart reports whether it is only a part of another node, and no name by itself.
func IsPart(k Kind) bool {
	return k >= EmptyList && k <= Variadic || k >= ArgumentTuple && k <= Async
}

// IsThrows reports whether it says that a function throws.
func IsThrows(k Kind) bool { return k == Throws || k == TypedThrows }
