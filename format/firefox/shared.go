package firefox

import (
	"encoding/hex"

	"stacksnap/format/words"
	"stacksnap/task"
)

// firefoxLib is an image.
type firefoxLib struct {
	Arch      string  `json:"arch"`
	Name      string  `json:"name"`
	Path      string  `json:"path"`
	DebugName string  `json:"debugName"`
	DebugPath string  `json:"debugPath"`
	Breakpad  string  `json:"breakpadId"`
	Code      *string `json:"codeId"`
}

// tables writes the tables that threads refer to.
func (o *firefoxWriter) tables() {
	o.Column("libs", len(o.libs.All), o.lib)
	o.Text(",\n\"shared\":{\"stackTable\":{")
	o.stackTable()
	o.Text("},\n\"frameTable\":{")
	o.frameTable()
	o.Text("},\n\"funcTable\":{")
	o.funcTable()
	o.Text("},\n\"resourceTable\":{")
	o.resourceTable()
	o.Text("},\n\"nativeSymbols\":{")
	o.symbolTable()
	o.Text("},\n\"sources\":{")
	o.sourceTable()
	o.Text("},\n\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n")
	o.Column("stringArray", len(o.strings.All), func(i int) { o.Value(o.strings.All[i]) })
	o.Text("}\n")
}

func (o *firefoxWriter) lib(i int) {
	im := o.libs.All[i]
	l := firefoxLib{Name: words.ImageLabel(im.Image), Path: words.Clean(im.Path, words.MaxPath), Breakpad: breakpadID(im.system, im.ID)}
	l.DebugName, l.DebugPath = l.Name, l.Path
	if im.Arch != task.UnknownArch {
		l.Arch = im.Arch.String()
	}
	if im.system == task.Linux && len(im.ID) > 0 {
		id := hex.EncodeToString(im.ID)
		l.Code = &id
	}
	o.Value(l)
}

// length writes the last member of a table, its length.
func (o *firefoxWriter) length(n int) {
	o.Text(`,"length":`)
	o.Integer(int64(n))
}

// numbers writes a column of numbers, with null for none.
func (o *firefoxWriter) numbers(name string, n int, number func(i int) int) {
	o.Column(name, n, func(i int) { o.OrNull(number(i)) })
	o.Text(",")
}

// integers writes a column of numbers, with −1 for none.
func (o *firefoxWriter) integers(name string, n int, number func(i int) int64) {
	o.Column(name, n, func(i int) { o.Integer(number(i)) })
	o.Text(",")
}

func (o *firefoxWriter) stackTable() {
	all := o.stacks.All
	o.integers("frame", len(all), func(i int) int64 { return int64(all[i].frame) })
	o.Column("prefixOffset", len(all), func(i int) {
		if all[i].prefix == none {
			o.Text("0")
			return
		}
		o.Integer(int64(i - all[i].prefix))
	})
	o.length(len(all))
}

func (o *firefoxWriter) frameTable() {
	all := o.frames.All
	n := len(all)
	o.integers("address", n, func(i int) int64 { return all[i].address })
	o.integers("lib", n, func(i int) int64 { return int64(all[i].lib) })
	o.integers("inlineDepth", n, func(i int) int64 { return int64(all[i].inlined) })
	o.numbers("category", n, func(i int) int { return all[i].category })
	o.numbers("subcategory", n, func(i int) int { return min(all[i].category, 0) })
	o.integers("func", n, func(i int) int64 { return int64(all[i].fn) })
	o.numbers("nativeSymbol", n, func(i int) int { return all[i].symbol })
	o.numbers("line", n, func(i int) int { return knownLine(all[i].line) })
	o.numbers("column", n, func(i int) int { return knownLine(all[i].column) })
	o.Column("innerWindowID", n, o.Same("null"))
	o.Text(",")
	o.Column("originalLocation", n, o.Same("null"))
	o.length(n)
}

// knownLine returns a line or column, or none if it is unknown.
func knownLine(n int) int {
	if n <= 0 {
		return none
	}
	return n
}

func (o *firefoxWriter) funcTable() {
	all := o.funcs.All
	n := len(all)
	o.integers("name", n, func(i int) int64 { return int64(all[i].name) })
	o.integers("resource", n, func(i int) int64 { return int64(all[i].lib) }) // each lib has one resource, with the same number
	o.numbers("source", n, func(i int) int { return all[i].source })
	for _, name := range []string{"isJS", "relevantForJS"} {
		o.Column(name, n, o.Same("false"))
		o.Text(",")
	}
	for _, name := range []string{"lineNumber", "columnNumber"} {
		o.Column(name, n, o.Same("null"))
		o.Text(",")
	}
	o.Column("originalLocation", n, o.Same("null"))
	o.length(n)
}

func (o *firefoxWriter) resourceTable() {
	all := o.libs.All
	const library = "1" // ResourceType
	o.integers("name", len(all), func(i int) int64 { return int64(o.strings.Of(words.ImageLabel(all[i].Image))) })
	o.Column("host", len(all), o.Same("null"))
	o.Text(",")
	o.Column("type", len(all), o.Same(library))
	o.length(len(all))
}

func (o *firefoxWriter) symbolTable() {
	all := o.symbols.All
	o.integers("libIndex", len(all), func(i int) int64 { return int64(all[i].lib) })
	o.integers("address", len(all), func(i int) int64 { return int64(all[i].address) })
	o.integers("name", len(all), func(i int) int64 { return int64(all[i].name) })
	o.Column("functionSize", len(all), o.Same("null"))
	o.length(len(all))
}

func (o *firefoxWriter) sourceTable() {
	all := o.sources.All
	n := len(all)
	o.integers("filename", n, func(i int) int64 { return int64(all[i]) })
	for _, name := range []string{"startLine", "startColumn"} {
		o.Column(name, n, o.Same("1"))
		o.Text(",")
	}
	for _, name := range []string{"id", "sourceMapURL"} {
		o.Column(name, n, o.Same("null"))
		o.Text(",")
	}
	o.Column("content", n, o.Same("null"))
	o.length(n)
}
