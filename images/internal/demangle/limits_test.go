package demangle

import (
	"strconv"
	"strings"
	"testing"
)

// TestHostileNames are such that double with each letter, or nest without end: they are
// left as they are, or cut off, and take neither memory nor the stack.
func TestHostileNames(t *testing.T) {
	doubling := "_Z1f"
	for i := range 30 {
		doubling += "F" + strings.Repeat("S"+seq(i), 2) + "E"
	}
	rust := "_RINvC1a1b"
	for range 30 {
		rust += "TB5_B5_E"
	}
	chain, packs := "_Z1fPi", "_Z1fPi"
	for i := range 10_000 {
		chain += "PS" + seq(i)
		packs += "DpS" + seq(i)
	}
	for name, mangled := range map[string]string{
		"chain":        chain, // takes the square of its length
		"pack chain":   packs[:60_000],
		"pointers":     "_Z1f" + strings.Repeat("P", 1<<20) + "i",
		"short":        "_Z1f" + strings.Repeat("P", maxName-8) + "i",
		"functions":    "_Z1f" + strings.Repeat("F", 50_000) + "i",
		"scopes":       "_ZN" + strings.Repeat("1a", 32_000) + "E",
		"templates":    "_Z1f" + strings.Repeat("1aI", 20_000) + "i",
		"packs":        "_Z1f" + strings.Repeat("1aIJ", 16_000) + "i",
		"locals":       "_Z" + strings.Repeat("Z", 60_000) + "1a",
		"thunks":       "_Z" + strings.Repeat("Th1_", 16_000) + "1a",
		"expressions":  "_Z1aIX" + strings.Repeat("ng", 30_000) + "E",
		"unresolved":   "_Z1aIX" + strings.Repeat("gs", 30_000) + "1aE",
		"lambdas":      "_Z1aI" + strings.Repeat("Ul", 30_000),
		"declarations": "_ZN1aUl" + strings.Repeat("Tp", 30_000),
		"templates of": "_ZN1aUl" + strings.Repeat("Tt", 30_000),
		"conversions":  "_Zcv" + strings.Repeat("1aIXcv", 10_000) + "i",
		"clones":       "_Z1f" + strings.Repeat(".a", 30_000),
		"tags":         "_Z1f" + strings.Repeat("B1a", 20_000),
		"qualified":    "_Z1f" + strings.Repeat("U1aK", 16_000) + "i",
		"doubling":     doubling,
		"of packs":     "_Z1fIJ" + strings.Repeat("i", 200) + "EEvDp1aI" + strings.Repeat("Dp1aIT_", 20) + strings.Repeat("E", 21),
		"Rust":         "_R" + strings.Repeat("Nv", 30_000) + "C1a",
		"Rust types":   "_RINvC1a1b" + strings.Repeat("R", 60_000) + "u",
		"Rust doubled": rust + "E",
		"Rust itself":  "_RNvB_1a",
	} {
		t.Run(name, func(t *testing.T) {
			if got := Filter(mangled); len(got) > max(1<<16, len(mangled)) {
				t.Errorf("%d bytes", len(got))
			} else if strings.HasSuffix(name, "chain") && got != mangled {
				t.Error("it was read")
			}
		})
	}
}

// seq is the sequence number of the substitution that was the i-th.
func seq(i int) string {
	if i == 0 {
		return "_"
	}
	return strings.ToUpper(strconv.FormatInt(int64(i-1), 36)) + "_"
}

// FuzzFilter looks for names that take the demangler down.
func FuzzFilter(f *testing.F) {
	for _, n := range names {
		f.Add(n[0])
	}
	f.Fuzz(func(t *testing.T, mangled string) {
		if got := Filter(mangled); len(got) > max(1<<16, len(mangled)) {
			t.Errorf("%d bytes", len(got))
		}
	})
}
