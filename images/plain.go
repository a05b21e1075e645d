package images

import (
	"strconv"
	"strings"
)

// plainly returns the function name in a D or OCaml symbol. It does not parse the
// types in the symbol.
func plainly(symbol string) (name string, ok bool) {
	if name, ok = ofD(symbol); ok {
		return name, true
	}
	return ofOCaml(symbol)
}

// ofD reads the qualified name in a D symbol, which is followed by the function's
// type: std.stdio.File.close of _D3std5stdio4File5closeMFZv (D's specification, "Name
// Mangling"). Names of templates are not read.
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

// ofOCaml reads the module path and name in a symbol of OCaml's native compiler,
// which ends with a number: Stdlib.List.map of camlStdlib__List__map_290, since OCaml
// 5.1 camlStdlib__List.map_290 (asmcomp, Compilenv.make_symbol).
func ofOCaml(symbol string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(symbol, "caml")
	at := strings.LastIndexByte(rest, '_')
	if !ok || at < 0 || !isNumber(rest[at+1:]) || rest[0] < 'A' || rest[0] > 'Z' || strings.Contains(rest, "$") {
		return "", false
	}
	name = strings.ReplaceAll(rest[:at], "__", ".")
	return name, strings.Contains(name, ".") && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".")
}
