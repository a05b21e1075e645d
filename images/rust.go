package images

import (
	"strconv"
	"strings"
)

// Of a symbol in Rust's legacy mangling, _ZN3std9backtrace17h0123456789abcdefE:
// lengths and identifiers, the last of them a hash.
const (
	rustBegin    = "_ZN"
	rustHash     = "17h"
	rustHashSize = len("17h0123456789abcdefE")
)

// guarded keeps the demangler from taking an underscore that an identifier of
// Rust's legacy mangling begins with, 28__rust_begin_short_backtrace, for one that
// separates it from its length: rustc writes none of these, and so one is put there
// to be taken. Before a $ rustc itself has put one. Other names stay as they are.
func guarded(name string) string {
	hash := strings.LastIndexByte(name, 'E') + 1 - rustHashSize // a clone's suffix may follow
	if hash < len(rustBegin) || !strings.HasPrefix(name, rustBegin) || !strings.HasPrefix(name[hash:], rustHash) {
		return name
	}
	var b strings.Builder
	b.WriteString(rustBegin)
	for path := name[len(rustBegin):hash]; path != ""; {
		digits := len(path) - len(strings.TrimLeft(path, "0123456789"))
		n, err := strconv.Atoi(path[:digits])
		if err != nil || n > len(path)-digits {
			return name
		}
		id := path[digits : digits+n]
		path = path[digits+n:]
		if strings.HasPrefix(id, "_") && !strings.HasPrefix(id, "_$") {
			id = "_" + id
		}
		b.WriteString(strconv.Itoa(len(id)))
		b.WriteString(id)
	}
	b.WriteString(name[hash:])
	return b.String()
}
