package images

import (
	"testing"

	"stacksnap/images/object"
)

// linked is a file that tells one thing of itself: whether Go's linker made it.
type linked struct {
	object.File
	byGo bool
}

func (l linked) Section(object.Kind) (object.Section, error) {
	if l.byGo {
		return object.Section{}, nil
	}
	return object.Section{}, object.ErrNoSection
}

func TestKnownNames(t *testing.T) {
	for _, tt := range []struct{ raw, public, want string }{
		{"main", "", "main"},
		{"__poll@@GLIBC_2.2.5", "poll@@GLIBC_2.2.5", "poll"},
		{"__GI___poll", "", "__poll"},
		{"__GI__IO_do_write", "", "_IO_do_write"},
		{"__libc_start_call_main", "", "__libc_start_call_main"},
		{"_start", "", "_start"},
		{"read@plt", "", "read@plt"},
		{"read@GLIBC_2.3@plt", "", "read@plt"},
		{"_Znwm@plt", "", "operator new(unsigned long)@plt"},
		{"_Znwm@GLIBCXX_3.4@plt", "", "operator new(unsigned long)@plt"},
		{"_Znwm@@GLIBCXX_3.4", "", "operator new(unsigned long)"},
		{"_RNvC4shop4work@plt", "", "shop::work@plt"},
		{"parse.constprop.0", "", "parse"},
		{"parse.part.0.isra.1.constprop.12", "", "parse"},
		{"parse.cold", "", "parse"},
		{"parse.cold.1", "", "parse"},
		{"parse.part.0.cold", "", "parse"},
		{"state.lto_priv.0", "", "state"},
		{"_dl_close.localalias", "", "_dl_close"},
		{"inner.llvm.8273645", "", "inner"},
		{"__new_sem_wait_slow64.constprop.0", "", "__new_sem_wait_slow64"},
		{"_Z5parsePKc.cold", "", "parse(char const*)"},
		{"_ZN1a5parseEi.part.0.cold", "", "a::parse(int)"},
		{"_ZN3std9backtrace17h49032eccec2d27a3E.llvm.123", "", "std::backtrace"},
		{"$s4shop5ClerkC4workyyFyycfU_", "", "closure #1 in Clerk.work()"},
		{"$s4shop3addyyYaKFTQ0_", "", "add()"},
		{"$s4shop3addyyYaKFTQ0_.resume.0", "", "add()"},
		{"$s4shop3addyyF@@SHOP_1", "", "add()"},
		{"_TFC4shop5Clerk4workfT_T_", "", "Clerk.work()"},
		{"_TtC4shop5Clerk", "", "Clerk"},
		{"-[_TtC4shop5Clerk work:at:]", "", "-[Clerk work:at:]"},
		{"+[_TtC4shopP33_0123456789ABCDEF0123456789ABCDEF5Clerk work]", "", "+[Clerk work]"},
		{"-[_TtC4shop5Clerk(Sales) .cxx_destruct]", "", "-[Clerk(Sales) .cxx_destruct]"},
		{"-[NSString(_TtC4shop5Clerk) work]", "", "-[NSString(_TtC4shop5Clerk) work]"},
		{"-[_TtC4shop9Clerk work]", "", "-[_TtC4shop9Clerk work]"},
		{"-[_TtC4shop5Clerk", "", "-[_TtC4shop5Clerk"},
		{"DYLD-STUB$$malloc", "", "DYLD-STUB$$malloc"},
		{"DYLD-STUB$$_ZN1a5parseEi", "", "DYLD-STUB$$a::parse(int)"},
		{"stub helper for $s4shop3addyyF", "", "stub helper for add()"},
		// What is no such name stays as it is.
		{".cold", "", ".cold"},
		{".part.0", "", ".part.0"},
		{"cold", "", "cold"},
		{"part.0", "", "part.0"},
		{"memcpy.avx2", "", "memcpy.avx2"},
		{"parse.part", "", "parse.part"},
		{"main.init.0", "", "main.init.0"},
		{"parse.0", "", "parse.0"},
		{"$s4shop3addyyF4shop3addyyF", "", "$s4shop3addyyF4shop3addyyF"},
		{"_TSinit", "", "_TSinit"},
		{"", "", ""},
	} {
		im := Image{Placed: object.Placed{File: linked{}}}
		if got := im.known(&object.Symbol{Name: tt.raw, Public: tt.public}); got != tt.want {
			t.Errorf("%q is known as %q, want %q", tt.raw, got, tt.want)
		}
	}
}

// TestColdOfGo is a function that its author has called cold.
func TestColdOfGo(t *testing.T) {
	im := Image{Placed: object.Placed{File: linked{byGo: true}}}
	if got := im.known(&object.Symbol{Name: "main.cold"}); got != "main.cold" {
		t.Errorf("main.cold is known as %q", got)
	}
}

func TestOverload(t *testing.T) {
	for raw, want := range map[string]string{
		"$s4shop3addyySiF":               "$s4shop3addyySiF",
		"$s4shop3addyySSF":               "$s4shop3addyySSF",
		"$s4shop3addyyYaKFTQ0_.resume.0": "$s4shop3addyyYaKF",
		"_ZN1a5parseEi.part.0":           "",
		"main":                           "",
	} {
		if got := overload(&object.Symbol{Name: raw}); got != want {
			t.Errorf("%s is told apart by %q, want %q", raw, got, want)
		}
	}
}
