package demangle

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// names and what llvm-cxxfilt 22 makes of them. Each comes out wrong, or not at all, of
// the library that this is a copy of, or is beside one that does.
var names = [][2]string{
	{"_ZN4shop3allIJilEEEDTfRplfp_Li0EEDpT_",
		"decltype(((fp...) + ... + 0)) shop::all<int, long>(int, long)"},
	{"_ZN4shop3buyIiEENSt9enable_ifIXsr5traitIT_EE5valueES2_E4typeES2_RKS2_PS2_",
		"std::enable_if<trait<int>::value, int>::type shop::buy<int>(int, int const&, int*)"},
	{"_ZN4shop4lendIiEENSt9enable_ifIXsr5traitIT_EE2ofIS2_EES2_E4typeES2_PS2_",
		"std::enable_if<trait<int>::of<int>, int>::type shop::lend<int>(int, int*)"},
	{"_ZNSt12__shared_ptrIN4shop4ItemELN9__gnu_cxx12_Lock_policyE2EE31_M_enable_shared_from_this_withIS1_S1_EENSt9enable_ifIXntsr15__has_esft_baseIT0_EE5valueEvE4typeEPT_",
		"std::enable_if<!__has_esft_base<shop::Item>::value, void>::type std::__shared_ptr<shop::Item, (__gnu_cxx::_Lock_policy)2>::_M_enable_shared_from_this_with<shop::Item, shop::Item>(shop::Item*)"},
	{"_ZN4shop3refEMNS_4ItemEKDoFivRE",
		"shop::ref(int (shop::Item::*)() const & noexcept)"},
	{"_ZN4shop3sumINS_4ItemEEEDTdsfp_adsrT_1nES2_",
		"decltype(fp.*&shop::Item::n) shop::sum<shop::Item>(shop::Item)"},
	{"_ZN4shop5ClerkIJiEEcvNS_4PairIJDpPT_EEEIJiNS_4ItemEEEEv",
		"shop::Clerk<int>::operator shop::Pair<int*, shop::Item*><int, shop::Item>()"},
	{"_ZN4shop5countIJicEEEiRAplsZT_Li1E_cDpPSt5tupleIJA2_T_AstS4__S4_EE",
		"int shop::count<int, char>(char (&) [sizeof...(int, char) + 1], std::tuple<int [2], int [sizeof (int)]>*, std::tuple<char [2], char [sizeof (char)]>*)"},
	{"_ZSt12construct_atIN4shop4ItemEJEEDTgsnwcvPvLi0E_T_pispcl7declvalIT0_EEEEPS3_DpOS4_",
		"decltype(::new((void*)(0)) shop::Item()) std::construct_at<shop::Item>(shop::Item*)"},
	{"_ZSt12construct_atIiJiEEDTgsnwcvPvLi0E_T_pispclsr3stdE7declvalIT0_EEEEPS1_DpOS2_",
		"decltype(::new((void*)(0)) int(std::declval<int>())) std::construct_at<int, int>(int*, int&&)"},
	{"_ZNSt23_Sp_counted_ptr_inplaceIN4shop4ItemESaIvELN9__gnu_cxx12_Lock_policyE2EEC2IJEEES2_DpOT_",
		"std::_Sp_counted_ptr_inplace<shop::Item, std::allocator<void>, (__gnu_cxx::_Lock_policy)2>::_Sp_counted_ptr_inplace<>(std::allocator<void>)"},
	{"_ZSt12__get_helperILm1EN4shop4ItemEJEERT0_RSt11_Tuple_implIXT_EJS2_DpT1_EE",
		"shop::Item& std::__get_helper<1ul, shop::Item>(std::_Tuple_impl<1ul, shop::Item>&)"},
	{"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
		"std::basic_ostream<char, std::char_traits<char>>& std::operator<<<std::char_traits<char>>(std::basic_ostream<char, std::char_traits<char>>&, char const*)"},
	{"_ZStltIicEbRKSt4pairIT_T0_ES5_",
		"bool std::operator<<int, char>(std::pair<int, char> const&, std::pair<int, char> const&)"},
	{"_ZN4shop3runIZ3allvEUliE_EEvOT_PDTclfL0p_Li1EEE",
		"void shop::run<all()::'lambda'(int)>(all()::'lambda'(int)&&, decltype(fp(1))*)"},
	{"_Z4sellPU14objcproto4Shop11objc_object",
		"sell(id<Shop>)"},
	{"_Z4sellPKU14objcproto4Shop5Clerk",
		"sell(Clerk<Shop> const*)"},
	{"_Z4sellPU3AS1KiS0_",
		"sell(int const AS1*, int const AS1*)"},
	{"_Z4sellIJ4ItemEEvDpPU3AS1T_",
		"void sell<Item>(Item AS1*)"},
	{"_Z4foldIJLi1ELi2EEEv4ListIXfRplT_Li1EEE",
		"void fold<1, 2>(List<((1, 2) + ... + 1)>)"},
	{"_Z4sizeIJicEEvRAsPDpT_E_c",
		"void size<int, char>(char (&) [sizeof... (int, char)])"},
	{"_Znwm",
		"operator new(unsigned long)"},
	{"__ZN4shop3buyEi",
		"shop::buy(int)"},
	{"____Z4shop_block_invoke.2",
		"invocation function for block in shop"},
	{"_RNCNCNCNvCs1_4shop4work0s_00B5_",
		"shop::work::{closure#0}::{closure#1}::{closure#0}"},
	{"_RNvCs1_4shop4work",
		"shop::work"},
	{"_RINvCs1_4shop4sellNcNtB2_4Item0EB2_",
		"shop::sell::<shop::Item>"},
	{"_RINvCs1_4shop4sellKnn80000000000000000000000000000000_EB2_",
		"shop::sell::<-0x80000000000000000000000000000000>"},
}

func TestNames(t *testing.T) {
	for _, n := range names {
		if got := Filter(n[0], LLVMStyle); got != n[1] {
			t.Errorf("%s is %s, want %s", n[0], got, n[1])
		}
	}
}

// TestLLVMAgrees compares the names with the program itself.
func TestLLVMAgrees(t *testing.T) {
	var mangled []string
	for _, n := range names {
		mangled = append(mangled, n[0])
	}
	for i, want := range filtered(t, mangled) {
		if want != names[i][1] {
			t.Errorf("llvm-cxxfilt tells %s as %s, not %s", names[i][0], want, names[i][1])
		}
	}
}

// TestListAgrees compares a file of names, one a line, with what the program makes of
// them. Those that it leaves as they are do not count.
func TestListAgrees(t *testing.T) {
	file := needs.Variable(t, "STACKSNAP_NAMES", "a file of mangled names, one a line")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mangled := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	differ := 0
	for i, want := range filtered(t, mangled) {
		if got := Filter(mangled[i], LLVMStyle); want != mangled[i] && got != want {
			differ++
			t.Logf("NAME %s\nWANT %s\nGOT  %s\n", mangled[i], want, got)
		}
	}
	t.Logf("%d of %d names differ", differ, len(mangled))
}

// filtered is what llvm-cxxfilt makes of each name.
func filtered(t *testing.T, mangled []string) []string {
	t.Helper()
	cmd := exec.Command(needs.LLVM(t, "llvm-cxxfilt", 22), "--no-strip-underscore")
	cmd.Stdin = strings.NewReader(strings.Join(mangled, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(mangled) {
		t.Fatalf("%d lines for %d names", len(lines), len(mangled))
	}
	return lines
}

// TestWhereLLVMIsWrong are names that llvm-cxxfilt cannot read, or reads with a template
// parameter of the wrong template.
func TestWhereLLVMIsWrong(t *testing.T) {
	for mangled, want := range map[string]string{
		// GCC's scopes of unresolved names.
		"_ZN4shop3buyIiEENSt9enable_ifIXsrNS_5traitIT_EE5valueES3_E4typeES3_RKS3_PS3_": "std::enable_if<shop::trait<int>::value, int>::type shop::buy<int>(int, int const&, int*)",
		"_ZN4shop4lendIiEENSt9enable_ifIXsrNS_5traitIT_EE2ofIS3_EES3_E4typeES3_PS3_":   "std::enable_if<shop::trait<int>::of<int>, int>::type shop::lend<int>(int, int*)",
		"_ZN4shop3allIiEENSt9enable_ifIXsrSt7is_sameIT_iE5valueES3_E4typeES3_":         "std::enable_if<std::is_same<int, int>::value, int>::type shop::all<int>(int)",
		// Generic lambdas.
		"_ZZN4shop6lambdaEvENKUlDpOT_E_clIJidEEEDaS2_":    "auto shop::lambda()::{lambda((auto:1&&)...)#1}::operator()<int, double>(int&&, double&&) const",
		"_ZZ11inline_funcvENKUlTyTyT_T0_E_clIiiEEDaS_S0_": "auto inline_func()::{lambda<typename $T0, typename $T1>($T0, $T1)#1}::operator()<int, int>(int, int) const",
		"_Z1h1XIJZ1fIiEDaOT_E1AZ1gIdEDaS2_E1BEE":          "h(X<f<int>(int&&)::A, g<double>(double&&)::B>)",
	} {
		if got := Filter(mangled); got != want {
			t.Errorf("%s is %s, want %s", mangled, got, want)
		}
	}
}
