package words

import (
	"strings"
	"testing"
)

// TestNarrow: the forms of real names, as far as each fits, by the number of columns.
func TestNarrow(t *testing.T) {
	for _, tt := range []struct {
		name string
		room int
		want string
	}{
		{"main", 2, "main"},
		{"ns::parse(char const*, int)", 27, "ns::parse(char const*, int)"},
		{"ns::parse(char const*, int)", 26, "ns::parse(…)"},
		{"ns::parse(char const*, int)", 9, "ns::parse"},
		// C++, as libstdc++ and its debuggers spell it
		{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::compare(std::__cxx11::basic_string<char> const&) const", 50, "std::__cxx11::basic_string<…>::compare(…) const"},
		{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::compare(std::__cxx11::basic_string<char> const&) const", 45, "std::__cxx11::basic_string<…>::compare(…)"},
		{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::compare(std::__cxx11::basic_string<char> const&) const", 24, "basic_string<…>::compare"},
		{"std::char_traits<char>::compare(char const*, char const*, unsigned long)", 36, "std::char_traits<char>::compare(…)"},
		{"std::char_traits<char>::compare(char const*, char const*, unsigned long)", 24, "char_traits<…>::compare"},
		{"int& std::vector<int, std::allocator<int> >::emplace_back<int>(int&&)", 40, "int& std::vector<…>::emplace_back<…>(…)"},
		{"int& std::vector<int, std::allocator<int> >::emplace_back<int>(int&&)", 35, "std::vector<…>::emplace_back<…>(…)"},
		{"int& std::vector<int, std::allocator<int> >::emplace_back<int>(int&&)", 24, "vector<…>::emplace_back"},
		{"std::_Rb_tree_node<std::pair<int const, int> >* std::_Rb_tree<int, std::pair<int const, int>, std::less<int> >::_M_create_node<>()", 30, "_Rb_tree<…>::_M_create_node<>"},
		{"void std::__invoke_impl<void, main()::<lambda()> >(std::__invoke_other, main()::<lambda()>&&)", 20, "std::__invoke_impl"},
		{"pay(Account&)::{lambda(int)#1}::operator()(int) const", 40, "pay(…)::{lambda(…)#1}::operator()(…)"},
		{"bank::pay(Account&)::{lambda(int)#1}::operator()(int) const", 24, "bank::pay::{lambda#1}::operator()"},
		{"std::ostream& ns::io::operator<< <char>(std::ostream&, ns::Wide<char> const&)", 16, "io::operator<<"},
		{"ns::io::P::operator new[](unsigned long, ns::Heap<int>&)", 24, "io::P::operator new[](…)"},
		{"ns::io::P<int>::operator->()", 16, "P<…>::operator->"},
		{"ns::(anonymous namespace)::Reader::read(char*, unsigned long)", 16, "Reader::read(…)"},
		{"ns::Table<int>::grow(int) [clone .isra.0]", 18, "Table<…>::grow(…)"},
		{"void (*ns::table(int))(int)", 4, "void (*ns::table)"},
		// C++, as libc++ has it
		{"void* std::__1::__thread_proxy[abi:ne210100]<std::__1::tuple<int> >(void*)", 78, "void* std::__1::__thread_proxy[abi:ne210100]<std::__1::tuple<int> >(void*)"},
		{"void* std::__1::__thread_proxy[abi:ne210100]<std::__1::tuple<int> >(void*)", 60, "void* std::__1::__thread_proxy<std::__1::tuple<int> >(void*)"},
		{"std::__1::lock_guard<std::__1::mutex>::lock_guard[abi:ne210100](std::__1::mutex&)", 42, "std::__1::lock_guard<…>::lock_guard(…)"},
		{"shop::title[abi:cxx11](int)", 24, "shop::title(int)"},
		// Rust
		{"std::sys::backtrace::__rust_begin_short_backtrace::<fn(), ()>", 61, "std::sys::backtrace::__rust_begin_short_backtrace::<fn(), ()>"},
		{"std::sys::backtrace::__rust_begin_short_backtrace::<fn(), ()>", 24, "backtrace::__rust_begin_short_backtrace"},
		{"<alloc::boxed::Box<dyn core::ops::function::Fn<()>> as core::ops::function::FnOnce<()>>::call_once", 36, "<Box<…> as FnOnce<…>>::call_once"},
		{"std::rt::lang_start_internal::{closure#0}", 24, "rt::lang_start_internal::{closure#0}"},
		{"<ledger::Account>::post", 18, "<Account>::post"},
		// Swift
		{"App.Store.load(key: Swift.String, from: Swift.Array<App.Source<Swift.Int>>) -> Swift.Optional<App.Value>", 60, "App.Store.load(…) -> Swift.Optional<App.Value>"},
		{"App.Store.load(key: Swift.String, from: Swift.Array<App.Source<Swift.Int>>) -> Swift.Optional<App.Value>", 20, "App.Store.load(…)"},
		{"App.Store.load(key: Swift.String) -> Swift.Int", 11, "Store.load"},
		{"closure #1 (Swift.Int) -> () in App.Store.load(key: Swift.String) -> ()", 60, "closure #1 (Swift.Int) -> () in App.Store.load(…) -> ()"},
		// Go
		{"google.golang.org/grpc/internal/transport.(*http2Server).HandleStreams", 40, "transport.(*http2Server).HandleStreams"},
		{"example.com/shop/cart.(*Cache[go.shape.string,go.shape.int]).Get.func1", 30, "cart.(*Cache[…]).Get.func1"},
		{"runtime.gcBgMarkWorker.func2", 10, "runtime.gcBgMarkWorker.func2"},
		{"internal/runtime/syscall.EpollWait", 20, "syscall.EpollWait"},
		// others
		{"-[NSRunLoop(NSRunLoop) runMode:beforeDate:]", 10, "-[NSRunLoop runMode:beforeDate:]"},
		{"__pthread_cond_wait_common", 10, "__pthread_cond_wait_common"},
	} {
		if got := Narrow(tt.name, tt.room); got != tt.want {
			t.Errorf("%s\nin %d columns is %s\nwant          %s", tt.name, tt.room, got, tt.want)
		}
	}
}

func FuzzNarrow(f *testing.F) {
	f.Add("void ns::visit<"+longType+" >("+longType+")", 20)
	f.Add("/", 0)
	f.Add("<"+longPath+" as core::clone::Clone>::operator()(…)", 3)
	f.Fuzz(func(t *testing.T, name string, room int) {
		if short := Narrow(name, room); short == "" && strings.TrimSpace(name) != "" {
			t.Errorf("%q became nothing", name)
		}
	})
}
