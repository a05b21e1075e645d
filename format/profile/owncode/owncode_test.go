package owncode

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/unwind"
)

// TestIs: what is own code and what is not, as names and files come from real programs.
func TestIs(t *testing.T) {
	program := &profile.Image{Path: "/srv/shop/shop", Main: true}
	for _, c := range []struct {
		own            bool
		function, file string
	}{
		// C
		{true, "main", ""},
		{true, "main", "/srv/shop/shop.c"},
		{true, "transfer", "/srv/shop/orders.c"},
		{true, "read", "/srv/shop/reader.c"}, // the program's own function of that name
		{true, "log.part", ""},
		{false, "read", ""},
		{false, "__poll", ""},
		{false, "__lll_lock_wait", ""},
		{false, "_start", ""},
		{false, "sccp", ""},                   // musl, in a program without shared libraries
		{false, "libc_start_main_stage2", ""}, // likewise
		{false, "start", "/srv/dyld/start.cpp"},
		{false, "__libc_start_call_main", "../sysdeps/nptl/libc_start_call_main.h"},
		{false, "start_thread", "./nptl/pthread_create.c"},
		{false, "read@plt", ""},
		{false, "", ""},
		{false, profile.Trampoline, ""},
		{false, profile.Further, ""},

		// C++
		{true, "transfer(Account&, Account&)", "/srv/shop/orders.cpp"},
		{true, "std_dev(std::vector<double> const&)", ""},
		{true, "shop::take(std::mutex&)", ""},
		{true, "std::mutex& shop::lockOf<int>(int)", ""},
		{true, "shop::Clerk::operator()(int) const", ""},
		{true, "shop::Clerk::operator bool() const", ""},
		{true, "(anonymous namespace)::work(int)", ""},
		{true, "main::{lambda(std::string)#1}::operator()(std::string) const", ""},
		{true, "operator()", "/srv/shop/orders.cpp"}, // a lambda's
		{true, "core::Engine::run()", ""},            // no crate of Rust's
		{true, "core::Engine::run", "/srv/shop/engine.cpp"},
		{true, "auto shop::sum<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const", ""},
		{true, "operator new(unsigned long)", "/srv/shop/arena.cpp"}, // in the place of the library's
		{true, "shop::Clerk::operator new(unsigned long)", ""},
		{false, "operator new(unsigned long)", ""}, // libc++abi's, linked statically
		{false, "operator delete[](void*, unsigned long)", ""},
		{false, "operator()", "/usr/include/c++/13/bits/invoke.h"},
		{false, "std::mutex::lock()", "/usr/include/c++/13/bits/std_mutex.h"},
		{false, "std::mutex::lock()", ""},
		{false, "__gthread_mutex_lock(pthread_mutex_t*)", "/usr/include/x86_64-linux-gnu/c++/13/bits/gthr-default.h"},
		{false, "__gthread_mutex_lock", "/srv/shop/shop.c"},
		{false, "void std::__invoke_impl<void, main::{lambda()#1}>(std::__invoke_other, main::{lambda()#1}&&)", ""},
		{false, "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()", ""},
		{false, "std::function<void (int)>::operator()(int) const", ""},
		{false, "std::function<void ()>::operator bool() const", ""},
		{false, "std::default_delete<shop::Clerk>::operator()(shop::Clerk*) const", ""},
		{false, "std::__1::default_delete<shop::Clerk>::operator()[abi:ne180100](shop::Clerk*) const", ""},
		{false, "std::enable_if<true, void>::type std::default_delete<Clerk []>::operator()<Clerk>(Clerk*) const", ""},
		{false, "void std::__invoke<shop::Clerk&>(shop::Clerk&)", "invoke.h"},
		{false, "operator()", "unique_ptr.h"},
		{false, "operator()", "bits/unique_ptr.h"},
		{false, "operator()", "functional"},
		{false, "sort<int*>", "stl_algo.h"},
		{false, "_M_invoke<0, 1>", ""},
		{false, "execute_native_thread_routine", ""}, // libstdc++'s, in a program without shared libraries
		{true, "operator()", "orders.h"},
		{true, "operator()", "/srv/shop/invoke.h"},
		{true, "work", "/srv/shop/thread"},
		{false, "decltype(auto) std::invoke<shop::Clerk>(shop::Clerk&&)", ""},
		{false, "boost::asio::detail::epoll_reactor::run(long, boost::asio::detail::op_queue<int>&)", ""},
		{true, "node::SyncProcessRunner::Spawn(v8::FunctionCallbackInfo<v8::Value> const&)", ""},
		{false, "uv__io_poll", "../deps/uv/src/unix/linux.c"},
		{false, "nlohmann::json::parse", "/usr/include/nlohmann/json.hpp"},

		// Rust
		{true, "shop::main", "src/main.rs"},
		{true, "shop::wait_for", "/srv/shop/src/main.rs"},
		{true, "shop::main::{{closure}}", "src/main.rs"},
		{true, "<shop::Clerk as core::fmt::Display>::fmt", ""},
		{true, "<alloc::vec::Vec<u8> as shop::Serve>::serve", ""},
		{false, "std::sync::mutex::Mutex<T>::lock", "/rustc/9fc6b43/library/std/src/sync/mutex.rs"},
		{false, "std::sys::sync::mutex::futex::Mutex::lock_contended", ""},
		{false, "core::ops::function::FnOnce::call_once{{vtable.shim}}", ""},
		{false, "core::ptr::drop_in_place<shop::Clerk>", ""},
		{false, "<alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once", ""},
		{false, "<F as core::str::pattern::Pattern>::into_searcher", ""},
		{false, "<&mut I as core::iter::traits::iterator::Iterator>::next", ""},
		{false, "tokio::runtime::park::Parker::park", "/root/.cargo/registry/src/index.crates.io-6f17/tokio-1.38.0/src/runtime/park.rs"},

		// Go
		{true, "main.main", "/srv/shop/main.go"},
		{true, "shop/clerk.(*Clerk).Work", "/srv/shop/clerk/clerk.go"},
		{true, "example.com/shop.Work", "example.com/shop/work.go"},
		{false, "runtime.mPark", "/usr/local/go/src/runtime/proc.go"},
		{false, "runtime.futex", "/usr/local/go/src/runtime/sys_linux_amd64.s"},
		{false, "runtime.mPark", ""},
		{false, "sync.(*Mutex).Lock", "sync/mutex.go"},
		{false, "internal/poll.(*FD).Read", "/opt/toolchain/src/internal/poll/fd_unix.go"},
		{false, "net/http.(*conn).serve", "/opt/toolchain/src/net/http/server.go"},
		{false, "google.golang.org/grpc.(*Server).Serve", "/root/go/pkg/mod/google.golang.org/grpc@v1.64.0/server.go"},
		{false, "google.golang.org/grpc.(*Server).Serve", "google.golang.org/grpc@v1.64.0/server.go"},

		// Swift, Objective-C
		{true, "Shop.Clerk.work()", ""},
		{true, "-[Clerk work]", ""},
		{false, "Swift.Array.append(_:)", ""},
	} {
		l := profile.Location{Image: program, Function: c.function, File: c.file}
		if got := Is(&l); got != c.own {
			t.Errorf("%s (%s): own %v", c.function, c.file, got)
		}
	}
}

// TestImages: a library that comes with the program is its own, one of the system is not.
func TestImages(t *testing.T) {
	for _, c := range []struct {
		own   bool
		image profile.Image
	}{
		{true, profile.Image{Path: "/usr/sbin/nginx", Main: true}},
		{true, profile.Image{Path: "/srv/shop/lib/libclerk.so"}},
		{true, profile.Image{Path: "/Applications/Shop.app/Contents/Frameworks/Clerk.framework/Clerk"}},
		{false, profile.Image{Path: "/srv/shop/lib/libstdc++.so.6"}},
		{false, profile.Image{Path: "/usr/lib/x86_64-linux-gnu/libc.so.6"}},
		{false, profile.Image{Path: "/System/Library/Frameworks/AppKit.framework/AppKit"}},
		{false, profile.Image{Path: "[vdso]"}},
		{false, profile.Image{Path: "libclerk.dylib"}},
	} {
		l := profile.Location{Image: &c.image, Function: "work"}
		if got := Is(&l); got != c.own {
			t.Errorf("%s: own %v", c.image.Path, got)
		}
	}
	for _, l := range []profile.Location{
		{Function: "work"},
		{Function: "work", Kernel: true, Image: &profile.Image{Main: true}},
	} {
		if Is(&l) {
			t.Errorf("%+v is own", l)
		}
	}
}

// TestGenerated: of what compilers make at run time, what has a source of the program's.
func TestGenerated(t *testing.T) {
	jit := &profile.Image{Path: "/tmp/perf-4711.map", Generated: true}
	for name, own := range map[string]bool{
		"JS:~work /srv/app.js:12:3":              true,
		"LazyCompile:*work file:///srv/a.mjs:1":  true,
		"LazyCompile:~emit node:events:456:44":   false,
		"JS:*get /srv/node_modules/lru/a.js:1:1": false,
		"Builtin:InterpreterEntryTrampoline":     false,
		"Interpreter":                            false,
		"Lshop/Clerk;::work":                     true,
		"shop.Clerk::work":                       true,
		"Ljava/util/HashMap;::get":               false,
		"jdk.internal.misc.Unsafe::park":         false,
	} {
		if got := Is(&profile.Location{Image: jit, Function: name}); got != own {
			t.Errorf("%s: own %v", name, got)
		}
	}
}

func TestInnermost(t *testing.T) {
	program, libc := &profile.Image{Main: true}, &profile.Image{Path: "/lib/libc.so.6"}
	node := func(im *profile.Image, name string) *profile.Node {
		return &profile.Node{Location: profile.Location{Image: im, Function: name}}
	}
	path := []*profile.Node{node(program, "_start"), node(program, "main"), node(program, "take"), node(program, "std::mutex::lock()"), node(libc, "futex_wait")}
	if got := Innermost(path); got != path[2] {
		t.Errorf("innermost %v", got)
	}
	path[2].By, path[2].Why = unwind.ByFramePointer, "no rule"
	if got := Innermost(path); got != path[1] {
		t.Errorf("innermost %v, which may not exist", got)
	}
	path[1].By = unwind.ByScan
	if got := Innermost(path); got != nil {
		t.Errorf("innermost %v, which is a guess", got)
	}
	if got := Innermost(path[:1]); got != nil {
		t.Errorf("innermost %v", got)
	}
}

// TestManaged: Python code is own if it lies neither in Python's library nor in packages of others.
func TestManaged(t *testing.T) {
	python := &profile.Image{Path: "CPython 3.12.1", Runtime: true}
	for file, want := range map[string]bool{
		"/srv/app/views.py":                true,
		"app.py":                           true,
		"<string>":                         true,
		"<stdin>":                          true,
		"<frozen importlib._bootstrap>":    false,
		"":                                 false,
		"/usr/lib/python3.11/threading.py": false,
		"/root/.pyenv/versions/3.13.0/lib/python3.13t/queue.py": false,
		"/opt/python/lib64/python3.9/json/decoder.py":           false,
		"/srv/venv/lib/python3.12/site-packages/flask/app.py":   false,
		"/usr/lib/python3/dist-packages/apt.py":                 false,
		"/srv/lib/python/app.py":                                true,
		"/srv/lib/pythonic/app.py":                              true,
		"/srv/lib/app.py":                                       true,
	} {
		if got := Is(&profile.Location{Image: python, Function: "work", File: file}); got != want {
			t.Errorf("own code in %q: %t, want %t", file, got, want)
		}
	}
	for path, want := range map[string]bool{
		"/usr/bin/python3.11": false, "/usr/bin/python": false, "/opt/python3.13t": false, "/usr/bin/python3-config": true, "/srv/pythonic": true,
	} {
		if got := Is(&profile.Location{Image: &profile.Image{Path: path, Main: true}, Function: "time_sleep"}); got != want {
			t.Errorf("native code of %s: %t, want %t", path, got, want)
		}
	}
	for path, want := range map[string]bool{
		"/srv/app/fast.cpython-312-x86_64-linux-gnu.so": true, "/opt/python/lib/python3.12/lib-dynload/select.so": false, "/srv/venv/lib/python3.12/site-packages/numpy/core.so": false,
	} {
		if got := Is(&profile.Location{Image: &profile.Image{Path: path}, Function: "step"}); got != want {
			t.Errorf("native code of %s: %t, want %t", path, got, want)
		}
	}
}
