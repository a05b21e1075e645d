package swift

import (
	_ "embed"
	"strings"
	"testing"
)

// namesText has a mangled name in each line, and what swift-demangle of Swift 6.3.1
// makes of it, in full and with -simplified. They are of all kinds: most were made by
// hand of the grammar, the others are from programs that npm and Apple's dSYMs have.
//
//go:embed testdata/names.txt
var namesText string

type name struct{ symbol, full, simple string }

func names(t testing.TB) []name {
	var list []name
	for line := range strings.Lines(namesText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			t.Fatalf("not three columns: %q", line)
		}
		list = append(list, name{f[0], f[1], f[2]})
	}
	return list
}

func TestNames(t *testing.T) {
	for _, n := range names(t) {
		if got, _ := Demangle(n.symbol); got != n.full {
			t.Errorf("Demangle(%s)\n got %s\nwant %s", n.symbol, got, n.full)
		}
		if got, _ := Simplify(n.symbol); got != n.simple {
			t.Errorf("Simplify(%s)\n got %s\nwant %s", n.symbol, got, n.simple)
		}
	}
}

// TestTrueNames are told otherwise than by Swift's tool, which is wrong or does not
// know what an earlier compiler wrote.
func TestTrueNames(t *testing.T) {
	for symbol, want := range map[string]string{
		// It takes the depth of a parameter for its index, and looks for the type of a
		// value where it is not.
		"$s4shop3mapyyxxQp_q_q_QptRvzRv_q_Rhzr0_lF": "shop.map<each A, each B where A.shape == B.shape>(repeat A, repeat B) -> ()",
		"$s4shop3mapyyxSiRVzlF":                     "shop.map<let A: Swift.Int>(A) -> ()",
		// Compilers before 6.3 wrote an m; the tool of 6.3 reads no such name.
		"$s4shop4swapyyxz_xztlFSi_Tgm5": "generic specialization <Swift.Int> of shop.swap<A>(inout A, inout A) -> ()",
		// Before Swift 4 what a parameter was replaced by came before the function.
		"_TTSf4cpfr20_TF4shop6helperFT_T__n___TF4shop3fooFFT_T_T_":         "function signature specialization <Arg[0] = [Constant Propagated Function : shop.helper() -> ()]> of shop.foo(() -> ()) -> ()",
		"_TTSf4cpfl1.5_cpg3abc_cpse0v3xyz_cpse1v1q___TF4shop3fooFTSiSi_T_": "function signature specialization <Arg[0] = [Constant Propagated Float : 1.5], Arg[1] = [Constant Propagated Global : abc], Arg[2] = [Constant Propagated String : u8'xyz'], Arg[3] = [Constant Propagated String : u16'q']> of shop.foo(Swift.Int, Swift.Int) -> ()",
		"__T04shop3fooyyF": "shop.foo() -> ()", // with the underscore of Mach-O
		"__$s4shop3fooyyF": "shop.foo() -> ()",
	} {
		if got, _ := Demangle(symbol); got != want {
			t.Errorf("Demangle(%s)\n got %s\nwant %s", symbol, got, want)
		}
	}
}

// TestOtherNames are none of Swift's, though some begin like them.
func TestOtherNames(t *testing.T) {
	for _, symbol := range []string{
		"", "$", "_", "$s", "_T", "_T0", "_$s", "@__swiftmacro_", "main", "_main", "_Tmain", "_TSinit", "_TtSinit", "_ZN3foo3barEv",
		"_R", "$sx4", "$s4shop", // a name alone
		"$s4shop3fooyyF4shop3fooyyF", // two functions
		"$sy", "$sTo", "$s4shop3fooyyFYa", "$s99999999999999999999shop", "$s4shop9fooyyF", "$s00", "$s004shop_", "$s04shopA",
		"$sA", "$sA9999999_", "$sAzz", "$sS", "$sS9999Si", "$s\x01abcd", "$s4shop3fooyyF\x00", "$s\xff", "_TF", "_TFC", "_TTSf", "_TPA__T",
	} {
		if got, ok := Demangle(symbol); ok {
			t.Errorf("Demangle(%q) is %s", symbol, got)
		}
		if got, ok := Simplify(symbol); ok {
			t.Errorf("Simplify(%q) is %s", symbol, got)
		}
	}
}

func TestBase(t *testing.T) {
	for symbol, want := range map[string]string{
		"$s4shop3addyyYaKF":              "$s4shop3addyyYaKF",
		"$s4shop3addyyYaKFTQ0_":          "$s4shop3addyyYaKF",
		"$s4shop3addyyYaKFTY12_":         "$s4shop3addyyYaKF",
		"$s4shop3addyyYaKFTQ_":           "$s4shop3addyyYaKF",
		"$s4shop3addyyYaKFTY0_TQ1_":      "$s4shop3addyyYaKF",
		"$s4shop3addyyYaKFTQ0_.resume.0": "$s4shop3addyyYaKF",
		"$s4shop3addyyF.12":              "$s4shop3addyyF",
		"$s4shop3addyyFyycfU_":           "$s4shop3addyyFyycfU_",
		"$s4shop3addyyF3BoxL_V":          "$s4shop3addyyF3BoxL_V",
		"$s":                             "$s",
		"_":                              "_",
		"TQ_":                            "",
		"":                               "",
	} {
		if got := Base(symbol); got != want {
			t.Errorf("Base(%s) is %s, want %s", symbol, got, want)
		}
	}
}

func BenchmarkSimplify(b *testing.B) {
	list := names(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Simplify(list[i%len(list)].symbol)
	}
}
