package format

import (
	"encoding/hex"

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

// tables writes what threads refer to.
func (o *firefoxWriter) tables() {
	o.column("libs", len(o.libs.All), o.lib)
	o.text(",\n\"shared\":{\"stackTable\":{")
	o.stackTable()
	o.text("},\n\"frameTable\":{")
	o.frameTable()
	o.text("},\n\"funcTable\":{")
	o.funcTable()
	o.text("},\n\"resourceTable\":{")
	o.resourceTable()
	o.text("},\n\"nativeSymbols\":{")
	o.symbolTable()
	o.text("},\n\"sources\":{")
	o.sourceTable()
	o.text("},\n\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n")
	o.column("stringArray", len(o.strings.All), func(i int) { o.value(o.strings.All[i]) })
	o.text("}\n")
}

func (o *firefoxWriter) lib(i int) {
	im := o.libs.All[i]
	l := firefoxLib{Name: imageLabel(im.Image), Path: clean(im.Path, maxPath), Breakpad: breakpadID(im.system, im.ID)}
	l.DebugName, l.DebugPath = l.Name, l.Path
	if im.Arch != task.UnknownArch {
		l.Arch = im.Arch.String()
	}
	if im.system == task.Linux && len(im.ID) > 0 {
		id := hex.EncodeToString(im.ID)
		l.Code = &id
	}
	o.value(l)
}

// length ends a table.
func (o *firefoxWriter) length(n int) {
	o.text(`,"length":`)
	o.integer(int64(n))
}

// numbers writes a column of numbers, with null for none.
func (o *firefoxWriter) numbers(name string, n int, number func(i int) int) {
	o.column(name, n, func(i int) { o.orNull(number(i)) })
	o.text(",")
}

// integers writes a column of numbers, with −1 for none.
func (o *firefoxWriter) integers(name string, n int, number func(i int) int64) {
	o.column(name, n, func(i int) { o.integer(number(i)) })
	o.text(",")
}

func (o *firefoxWriter) stackTable() {
	all := o.stacks.All
	o.integers("frame", len(all), func(i int) int64 { return int64(all[i].frame) })
	o.column("prefixOffset", len(all), func(i int) {
		if all[i].prefix == none {
			o.text("0")
			return
		}
		o.integer(int64(i - all[i].prefix))
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
	o.column("innerWindowID", n, o.same("null"))
	o.text(",")
	o.column("originalLocation", n, o.same("null"))
	o.length(n)
}

// knownLine is a line or a column, none where it is not known.
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
	o.integers("resource", n, func(i int) int64 { return int64(all[i].lib) }) // there is one of each lib
	o.numbers("source", n, func(i int) int { return all[i].source })
	for _, name := range []string{"isJS", "relevantForJS"} {
		o.column(name, n, o.same("false"))
		o.text(",")
	}
	for _, name := range []string{"lineNumber", "columnNumber"} {
		o.column(name, n, o.same("null"))
		o.text(",")
	}
	o.column("originalLocation", n, o.same("null"))
	o.length(n)
}

func (o *firefoxWriter) resourceTable() {
	all := o.libs.All
	const library = "1" // ResourceType
	o.integers("name", len(all), func(i int) int64 { return int64(o.strings.Of(imageLabel(all[i].Image))) })
	o.column("host", len(all), o.same("null"))
	o.text(",")
	o.column("type", len(all), o.same(library))
	o.length(len(all))
}

func (o *firefoxWriter) symbolTable() {
	all := o.symbols.All
	o.integers("libIndex", len(all), func(i int) int64 { return int64(all[i].lib) })
	o.integers("address", len(all), func(i int) int64 { return int64(all[i].address) })
	o.integers("name", len(all), func(i int) int64 { return int64(all[i].name) })
	o.column("functionSize", len(all), o.same("null"))
	o.length(len(all))
}

func (o *firefoxWriter) sourceTable() {
	all := o.sources.All
	n := len(all)
	o.integers("filename", n, func(i int) int64 { return int64(all[i]) })
	for _, name := range []string{"startLine", "startColumn"} {
		o.column(name, n, o.same("1"))
		o.text(",")
	}
	for _, name := range []string{"id", "sourceMapURL"} {
		o.column(name, n, o.same("null"))
		o.text(",")
	}
	o.column("content", n, o.same("null"))
	o.length(n)
}
