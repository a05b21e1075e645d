package format

import "hash"

// otlpTables are the rows of OpenTelemetry's ProfilesDictionary. The first of each
// table stands for nothing, and is there from the start.
type otlpTables struct {
	mappings, locations, functions, texts message
	attributes, stacks                    otlpRows
	scratch                               message
	digested                              [6]int // bytes of each table
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

func (t *otlpTables) string(s string) {
	t.texts = t.texts.inner(otlpStrings, message(s))
}

func (t *otlpTables) function(_ uint64, f frameFunction) {
	t.scratch = t.scratch[:0].signed(1, f.name).signed(2, f.raw).signed(3, f.file)
	t.functions = t.functions.inner(otlpFunctions, t.scratch)
}

// location adds the lines from the innermost function out.
func (t *otlpTables) location(p *place, m *mapping) {
	body := message(nil).number(1, m.id).number(2, uint64(p.address))
	for at := p; at != nil; at = at.outer {
		line := message(nil).number(1, at.function).signed(2, int64(at.line)).signed(3, int64(at.column))
		body = body.inner(3, line)
	}
	t.locations = t.locations.inner(otlpLocations, body)
}

// mapping adds an image. Where in its file it begins is not known, and left at the start,
// where an image has its header.
func (t *otlpTables) mapping(tables *frameTables, m *mapping) {
	body := message(nil).number(1, uint64(m.image.Load)).number(2, uint64(m.image.End)).signed(4, m.path)
	if id := imageID(m.os, m.image.ID); id != "" {
		body = body.packed(5, []uint64{t.attribute(tables.string(buildIDKey(m.os)), textValue(id), 0)})
	}
	t.mappings = t.mappings.inner(otlpMappings, body)
}

// attribute returns the number of a value under a key, with a unit; each is there once.
func (t *otlpTables) attribute(key int64, value anyValue, unit int64) uint64 {
	t.scratch = t.scratch[:0].signed(1, key).inner(2, message(value)).signed(3, unit)
	return t.attributes.once(otlpAttributesTable, t.scratch)
}

// stack returns the number of locations, the innermost first; the same are there once.
func (t *otlpTables) stack(locations []uint64) uint64 {
	t.scratch = t.scratch[:0].packed(1, locations)
	return t.stacks.once(otlpStacks, t.scratch)
}

// otlpRows are rows of which no two are the same.
type otlpRows struct {
	message
	numbers map[string]uint64
}

// once returns the number of a row, which is added where it is new.
func (r *otlpRows) once(field int, row message) uint64 {
	n, ok := r.numbers[string(row)]
	if !ok {
		if r.numbers == nil {
			r.numbers = map[string]uint64{}
		}
		n = uint64(len(r.numbers)) + 1 // behind the first, which stands for nothing
		r.numbers[string(row)] = n
		r.message = r.inner(field, row)
	}
	return n
}

// digest adds the rows to a hash that are not in it yet.
func (t *otlpTables) digest(to hash.Hash) {
	for i, rows := range [...]message{t.texts, t.functions, t.mappings, t.locations, t.attributes.message, t.stacks.message} {
		_, _ = to.Write(rows[t.digested[i]:]) // a hash takes all
		t.digested[i] = len(rows)
	}
}

// dictionary is all tables, each behind its first row.
func (t *otlpTables) dictionary() message {
	var m message
	for _, table := range []struct {
		field int
		rows  message
	}{
		{otlpMappings, t.mappings}, {otlpLocations, t.locations}, {otlpFunctions, t.functions},
		{otlpLinks, nil}, {otlpAttributesTable, t.attributes.message}, {otlpStacks, t.stacks.message},
	} {
		m = append(m.inner(table.field, nil), table.rows...)
	}
	return append(m, t.texts...) // whose first row is a text like the others
}
