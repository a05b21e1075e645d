package images

import (
	"strconv"
	"strings"
)

// plainly is the name of a function in a language whose symbols say it without types
// that would have to be known: D's and OCaml's.
func plainly(symbol string) (name string, ok bool) {
	if name, ok = ofD(symbol); ok {
		return name, true
	}
	return ofOCaml(symbol)
}

// ofD reads a qualified name in D, lengths and identifiers, of a function, whose type
// follows: std.stdio.File.close of _D3std5stdio4File5closeMFZv (D's specification, "Name
// Mangling"). Names of templates are left as they are.
func ofD(symbol string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(symbol, "_D")
	if !ok {
		return "", false
	}
	if rest == "main" {
		return "D main", true
	}
	var parts []string
	for rest != "" && '1' <= rest[0] && rest[0] <= '9' {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			return "", false
		}
		id := rest[digits : digits+n]
		if strings.HasPrefix(id, "__T") || strings.HasPrefix(id, "__U") {
			return "", false
		}
		parts = append(parts, id)
		rest = rest[digits+n:]
	}
	isFunction := strings.HasPrefix(rest, "F") || strings.HasPrefix(rest, "MF") || strings.HasPrefix(rest, "Mx")
	return strings.Join(parts, "."), isFunction && len(parts) > 1
}

// ofOCaml reads a function of OCaml's native compiler, its modules and a number:
// Stdlib.List.map of camlStdlib__List__map_290, and since OCaml 5.1 of
// camlStdlib__List.map_290 (asmcomp, Compilenv.make_symbol).
func ofOCaml(symbol string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(symbol, "caml")
	at := strings.LastIndexByte(rest, '_')
	if !ok || at < 0 || !isNumber(rest[at+1:]) || rest[0] < 'A' || rest[0] > 'Z' || strings.Contains(rest, "$") {
		return "", false
	}
	name = strings.ReplaceAll(rest[:at], "__", ".")
	return name, strings.Contains(name, ".") && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".")
}
