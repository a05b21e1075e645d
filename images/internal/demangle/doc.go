// Package demangle demangles the names of C++ and Rust functions as the Itanium C++ ABI
// and Rust RFC 2603 have them.
//
// It is github.com/ianlancetaylor/demangle at 83e58baca724 (July 2026), whose licence is
// in LICENSE beside it, with its tests and its c++filt left out. It is copied because
// names came out wrong for which no release of it has a cure: 1.1 % of those of
// librustc_driver, and many of templates that clang has compiled. The changes:
//
//   - Rust: a zero is a whole decimal number, so digits may follow an empty identifier, as
//     in closures within closures; an empty identifier has no separator; a constant of 128
//     bits may have zeros at its end; in the legacy mangling an underscore belongs to the
//     identifier, for no compiler puts one behind a length.
//   - The scope of an unresolved name (sr) is read as the ABI and clang have it: its names
//     are no substitution candidates. Where a name cannot be read so, it is read as GCC
//     writes it, with a whole type for the scope.
//   - The packs of a conversion operator's type are expanded, and a pack that a type
//     mentions twice is expanded in both places; an empty one leaves no comma behind.
//   - A vendor qualifier and the CV-qualifiers behind it are one substitution candidate,
//     and what is substituted in the qualified type is kept; Objective-C's protocols.
//   - Names with Mach-O's underscore, as long as they are of C++.
//   - In LLVMStyle: what llvm-cxxfilt 22 prints for operator< of a template, .* and &,
//     exception specifications, sizeof..., folds and packs.
//   - Length, nesting, and the work for one name are bounded, for a hostile program names
//     its functions as it likes: names are left as they are beyond the bounds.
//
// Of LLVM's list of 29,926 names (libcxxabi/test/DemangleTestCases.inc) all but ten come
// out as of llvm-cxxfilt 22. One of them it only seems to read: _Zcv1BIRT_EIS1_E, of a
// fuzzer, as operator B<><>. For the others it takes a template parameter for that of
// another template, where this package shows the right one: the parameters of the
// operator() of generic lambdas (_ZZ11inline_funcvENKUlTyTyT_T0_E_clIiiEEDaS_S0_ is
// operator()<int, int>(int, int), not ($T, $T0)), and parameters substituted across the
// scopes of two functions. Those of libLLVM 22 (26 of 50,498) differ for that too.
package demangle
