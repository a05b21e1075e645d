package format

// pprofTables writes the tables as the fields of a pprof profile (proto/profile.proto).
type pprofTables struct {
	emit    func(field int, m message)
	scratch message
}

func (t *pprofTables) string(s string) { t.emit(pprofString, message(s)) }

func (t *pprofTables) function(id uint64, f frameFunction) {
	t.scratch = t.scratch[:0].number(1, id).signed(2, f.name).signed(3, f.raw).signed(4, f.file)
	t.emit(pprofFunctions, t.scratch)
}

// location writes the lines from the innermost function out.
func (t *pprofTables) location(p *place, m *mapping) {
	body := message(nil).number(1, p.id).number(2, m.id).number(3, uint64(p.address))
	for at := p; at != nil; at = at.outer {
		line := message(nil).number(1, at.function).signed(2, int64(at.line)).signed(3, int64(at.column))
		body = body.inner(4, line)
	}
	t.emit(pprofLocation, body)
}

func (t *pprofTables) mapping(tables *frameTables, m *mapping) {
	buildID := tables.string(imageID(m.os, m.image.ID))
	t.scratch = t.scratch[:0].number(1, m.id).number(2, uint64(m.image.Load)).number(3, uint64(m.image.End)).
		signed(5, m.path).signed(6, buildID).
		flag(7, m.image.Symbols).flag(8, m.lines).flag(9, m.lines).flag(10, m.inlineCall)
	t.emit(pprofMapping, t.scratch)
}
