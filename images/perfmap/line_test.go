package perfmap

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stacksnap/images/generated"
)

// What [generated.Name] does to a long name.
const (
	maxName = 1 << 10
	cutMark = "…"
)

// TestWriters reads lines as several compilers write them.
func TestWriters(t *testing.T) {
	want := generated.Entry{Start: 0x7f12ab340000, End: 0x7f12ab3400c4}
	for line, name := range map[string]string{
		"7f12ab340000 c4 TRACE_3::x.lua:12":                      "TRACE_3::x.lua:12",              // LuaJIT, lj_trace.c: %lx %x
		"00007f12ab340000 000000c4 [luau] f:3":                   "[luau] f:3",                     // Luau, Repl.cpp: %016lx %08x
		"7f12ab340000 c4 TRACE-1$f$/srv/a b.php$12":              "TRACE-1$f$/srv/a b.php$12",      // PHP, zend_jit_perf_dump.c: %zx %zx
		"00007F12AB340000 c4 int32 [a] N.C::M(int32)[Tier1]":     "int32 [a] N.C::M(int32)[Tier1]", // .NET, perfmap.cpp: %p %x
		"0x7f12ab340000 c4 instance void [a] N.C::.ctor()":       "instance void [a] N.C::.ctor()", // likewise, where %p has 0x
		"0x00007f12ab340000 0x000000c4 java.lang.String::hash()": "java.lang.String::hash()",       // OpenJDK, Compiler.perfmap
	} {
		want.Name = name
		if got, ok := parseLine([]byte(line)); !ok || got != want {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

func TestParseLine(t *testing.T) {
	long := strings.Repeat("é", maxName)
	for line, want := range map[string]generated.Entry{
		"1000 20 f":                             {Start: 0x1000, End: 0x1020, Name: "f"},
		"7f00aB 1f LazyCompile:*fib /a b.js:1 ": {Start: 0x7f00ab, End: 0x7f00ca, Name: "LazyCompile:*fib /a b.js:1"},
		"0x00007f0000001000 0X10 Lfoo;::bar\r":  {Start: 0x7f0000001000, End: 0x7f0000001010, Name: "Lfoo;::bar"},
		"ffffffffffffffff 0":                    {},
		"ffffffffffffff00 ff last":              {Start: 0xffffffffffffff00, End: ^uint64(0), Name: "last"},
		"ffffffffffffff00 101 beyond":           {},
		"1000 0 empty":                          {},
		"1000 20":                               {},
		"1000 20 ":                              {},
		"1000":                                  {},
		"":                                      {},
		"0x 20 f":                               {},
		"10001000100010001 20 f":                {},
		"1000\t20\tf":                           {},
		" 1000 20 f":                            {},
		"-1 20 f":                               {},
		"1000   20   f":                         {Start: 0x1000, End: 0x1020, Name: "f"},
		"1 1 " + long:                           {Start: 1, End: 2, Name: long[:maxName] + cutMark},
		"1 1 x" + long:                          {Start: 1, End: 2, Name: "x" + long[:maxName-2] + cutMark},
		"1 1 " + strings.Repeat("\x80", 2*maxName): {Start: 1, End: 2, Name: strings.Repeat("\x80", maxName-utf8.UTFMax) + cutMark},
	} {
		got, ok := parseLine([]byte(line))
		if got != want || ok != (want.Name != "") {
			t.Errorf("%.40q: %x-%x %q, %v", line, got.Start, got.End, got.Name, ok)
		}
	}
}
