package owncode

import (
	"testing"

	"stacksnap/format/profile"
)

// TestIsStartup: which functions come before a thread's own first one.
func TestIsStartup(t *testing.T) {
	program := &profile.Image{Path: "/srv/shop/shop", Main: true}
	for _, c := range []struct {
		startup        bool
		function, file string
	}{
		{true, "_start", ""},
		{true, "__libc_start_main@@GLIBC_2.34", ""},
		{true, "start_thread", "./nptl/pthread_create.c"},
		{true, "__clone3", ""},
		{true, "runtime.goexit", "/usr/local/go/src/runtime/asm_amd64.s"},
		{true, "std::rt::lang_start_internal::{closure#0}", "/rustc/1/library/std/src/rt.rs"},
		{true, "std::sys::backtrace::__rust_begin_short_backtrace", ""},
		{true, "<alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once", ""},
		{true, "<&dyn core::ops::function::Fn<()> + core::panic::unwind_safe::RefUnwindSafe as core::ops::function::FnOnce<()>>::call_once", ""},
		{true, "core::ops::function::impls::<impl core::ops::function::FnOnce<A> for &F>::call_once", ""},
		{true, "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()", ""},
		{true, "operator()", "/usr/include/c++/12/bits/std_thread.h"},
		{true, "__invoke_impl<void, main()::<lambda()> >", "/usr/include/c++/12/bits/invoke.h"},
		{false, "main", ""},
		{false, "main.main", "/srv/shop/main.go"},
		{false, "operator()", "/srv/shop/orders.cpp"},
		{false, "shop::main", "src/main.rs"},
		{false, "std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h"},
		{false, "pthread_mutex_lock", ""},
		{false, "", ""},
	} {
		if got := IsStartup(&profile.Location{Image: program, Function: c.function, File: c.file}); got != c.startup {
			t.Errorf("%q of %q: %t", c.function, c.file, got)
		}
	}
}

// TestIsPythonStartup: the interpreter's frames before the first function that is written in Python, and
// those with which the threading module begins a thread.
func TestIsPythonStartup(t *testing.T) {
	interpreter := &profile.Image{Path: "/usr/lib/libpython3.11.so.1.0", Symbols: true}
	python := &profile.Image{Path: "CPython 3.11.7", Runtime: true, Symbols: true}
	native := func(function string) *profile.Node {
		return &profile.Node{Location: profile.Location{Function: function, Image: interpreter}}
	}
	managed := func(function, file string) *profile.Node {
		return &profile.Node{Location: profile.Location{Function: function, File: file, Image: python}}
	}
	const threading = "/usr/lib/python3.11/threading.py"
	thread := []*profile.Node{
		native("thread_run"), managed("Thread._bootstrap", threading), managed("run", threading), native("_PyFunction_Vectorcall"), managed("serve", "/srv/app.py"), native("select"),
	}
	elsewhere := []*profile.Node{{Location: profile.Location{Function: "worker", Image: &profile.Image{Path: "/usr/lib/libuv.so"}}}, native("PyEval_EvalCode"), managed("f", "/srv/app.py")}
	for _, c := range []struct {
		stack []*profile.Node
		want  string // an x for each frame that is startup
	}{
		{thread, "xxxx.."},
		{elsewhere, ".x."},
		{[]*profile.Node{native("Py_RunMain"), native("Py_FinalizeEx")}, ".."},
		{[]*profile.Node{managed("Condition.wait", threading), native("acquire")}, ".."},
	} {
		got := ""
		for i := range c.stack {
			got += map[bool]string{true: "x", false: "."}[IsPythonStartup(c.stack, i)]
		}
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
