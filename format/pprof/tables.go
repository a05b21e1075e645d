package pprof

import (
	"stacksnap/format/internal/frametable"
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/words"
)

// pprofTables writes rows of the tables as fields of a pprof profile (proto/profile.proto).
type pprofTables struct {
	emit    func(field int, m protobuf.Message)
	scratch protobuf.Message
}

func (t *pprofTables) AddString(s string) { t.emit(pprofString, protobuf.Message(s)) }

func (t *pprofTables) AddFunction(id uint64, f frametable.Function) {
	t.scratch = t.scratch[:0].Number(1, id).Signed(2, f.Name).Signed(3, f.Raw).Signed(4, f.File)
	t.emit(pprofFunctions, t.scratch)
}

// AddLocation writes a location, with its lines from the innermost function outwards.
func (t *pprofTables) AddLocation(_ *frametable.Tables, p *frametable.Place, m *frametable.Mapping) {
	body := protobuf.Message(nil).Number(1, p.ID).Number(2, m.ID).Number(3, uint64(p.Address))
	for at := p; at != nil; at = at.Outer {
		line := protobuf.Message(nil).Number(1, at.Function).Signed(2, int64(at.Line)).Signed(3, int64(at.Column))
		body = body.Inner(4, line)
	}
	t.emit(pprofLocation, body)
}

func (t *pprofTables) AddMapping(tables *frametable.Tables, m *frametable.Mapping) {
	buildID := tables.String(words.ImageID(m.OS, m.Image.ID))
	t.scratch = t.scratch[:0].Number(1, m.ID).Number(2, uint64(m.Image.Load)).Number(3, uint64(m.Image.End)).
		Signed(5, m.Path).Signed(6, buildID).
		Flag(7, m.Image.Symbols).Flag(8, m.Lines).Flag(9, m.Lines).Flag(10, m.InlineCall)
	t.emit(pprofMapping, t.scratch)
}
