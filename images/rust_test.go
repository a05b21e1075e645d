package images

import "testing"

// TestUnderscores are a name's own: what a Mach-O file puts before all of them is
// gone by now, and nothing else is to be taken off.
func TestUnderscores(t *testing.T) {
	const hash = "17h49032eccec2d27a3E"
	for raw, want := range map[string]string{
		"_ZN3std3sys9backtrace28__rust_begin_short_backtrace" + hash:                                    "std::sys::backtrace::__rust_begin_short_backtrace",
		"_ZN3std3sys9backtrace28__rust_begin_short_backtrace" + hash + ".llvm.123":                      "std::sys::backtrace::__rust_begin_short_backtrace",
		"_RINvNtNtCsjrHSEGnQ3l9_3std3sys9backtrace28___rust_begin_short_backtraceFEuuECs6xxl1lAjzDf_1a": "std::sys::backtrace::__rust_begin_short_backtrace::<fn(), ()>",
		"_ZN1a2_b3__c" + hash:                            "a::_b::__c",
		"_ZN29_$LT$T$u20$as$u20$a..b..C$GT$4from" + hash: "<T as a::b::C>::from",
		"_ZN1a99_b" + hash:                               "_ZN1a99_b" + hash, // no name of Rust's after all
		"_ZN1a_b" + hash:                                 "_ZN1a_b" + hash,
		"_ZN3foo3__bE":                                   "foo::__b", // C++
		"17h49032eccec2d27a3E":                           "17h49032eccec2d27a3E",
		"__clone3":                                       "__clone3",
		"_start":                                         "_start",
	} {
		if got := demangled(raw); got != want {
			t.Errorf("%s is told as %s, want %s", raw, got, want)
		}
	}
}
