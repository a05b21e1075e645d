package swift

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"stacksnap/images/swift/internal/tree"
)

// TestLimits has names that ask for more than there is to be had: they are none, and
// are told to be so at once.
func TestLimits(t *testing.T) {
	if got, ok := Demangle(doubled(3)); !ok || strings.Count(got, "Swift.Int") != 2+4+8 {
		t.Fatalf("pairs of pairs of pairs are %s", got)
	}
	for what, symbol := range map[string]string{
		"a pair of two of the pair before, again and again": doubled(60),
		"substitutions by the thousand":                     "$s4shop1AV" + strings.Repeat("2048AB", 4000),
		"standard types by the thousand":                    "$s" + strings.Repeat("S2048i", 4000),
		"a type in a type in a type":                        "$s4shop3fooyySi" + strings.Repeat("Sg", 12000) + "F",
		"metatypes of metatypes":                            "$sSi" + strings.Repeat("m", 30000) + "D",
		"functions in functions":                            "$s4shop" + strings.Repeat("1fyyF", 6000),
		"words of words":                                    "$s" + strings.Repeat("09AbcdefghA", 2500),
		"generic arguments at every depth":                  "$s4shop" + strings.Repeat("1AV", 5000) + "y" + strings.Repeat("Si_", 5000) + "G",
		"the old mangling, as deep":                         "_TtGSq" + strings.Repeat("GSq", 10000),
		"old contexts":                                      "_TF" + strings.Repeat("E4shop", 5000),
		"old tuples that double":                            "_TtT" + strings.Repeat("T", 10000) + strings.Repeat("SiSi_", 1000),
		"a symbol in a symbol":                              nested(200),
		"more parameters than can be":                       "$s4shop3fooyyx" + "r" + strings.Repeat("2147483646_", 1500) + "lF",
		"punycode":                                          "$s4shop0030000_" + strings.Repeat("a", 30000) + "yyF",
		"a name beyond all bounds":                          "$s4shop3fooyyF." + strings.Repeat("x", maxName),
	} {
		for _, demangle := range []func(string) (string, bool){Demangle, Simplify} {
			if got, _ := demangle(symbol); len(got) > 2*tree.MaxOutput {
				t.Errorf("%s: %d bytes", what, len(got))
			}
		}
	}
	if _, ok := Demangle(doubled(60)); ok {
		t.Error("a type of 2^60 parts is told")
	}
}

// TestPasses: a specialization is by one of the passes 0 to 9.
func TestPasses(t *testing.T) {
	const symbol = "$s4shop4swapyyxz_xztlFSi_Tg"
	for pass, want := range map[string]bool{"/": false, "0": true, "5": true, "9": true, ":": false, "": false} {
		if got, ok := Demangle(symbol + pass); ok != want {
			t.Errorf("pass %q: %s, %t", pass, got, ok)
		}
	}
}

// doubled is a tuple of n types, each with two of the one before.
func doubled(n int) string {
	const (
		pair  = "AC" // the third substitution, after the module and the name
		first = 3    // that of the first bound type, Pair<Int, Int>
	)
	symbol := "$s4shop4PairVyS2iG_"
	for i := first; i < first+n-1; i++ {
		if i < bigSubstitution {
			symbol += pair + "yA2" + string(rune('A'+i)) + "G"
			continue
		}
		ref := "A_"
		if i > bigSubstitution {
			ref = "A" + strconv.Itoa(i-bigSubstitution-1) + "_"
		}
		symbol += pair + "y" + ref + ref + "G"
	}
	return symbol + "tD"
}

// nested is a specialization for a function whose symbol is another one, n deep.
func nested(n int) string {
	symbol := "$s4shop3fooyyF"
	for range n {
		if next := "$s4shop3fooyyF" + identifier(symbol) + "Tf4pf_n"; len(next) < maxName {
			symbol = next
		}
	}
	return symbol
}

func identifier(s string) string {
	digits := ""
	for n := len(s); n > 0; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return digits + s
}

// TestDamagedNames changes names at random: whatever that gives, it is read without
// a panic and within the limits.
func TestDamagedNames(t *testing.T) {
	const seed, tries = 12, 40000
	r := rand.New(rand.NewPCG(seed, seed))
	list := names(t)
	for range tries {
		b := []byte(list[r.IntN(len(list))].symbol)
		for range 1 + r.IntN(4) {
			b = damage(r, b, list[r.IntN(len(list))].symbol)
		}
		tryName(t, string(b))
	}
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.@"

// damage changes, inserts, cuts out, cuts off, doubles, or goes on with another name.
func damage(r *rand.Rand, b []byte, other string) []byte {
	if len(b) == 0 {
		return []byte(other)
	}
	i := r.IntN(len(b))
	j := i + r.IntN(min(len(b)-i, 16)+1)
	switch r.IntN(6) {
	case 0:
		b[i] = letters[r.IntN(len(letters))]
		return b
	case 1:
		return append(b[:i:i], append([]byte{letters[r.IntN(len(letters))]}, b[i:]...)...)
	case 2:
		return append(b[:i:i], b[j:]...)
	case 3:
		return b[:i]
	case 4:
		return append(b[:j:j], b[i:]...)
	}
	return append(b[:i:i], other[r.IntN(len(other)):]...)
}

func tryName(t *testing.T, symbol string) {
	t.Helper()
	full, isName := Demangle(symbol)
	simple, isSimple := Simplify(symbol)
	if len(full) > 2*tree.MaxOutput || len(simple) > 2*tree.MaxOutput {
		t.Fatalf("%q is told in %d and %d bytes", symbol, len(full), len(simple))
	}
	if isName && full == "" || isSimple && simple == "" {
		t.Fatalf("%q is told as nothing", symbol)
	}
	if !IsMangled(symbol) && (isName || isSimple) {
		t.Fatalf("%q is told and does not begin as a name", symbol)
	}
}

func FuzzDemangle(f *testing.F) {
	for _, n := range names(f) {
		f.Add(n.symbol)
	}
	f.Add(nested(20))
	f.Fuzz(tryName)
}

// TestBoundDepth: generic arguments go to as many contexts as are parsed recursively.
func TestBoundDepth(t *testing.T) {
	bound := func(n int) *tree.Node {
		return parse("$s4shop" + strings.Repeat("1AV", n) + "y" + strings.Repeat("_", n-1) + "GD")
	}
	for n, want := range map[int]bool{1: true, 2: true, tree.MaxDepth + 1: true, tree.MaxDepth + 2: false} {
		if got := bound(n) != nil; got != want {
			t.Errorf("%d contexts: %t", n, got)
		}
	}
}
