package swift

import (
	"stacksnap/images/swift/internal/tree"
)

// operand is the kind of operand that an operator pops.
type operand uint8

const (
	operandType operand = iota
	operandAny
	operandProtocol
	operandConformance
	operandEntity
	operandContext
	operandModule
	operandInner // a nominal type, without its Type node
	operandAssociatedType
)

// popOperand pops an operand.
func (p *parser) popOperand(o operand) *tree.Node {
	switch o {
	case operandType:
		return p.popType()
	case operandProtocol:
		return p.popProtocol()
	case operandConformance:
		return p.popConformance()
	case operandEntity:
		return p.popIf(tree.IsEntity)
	case operandContext:
		return p.popContext()
	case operandModule:
		return p.popModule()
	case operandInner:
		return p.popNominal()
	case operandAssociatedType:
		return p.popAssociatedTypeName()
	}
	return p.popAny()
}

// unary is an operator with one operand, and the template that prints it.
type unary struct {
	before  string
	operand operand
}

// of makes the node of an operator with one operand, nil if the operator is unknown
// or the operand is missing.
func (p *parser) of(u unary) *tree.Node {
	if u.before == "" {
		return nil
	}
	return p.Phrase(u.before, p.popOperand(u.operand))
}

// metadataOperators are the operators after M: metadata by which the runtime knows
// types.
var metadataOperators = [128]unary{
	'a': {"type metadata accessor for %0", operandType},
	'A': {"reflection metadata associated type descriptor %0", operandConformance},
	'b': {"canonical specialized generic type metadata accessor for %0", operandType},
	'B': {"reflection metadata builtin descriptor %0", operandType},
	'c': {"protocol conformance descriptor for %0", operandConformance},
	'C': {"reflection metadata superclass descriptor %0", operandInner},
	'D': {"demangling cache variable for type metadata for %0", operandType},
	'f': {"full type metadata for %0", operandType},
	'F': {"reflection metadata field descriptor %0", operandType},
	'g': {"opaque type descriptor accessor for %0", operandAny},
	'h': {"opaque type descriptor accessor impl for %0", operandAny},
	'i': {"type metadata instantiation function for %0", operandType},
	'I': {"type metadata instantiation cache for %0", operandType},
	'j': {"opaque type descriptor accessor key for %0", operandAny},
	'J': {"cache variable for noncanonical specialized generic type metadata for %0", operandAny},
	'k': {"opaque type descriptor accessor var for %0", operandAny},
	'K': {"metadata instantiation cache for %0", operandAny},
	'l': {"type metadata singleton initialization cache for %0", operandType},
	'L': {"lazy cache variable for type metadata for %0", operandType},
	'm': {"metaclass for %0", operandType},
	'M': {"specialized generic metaclass for %0", operandType},
	'n': {"nominal type descriptor for %0", operandType},
	'N': {"noncanonical specialized generic type metadata for %0", operandType},
	'o': {"class metadata base offset for %0", operandType},
	'p': {"protocol descriptor for %0", operandProtocol},
	'P': {"generic type metadata pattern for %0", operandType},
	'q': {"uniquable %0", operandAny},
	'Q': {"opaque type descriptor for %0", operandAny},
	'r': {"type metadata completion function for %0", operandType},
	's': {"ObjC resilient class stub for %0", operandType},
	'S': {"protocol self-conformance descriptor for %0", operandProtocol},
	't': {"full ObjC resilient class stub for %0", operandType},
	'u': {"method lookup function for %0", operandType},
	'U': {"ObjC metadata update function for %0", operandType},
	'V': {"property descriptor for %0", operandEntity},
	'z': {"flag for loading of canonical specialized generic type metadata for %0", operandType},
}

func (p *parser) metadata() *tree.Node {
	c := p.Next()
	if c == 'X' {
		return p.contextDescriptor()
	}
	return p.of(tree.At(&metadataOperators, c))
}

func (p *parser) typeMetadata() *tree.Node { return p.of(unary{"type metadata for %0", operandType}) }

// contextDescriptor reads the runtime's descriptor of a context.
func (p *parser) contextDescriptor() *tree.Node {
	switch p.Next() {
	case 'E':
		return p.of(unary{"extension descriptor %0", operandContext})
	case 'M':
		return p.of(unary{"module descriptor %0", operandModule})
	case 'X':
		return p.of(unary{"anonymous descriptor %0", operandContext})
	case 'Y':
		discriminator := p.popAny()
		return p.Phrase("anonymous descriptor %0", p.popContext(), discriminator)
	case 'A':
		path := p.popAssociatedTypePath()
		return p.Phrase("generic parameter reference for associated type %0%1", p.popType(), path)
	}
	return nil
}

// witnessOperators are the operators after W with one operand: tables by which types
// implement protocols.
var witnessOperators = [128]unary{
	'C': {"enum case for %0", operandEntity},
	'V': {"value witness table for %0", operandType},
	'S': {"protocol self-conformance witness table for %0", operandProtocol},
	'P': {"protocol witness table for %0", operandConformance},
	'p': {"protocol witness table pattern for %0", operandConformance},
	'G': {"generic protocol witness table for %0", operandConformance},
	'I': {"instantiation function for generic protocol witness table for %0", operandConformance},
	'r': {"resilient protocol witness table for %0", operandConformance},
	'a': {"protocol witness table accessor for %0", operandConformance},
}

func (p *parser) witness() *tree.Node {
	c := p.Next()
	if u := tree.At(&witnessOperators, c); u.before != "" {
		return p.of(u)
	}
	switch c {
	case 'v':
		return p.fieldOffset()
	case 'l':
		conformance := p.popConformance()
		return p.Phrase("lazy protocol witness table accessor for type %0 and conformance %1", p.popType(), conformance)
	case 'L':
		conformance := p.popConformance()
		return p.Phrase("lazy protocol witness table cache variable for type %0 and conformance %1", p.popType(), conformance)
	case 't':
		name := p.popIf(tree.IsDeclName)
		return p.Phrase("associated type metadata accessor for %1 in %0", p.popConformance(), name)
	case 'T':
		protocol := p.popType()
		path := p.popAssociatedTypePath()
		return p.Phrase("associated type witness table accessor for %1 : %2 in %0", p.popConformance(), path, protocol)
	case 'b':
		protocol := p.popType()
		return p.Phrase("base witness table accessor for %1 in %0", p.popConformance(), protocol)
	case 'O':
		return p.outlined()
	case 'Z', 'z':
		return p.once(c)
	case 'J':
		return p.differentiabilityWitness()
	}
	return nil
}

func (p *parser) fieldOffset() *tree.Node {
	switch p.Next() {
	case 'd':
		return p.of(unary{"direct field offset for %0", operandEntity})
	case 'i':
		return p.of(unary{"indirect field offset for %0", operandEntity})
	}
	return nil
}

// outlinedOperations are the operators after WO: operations on values that the
// compiler moved to a function of their own.
var outlinedOperations = [128]string{
	'B': "init with take of %0", 'C': "init with copy of %0", 'D': "assign with take of %0",
	'F': "assign with copy of %0", 'H': "destroy of %0", 'y': "copy of %0%1", 'e': "consume of %0%1",
	'r': "retain of %0", 's': "release of %0", 'b': "init with take of %0", 'c': "init with copy of %0",
	'd': "assign with take of %0", 'f': "assign with copy of %0", 'h': "destroy of %0", 'g': "enum get tag of %0",
	'i': "enum tag store of %0", 'j': "enum project data for load of %0",
}

// outlined pops the type and the generic signature of an outlined operation.
func (p *parser) outlined() *tree.Node {
	c := p.Next()
	operation := tree.At(&outlinedOperations, c)
	if operation == "" || (c == 'i' || c == 'j') && p.Index() < 0 {
		return nil
	}
	signature := p.pop(tree.GenericSignature)
	t := p.popType()
	if signature == nil {
		signature = p.Leaf(tree.Text)
	}
	return p.Phrase("outlined "+operation, t, signature)
}

// once reads the one-time initialization of variables: its function or its token.
func (p *parser) once(c byte) *tree.Node {
	list := p.Leaf(tree.DeclList)
	for p.pop(tree.FirstElement) != nil {
		if tree.Add(list, p.popIf(tree.IsDeclName)) == nil {
			return nil
		}
	}
	list.Reverse(0)
	text := "one-time initialization token for %1"
	if c == 'Z' {
		text = "one-time initialization function for %1"
	}
	return p.Phrase(text, p.popContext(), list)
}

func (p *parser) valueWitness() *tree.Node {
	name := p.ValueWitnessName()
	return p.ValueWitnessNode(name, p.popType())
}
