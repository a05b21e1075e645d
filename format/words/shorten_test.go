package words

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stacksnap/format/profile"
)

const (
	longType = "std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char> > >"
	longPath = "alloc::collections::btree::map::BTreeMap<alloc::string::String,serde_json::value::Value,alloc::alloc::Global>"
)

func TestShorten(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"main", "main"},
		{"ns::parse(char const*, int)", "ns::parse(char const*, int)"},
		// Arguments go first, and templates stay where that is enough.
		{"ns::Table<int>::insert(" + longType + " const&, int) const", "ns::Table<int>::insert(…) const"},
		{"(anonymous namespace)::f(" + longType + ")", "(anonymous namespace)::f(…)"},
		{"ns::(anonymous namespace)::f(" + longType + ")", "ns::(anonymous namespace)::f(…)"},
		{"f(" + longType + ")::{lambda(" + longType + ")#1}::operator()(" + longType + ") const", "f(…)::{lambda(…)#1}::operator()(…) const"},
		{"f(" + longType + ")::'lambda'(" + longType + ")::operator()() const", "f(…)::'lambda'(…)::operator()() const"},
		{"std::function<void (int)>::function(" + longType + ")", "std::function<void (int)>::function(…)"},
		{"void (*ns::table(" + longType + "))(int)", "void (*ns::table(…))(…)"},
		{"decltype (f(" + longType + ")) ns::g<int>(int)", "decltype (f(…)) ns::g<int>(…)"},
		// Then those of templates, the innermost first.
		{"void ns::visit<" + longType + " >(" + longType + ")", "void ns::visit<std::vector<std::__cxx11::basic_string<…>, std::allocator<…> > >(…)"},
		{longType + "::push_back(int)", "std::vector<std::__cxx11::basic_string<…>, std::allocator<…> >::push_back(…)"},
		{"ns::operator<< <" + longType + " >(int)", "ns::operator<< <std::vector<std::__cxx11::basic_string<…>, std::allocator<…> > >(…)"},
		{"ns::operator< <" + longType + " >(int)", "ns::operator< <std::vector<std::__cxx11::basic_string<…>, std::allocator<…> > >(…)"},
		{"ns::operator-<" + longType + " >(int)", "ns::operator-<std::vector<std::__cxx11::basic_string<…>, std::allocator<…> > >(…)"},
		{"ns::P::operator=(" + longType + "&&)", "ns::P::operator=(…)"},
		{"ns::P::operator()(" + longType + "&&)", "ns::P::operator()(…)"},
		{"ns::P::operator->*(" + longType + "&&)", "ns::P::operator->*(…)"},
		{"ns::P::operator new[](unsigned long, " + longType + ")", "ns::P::operator new[](…)"},
		{"ns::P<" + longType + " >::operator->()", "ns::P<std::vector<std::__cxx11::basic_string<…>, std::allocator<…> > >::operator->()"},
		{"ns::A<((" + longType + "::n)<(4)), ((2)>(1))>::f()", "ns::A<((std::vector<std::__cxx11::basic_string<…>, std::allocator<…> >::n)<(4)), ((2)>(…))>::f()"},
		{"ns::A<ns::B<" + longType + " >, ns::B<" + longType + " >, ns::B<" + longType + " > >::f()", "ns::A<ns::B<std::vector<…> >, ns::B<std::vector<…> >, ns::B<std::vector<…> > >::f()"},
		{"void f<(ns::E)1, " + longType + " >()", "void f<(ns::E)1, std::vector<std::__cxx11::basic_string<…>, std::allocator<…> > >()"},
		// Of Rust a type stays, with less of its parameters.
		{"<" + longPath + " as core::clone::Clone>::clone", "<alloc::collections::btree::map::BTreeMap<…> as core::clone::Clone>::clone"},
		{"core::ptr::drop_in_place::<" + longPath + ">", "core::ptr::drop_in_place::<alloc::collections::btree::map::BTreeMap<…>>"},
		{"core::ops::function::FnOnce::call_once::<fn(&" + longPath + ") -> bool, (u8,)>", "core::ops::function::FnOnce::call_once::<fn(…) -> bool, (u8,)>"},
		// What is not understood stays.
		{"f(" + longType, "f(" + longType},
		{"f>(" + longType + ")", "f>(" + longType + ")"},
		{"f(" + longType + "))", "f(" + longType + "))"},
		{"f" + strings.Repeat("(", 300) + strings.Repeat(")", 300), "f" + strings.Repeat("(", 300) + strings.Repeat(")", 300)},
		{"-[" + strings.Repeat("Long", 30) + " do:with:]", "-[" + strings.Repeat("Long", 30) + " do:with:]"},
		{"main.(*" + strings.Repeat("Long", 30) + "[...]).Do.func1", "main.(*" + strings.Repeat("Long", 30) + "[…]).Do.func1"},
	} {
		if got := shorten(tt.name); got != tt.want {
			t.Errorf("%s\nis shown as %s\nwant        %s", tt.name, got, tt.want)
		}
	}
}

// TestShortenLimit: a name of exactly as many columns as there may be is whole.
func TestShortenLimit(t *testing.T) {
	name := "f(" + strings.Repeat("ä", maxColumns-3) + ")"
	if got := shorten(name); got != name {
		t.Errorf("a name of %d columns is shown as %s", utf8.RuneCountInString(name), got)
	}
	if got := shorten("g" + name); got != "gf(…)" {
		t.Errorf("a name of %d columns is shown as %s", utf8.RuneCountInString(name)+1, got)
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("void ns::visit<" + longType + " >(" + longType + ")")
	f.Add("<" + longPath + " as core::clone::Clone>::operator()(…)")
	f.Fuzz(func(t *testing.T, name string) {
		short := shorten(name)
		if utf8.RuneCountInString(short) > utf8.RuneCountInString(name)+strings.Count(name, "(")+strings.Count(name, "<") {
			t.Errorf("%q became %q", name, short)
		}
		if strings.Count(short, "(")-strings.Count(short, ")") != strings.Count(name, "(")-strings.Count(name, ")") && short != name {
			t.Errorf("%q became %q", name, short)
		}
	})
}

// TestImageName: people read the name under which a program was started; other readers its file's.
func TestImageName(t *testing.T) {
	im := &profile.Image{Path: "/usr/bin/redis-check-rdb", KnownAs: "redis-server"}
	if got := ImageName(im); got != "redis-server" {
		t.Errorf("for people: %q", got)
	}
	if got := ImageLabel(im); got != "redis-check-rdb" {
		t.Errorf("for others: %q", got)
	}
}
