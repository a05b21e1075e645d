package otlp

import (
	"hash"

	"stacksnap/format/internal/frametable"
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/words"
)

// otlpTables has the rows of OpenTelemetry's ProfilesDictionary. Row 0 of each table is
// empty, as the protocol requires.
type otlpTables struct {
	mappings, locations, functions, texts protobuf.Message
	attributes, stacks                    otlpRows
	scratch                               protobuf.Message
	digested                              [6]int // bytes of each table that are in the hash
}

// The fields of ProfilesDictionary.
const (
	otlpMappings        = 1
	otlpLocations       = 2
	otlpFunctions       = 3
	otlpLinks           = 4
	otlpStrings         = 5
	otlpAttributesTable = 6
	otlpStacks          = 7
)

func (t *otlpTables) AddString(s string) {
	t.texts = t.texts.Inner(otlpStrings, protobuf.Message(s))
}

func (t *otlpTables) AddFunction(_ uint64, f frametable.Function) {
	t.scratch = t.scratch[:0].Signed(1, f.Name).Signed(2, f.Raw).Signed(3, f.File)
	t.functions = t.functions.Inner(otlpFunctions, t.scratch)
}

// AddLocation adds a location, with its lines from the innermost function outwards.
func (t *otlpTables) AddLocation(tables *frametable.Tables, p *frametable.Place, m *frametable.Mapping) {
	body := protobuf.Message(nil).Number(1, m.ID).Number(2, uint64(p.Address))
	for at := p; at != nil; at = at.Outer {
		line := protobuf.Message(nil).Number(1, at.Function).Signed(2, int64(at.Line)).Signed(3, int64(at.Column))
		body = body.Inner(3, line)
	}
	if p.Type != "" {
		body = body.Packed(4, []uint64{t.attribute(tables.String("profile.frame.type"), textValue(string(p.Type)), 0)})
	}
	t.locations = t.locations.Inner(otlpLocations, body)
}

// AddMapping adds an image. Its offset in the file is unknown, and written as 0, the
// offset of the file's header.
func (t *otlpTables) AddMapping(tables *frametable.Tables, m *frametable.Mapping) {
	body := protobuf.Message(nil).Number(1, uint64(m.Image.Load)).Number(2, uint64(m.Image.End)).Signed(4, m.Path)
	if id := words.ImageID(m.OS, m.Image.ID); id != "" {
		body = body.Packed(5, []uint64{t.attribute(tables.String(buildIDKey(m.OS)), textValue(id), 0)})
	}
	t.mappings = t.mappings.Inner(otlpMappings, body)
}

// attribute returns the number of the attribute with that key, value and unit. It adds a
// row if there is none.
func (t *otlpTables) attribute(key int64, value anyValue, unit int64) uint64 {
	t.scratch = t.scratch[:0].Signed(1, key).Inner(2, protobuf.Message(value)).Signed(3, unit)
	return t.attributes.once(otlpAttributesTable, t.scratch)
}

// stack returns the number of the stack with those locations, innermost first. It adds a
// row if there is none.
func (t *otlpTables) stack(locations []uint64) uint64 {
	t.scratch = t.scratch[:0].Packed(1, locations)
	return t.stacks.once(otlpStacks, t.scratch)
}

// otlpRows are rows of a table without duplicates.
type otlpRows struct {
	protobuf.Message
	numbers map[string]uint64
}

// once returns the number of a row, and adds it if it is new.
func (r *otlpRows) once(field int, row protobuf.Message) uint64 {
	n, ok := r.numbers[string(row)]
	if !ok {
		if r.numbers == nil {
			r.numbers = map[string]uint64{}
		}
		n = uint64(len(r.numbers)) + 1 // row 0 is empty
		r.numbers[string(row)] = n
		r.Message = r.Inner(field, row)
	}
	return n
}

// digest adds the rows that are new since the last call to a hash.
func (t *otlpTables) digest(to hash.Hash) {
	for i, rows := range [...]protobuf.Message{t.texts, t.functions, t.mappings, t.locations, t.attributes.Message, t.stacks.Message} {
		_, _ = to.Write(rows[t.digested[i]:]) // a hash never fails
		t.digested[i] = len(rows)
	}
}

// dictionary returns all tables, each with its empty first row.
func (t *otlpTables) dictionary() protobuf.Message {
	var m protobuf.Message
	for _, table := range []struct {
		field int
		rows  protobuf.Message
	}{
		{otlpMappings, t.mappings}, {otlpLocations, t.locations}, {otlpFunctions, t.functions},
		{otlpLinks, nil}, {otlpAttributesTable, t.attributes.Message}, {otlpStacks, t.stacks.Message},
	} {
		m = append(m.Inner(table.field, nil), table.rows...)
	}
	return append(m, t.texts...) // the first string is the empty one already
}
