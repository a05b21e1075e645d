// Package owncode has the one rule for what a program's own code is: what was written in its own
// sources. That is not the standard library of its language, not a library of the system or of
// others, and not the glue that compilers and runtimes put around functions, whether inlined or
// not.
//
// Headline, summary, page, live view and JSON use it to choose the frames that their reader
// wrote.
package owncode

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/unwind"
)

// Is reports whether a frame is in the program's own code and has a name.
func Is(l *profile.Location) bool {
	switch {
	case l.Image == nil || l.Kernel || l.Function == "" || isMark(l.Function):
		return false
	case l.Image.Runtime:
		return isOwnManaged(l)
	case l.Image.Generated:
		return isOwnGenerated(l.Function)
	case !isOwnImage(l.Image) || isForeignFile(l.File) || isGo(l) && isGoStandard(l.Function):
		return false
	}
	return !isGlue(l) && !isForeign(l)
}

// Innermost returns the innermost frame of the program's own code, nil if there is none. path
// begins with the outermost frame. Frames that are guesses are skipped.
func Innermost(path []*profile.Node) *profile.Node {
	for i := len(path) - 1; i >= 0; i-- {
		if n := path[i]; !isDoubtful(n) && Is(&n.Location) {
			return n
		}
	}
	return nil
}

// isDoubtful reports whether a frame may not exist: it was found by scanning the stack, or by
// the frame pointer where a better method should have found it.
func isDoubtful(n *profile.Node) bool {
	return n.By.Guess() || n.By == unwind.ByFramePointer && n.Why != ""
}

// isMark reports whether a name is a placeholder rather than a function.
func isMark(function string) bool {
	return function == profile.Trampoline || function == profile.Further || strings.HasSuffix(function, "@plt") ||
		strings.HasPrefix(function, "DYLD-STUB$$") || strings.HasPrefix(function, "stub helper for ")
}

// isGlue reports whether a function runs before main, begins threads or waits in a system call.
// A function with the name of one in the C library counts only if no source file shows that it
// is the program's.
func isGlue(l *profile.Location) bool {
	name, _, _ := strings.Cut(l.Function, "@") // a symbol's version
	return isBeginning(name) || l.File == "" && (hasPrefix(name, libraryPrefixes) || isLibraryFunction(name))
}

// IsBeginning reports whether programs or threads begin in a function. Such a function says
// nothing about what they do.
func IsBeginning(function string) bool {
	name, _, _ := strings.Cut(function, "@")
	return isMain(name) || isBeginning(name)
}

// isMain reports whether a function is the beginning that the program's own sources have.
func isMain(name string) bool {
	switch name {
	case "main", "main.main":
		return true
	}
	return false
}

// libraryPrefixes begin the names of more such functions: of reserved ones, and of C++'s allocation.
var libraryPrefixes = []string{"__", "operator new", "operator delete"}

// isBeginning reports whether programs or threads begin in a function, besides isMain.
func isBeginning(name string) bool {
	switch name {
	case "_start", "start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
		"libc_start_main_stage2", "start_thread", "start_c11", "clone", "clone3", "__clone", "__clone3", "thread_start", "execute_native_thread_routine", "_pthread_start", "_pthread_body",
		"_pthread_wqthread", "start_wqthread", "_dispatch_worker_thread2", "_dispatch_worker_thread3",
		"runtime.main", "runtime.goexit":
		return true
	}
	return false
}

// isLibraryFunction reports whether a function is of the C library or of a compiler's runtime, which
// programs that are linked without shared libraries have in themselves.
func isLibraryFunction(name string) bool {
	switch name {
	case "read", "write", "readv", "writev", "pread", "pwrite", "pread64", "pwrite64", "open", "open64", "openat", "close",
		"recv", "recvfrom", "recvmsg", "send", "sendto", "sendmsg", "accept", "accept4", "connect", "fsync", "fdatasync",
		"poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "kevent", "ioctl", "fcntl", "flock", "syscall",
		"wait", "wait4", "waitpid", "waitid", "nanosleep", "clock_nanosleep", "usleep", "sleep", "pause", "sigsuspend",
		"sigwait", "sigwaitinfo", "sigtimedwait", "sem_wait", "sem_timedwait", "sem_clockwait", "syscall_cp", "sccp", "cp_begin",
		"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_join",
		"pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_once", "futex_wait", "lll_lock_wait", "futex_wait_cancelable",
		"malloc", "calloc", "realloc", "free", "malloc_consolidate", "_int_malloc", "_int_free", "sysmalloc",
		"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strchr", "strstr",
		"fgets", "fputs", "fread", "fwrite", "fflush", "getline", "getdelim", "printf", "fprintf", "vfprintf", "snprintf",
		"_IO_new_file_underflow", "_IO_file_underflow", "_IO_file_read", "_IO_new_file_write", "_IO_default_uflow", "_IO_getline",
		"qsort", "bsearch", "raise", "abort", "exit", "_exit", "getaddrinfo", "system", "popen", "opendir", "readdir",
		"_Unwind_RaiseException", "_Unwind_Resume", "objc_msgSend", "swift_retain", "swift_release":
		return true
	}
	return false
}
