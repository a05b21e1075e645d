package swift

// kind is what a node of the tree is.
type kind uint8

// The kinds are those of Swift's own demangler, by the same names, where something
// depends on them. What is only printed is a phrase.
const (
	kindNone kind = iota

	// Entities, each printed with the context that it is in.
	kindClass
	kindStructure
	kindEnum
	kindProtocol
	kindTypeAlias
	kindOtherNominalType
	kindFunction
	kindBoundGenericFunction
	kindVariable
	kindSubscript
	kindAccessor  // the text is its name; of a variable or subscript
	kindAllocator // an init that allocates
	kindConstructor
	kindDestructor
	kindDeallocator
	kindIsolatedDeallocator
	kindIVarInitializer
	kindIVarDestroyer
	kindExplicitClosure
	kindImplicitClosure
	kindInitializer // of what the text says
	kindDefaultArgument
	kindMacro
	kindGenericTypeParamDecl
	kindAttachedMacro // the text is its role
	kindFreestandingMacro
	kindMacroUniqueName
	endOfEntities

	// Other contexts.
	kindModule
	kindExtension
	kindAnonymousContext
	kindStatic
	kindOpaqueReturnTypeOf
	kindAutoDiffFunction
	kindBuiltinTupleType
	endOfContexts

	// Names.
	kindIdentifier
	kindLocalDeclName
	kindPrivateDeclName
	kindRelatedEntityDeclName
	kindOperator // the text has the operator and its fixity
	kindLabelList
	endOfNames

	// Functions in types.
	kindFunctionType
	kindNoEscapeFunctionType
	kindUncurriedFunctionType
	kindAutoClosureType
	kindThinFunctionType
	kindCFunctionPointer
	kindObjCBlock
	kindEscapingObjCBlock
	endOfFunctionTypes

	kindArgumentTuple
	kindReturnType
	kindClangType
	kindSendingResult
	kindGlobalActor
	kindIsolatedAny
	kindNonIsolatedCaller
	kindDifferentiable
	kindThrows
	kindTypedThrows
	kindSendable
	kindAsync

	// Types.
	kindType
	kindTypeList
	kindTuple
	kindTupleElement
	kindTupleElementName
	kindBoundGenericClass
	kindBoundGenericStructure
	kindBoundGenericEnum
	kindBoundGenericProtocol
	kindBoundGenericOtherNominalType
	kindBoundGenericTypeAlias
	kindBuiltinTypeName
	kindSimpleType // a phrase that needs no parentheses
	kindSugaredOptional
	kindPackElement
	kindInOut
	kindMetatype
	kindExistentialMetatype
	kindProtocolList
	kindProtocolListWithClass
	kindProtocolListWithAnyObject
	kindSILBoxTypeWithLayout
	kindSILBoxLayout
	kindInteger
	kindOpaqueReturnType
	kindOpaqueType

	// Generics.
	kindAssociatedTypeRef
	kindGenericParam // by depth (text is empty, child 0) and index (child 1)
	kindDependentMemberType
	kindAssociatedTypeName
	kindAssociatedTypePath
	kindDependentGenericType
	kindGenericSignature
	kindGenericParamCount
	kindPackMarker
	kindValueMarker
	kindRequirement // the text is how its two sides are written
	kindInverseRequirement
	kindLayoutRequirement
	kindConstrainedExistentialRequirements

	// Functions of the intermediate language.
	kindImplFunctionType
	kindImplAttribute
	kindImplParameter
	kindImplResult // also a yield and an error; the text says which
	kindImplSendingResult
	kindImplPatternSubstitutions
	kindImplInvocationSubstitutions

	// Conformances.
	kindProtocolConformance
	kindConcreteConformance
	kindPackConformance
	kindDependentConformance // root, inherited or associated; the text says which
	kindOpaqueConformance
	kindConformanceRef // a phrase
	kindConformanceList
	kindRetroactiveConformance

	// What is put before the entity that it is about.
	kindAttribute      // the text is printed
	kindThunkAttribute // the text is printed, but not when simplified
	kindResumeFunction // the text is printed with its index, but not when simplified
	kindPartialApply
	kindSpecialization // the text describes it
	kindPartialSpecialization
	kindInlinedFunction
	kindSpecializationParam
	kindSpecializationPass
	kindSerialized
	kindAsyncRemoved
	kindRepresentationChanged
	kindDroppedArgument
	kindFunctionParam // of a function signature specialization
	kindFunctionResult
	kindFunctionParamKind
	kindFunctionParamPayload

	// The rest.
	kindGlobal
	kindSuffix
	kindTypeMangling
	kindPhrase // the text is a template; see print
	kindText
	kindNumber
	kindUnknownIndex
	kindEmptyList
	kindFirstElement
	kindVariadic
	kindValueWitness
	kindReabstractionThunk
	kindReabstractionThunkWithSelf
	kindKeyPathThunk
	kindKeyPathIndexThunk
	kindOnce
	kindDeclList
	kindMacroLocation
	kindCompletionHandler
	kindAutoDiffThunk
	kindAutoDiffSubsetThunk
	kindAutoDiffReorderingThunk
	kindAutoDiffKind
	kindDifferentiabilityWitness
	kindIndexSubset
)

// isContext reports whether declarations may be in it.
func isContext(k kind) bool {
	switch k {
	case kindMacro, kindGenericTypeParamDecl, kindAttachedMacro, kindFreestandingMacro, kindMacroUniqueName, kindBoundGenericFunction:
		return false
	}
	return k > kindNone && k < endOfContexts && k != endOfEntities
}

// isEntity reports whether thunks and the like may be for it. As in Swift, any type
// is taken too.
func isEntity(k kind) bool { return k == kindType || isContext(k) }

// isNominal reports whether it may have generic arguments.
func isNominal(k kind) bool {
	return k >= kindClass && k <= kindOtherNominalType || k == kindBuiltinTupleType
}

func isDeclName(k kind) bool { return k >= kindIdentifier && k <= kindOperator }

func isFunctionType(k kind) bool { return k >= kindFunctionType && k < endOfFunctionTypes }

func isRequirement(k kind) bool {
	return k >= kindPackMarker && k <= kindLayoutRequirement
}

func isConformance(k kind) bool {
	return k >= kindConcreteConformance && k <= kindOpaqueConformance
}

// isFunctionAttribute reports whether it is printed before the entity that follows it
// in the tree, and was mangled after that.
func isFunctionAttribute(k kind) bool {
	return k >= kindAttribute && k <= kindInlinedFunction
}

func isMacroExpansion(k kind) bool {
	return k == kindAttachedMacro || k == kindFreestandingMacro || k == kindMacroLocation
}

func isIsolation(k kind) bool {
	return k == kindGlobalActor || k == kindIsolatedAny || k == kindNonIsolatedCaller
}

// isPart reports whether it is nothing by itself.
func isPart(k kind) bool {
	return k >= kindEmptyList && k <= kindVariadic || k >= kindArgumentTuple && k <= kindAsync
}

func isThrows(k kind) bool { return k == kindThrows || k == kindTypedThrows }
