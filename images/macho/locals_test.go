package macho

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
)

// localTable is nlists of section 1, and their names.
func localTable(symbols map[string]uint64) (nlists, names *io.SectionReader) {
	var list []byte
	text := []byte{0}
	for name, value := range symbols {
		list = binary.LittleEndian.AppendUint32(list, uint32(len(text)))
		list = binary.LittleEndian.AppendUint64(append(list, nSect, 1, 0, 0), value)
		text = append(append(text, name...), 0)
	}
	open := func(b []byte) *io.SectionReader { return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))) }
	return open(list), open(text)
}

// TestLocals names a function whose name was taken out by the symbols that were given
// besides, by none that begins before it, and no other one.
func TestLocals(t *testing.T) {
	const text = base + machotest.Text
	b := synthetic(nil, true, cpuARM64).Encode()
	open := func() *File { return newTestFile(t, b, Want{}) }
	for _, c := range []struct {
		locals map[string]uint64
		at     uint64
		want   string
	}{
		{map[string]uint64{"_taken": text + 0x80}, text + 0x88, "taken"},
		{map[string]uint64{"_taken": text + 0x80, "_later": text + 0x88}, text + 0x87, "taken"},
		{map[string]uint64{"_before": text + 0x7c}, text + 0x88, ""},
		{map[string]uint64{"_other": text + 0x70}, text + 0x74, "-[Object method:]"},
		{nil, text + 0x88, ""},
	} {
		f := open()
		f.SetLocals(localTable(c.locals))
		if got, ok := f.Symbol(c.at); ok != (c.want != "") || ok && got.Name != c.want {
			t.Errorf("%v: %#x is %+v, %v; want %q", c.locals, c.at, got, ok, c.want)
		}
	}
	f := open()
	budget := object.NewBudget(entryBytes, 1<<20)
	f.Limit(budget)
	f.SetLocals(localTable(map[string]uint64{"_a": text + 0x80, "_b": text + 0x84}))
	if got := f.locals(); got != nil || !budget.Keep(entryBytes) {
		t.Errorf("a table beyond the budget: %+v", got)
	}
}
