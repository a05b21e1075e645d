package waits

import (
	"iter"
	"strings"
	"unicode"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// ProvesIdle reports whether the wait and the stack prove that a thread has nothing to do: the
// wait is that of an event loop, a known one or the program's own, and no function on the stack
// waits for something in particular. It returns false if that is not known. stack begins with
// the outermost frame.
func ProvesIdle(w *profile.Wait, stack []*profile.Node) bool { return isLoop(w, stack, roleOf(stack)) }

// isLoop reports whether a wait, on a stack with that role, is that of an event loop. A known
// loop is idle even if the only descriptor that it polls leads to a known process.
func isLoop(w *profile.Wait, stack []*profile.Node, of role) bool {
	return of == loopRole && idlenessOf(w) >= parked || of == noRole && IsParked(w) && IsIdle(w) && isOwnLoop(stack)
}

// ProvesParked is ProvesIdle for a thread other than the main one. Such a thread may also be a
// worker that waits for work, or wait for the next connection.
func ProvesParked(w *profile.Wait, stack []*profile.Node) bool {
	role := roleOf(stack)
	isWorker := role == workerRole || role == noRole && w != nil && parkingCalls.has(w.Call)
	return isWorker && IsParked(w) || isLoop(w, stack, role)
}

// parkingCalls are made for whatever comes next, by no loop that would have a name.
var parkingCalls = set{"accept", "accept4", "workq_kernreturn"}

// role is what the known functions on a stack show about its wait.
type role uint8

const (
	noRole     role = iota // nothing
	loopRole               // one of them is an event loop
	workerRole             // one of them waits for work, in a pool or a runtime
	waiterRole             // one of them waits for something in particular, whatever the others do
)

// roleOf returns the role of a stack. A waiter anywhere on the stack decides, because a function
// that waits for something in particular may run an event loop for that, as a modal dialog does.
// Otherwise the innermost function with a role decides.
func roleOf(stack []*profile.Node) (found role) {
	for i := len(stack) - 1; i >= 0; i-- {
		switch is := functionRole(stack[i].Function); {
		case is == waiterRole:
			return waiterRole
		case found == noRole:
			found = is
		}
	}
	return found
}

// functionRole returns the role of a function, by all of its names: if one of them is a
// waiter's, that decides.
func functionRole(function string) (found role) {
	for name := range names(function) {
		switch is := roles()[name]; {
		case is == waiterRole:
			return waiterRole
		case found == noRole:
			found = is
		}
	}
	return found
}

// names yields the names that a function may have in [roles]: its name as it is, without the C
// library's prefixes, and, for C++ or Rust, without types, with all of its namespaces down to
// one.
func names(function string) iter.Seq[string] {
	return func(yield func(string) bool) {
		plain := untyped(withoutBrackets(owncode.Qualified(function)))
		if function == "" || !yield(function) || !yield(undecorated(function)) || !yield(plain) {
			return
		}
		for {
			_, rest, more := strings.Cut(plain, "::")
			if !more || !strings.Contains(rest, "::") || !yield(rest) {
				return
			}
			plain = rest
		}
	}
}

// withoutBrackets returns the name of a Rust method without the brackets around its type:
// Mutex<T>::lock for <Mutex<T>>::lock. It does not change the name of a trait's method.
func withoutBrackets(name string) string {
	depth := 0
	for i, c := range name {
		switch {
		case i == 0 && c != '<':
			return name
		case c == '<':
			depth++
		case c == '>' && name[i-1] != '-':
			depth--
		}
		if depth == 0 {
			if strings.Contains(name[:i], " as ") {
				break
			}
			return name[1:i] + name[i+1:]
		}
	}
	return name
}

// untyped returns a name without template arguments: Mutex::lock for Mutex<T>::lock.
func untyped(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, c := range name {
		switch {
		case c == '<':
			depth++
		case c == '>' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return strings.ReplaceAll(b.String(), "::::", "::")
}

// isOwnLoop reports whether a wait is that of an event loop of the program itself: its own code
// makes the call, in main or in a function with a name that is usual for loops, and no function
// from there out to main has a name that is usual for functions that wait for something.
func isOwnLoop(stack []*profile.Node) bool {
	at := len(stack) - 1
	for at >= 0 && isCallItself(stack[at]) {
		at--
	}
	if at < 0 || !owncode.Is(&stack[at].Location) {
		return false
	}
	isLoop := owncode.IsBeginning(stack[at].Function)
	for _, n := range stack[:at+1] {
		for _, word := range wordsOf(n.Function) {
			if waiterWords.has(word) {
				return false
			}
			isLoop = isLoop || owncode.Is(&n.Location) && !owncode.IsBeginning(n.Function) && (loopWords.has(word) || strings.HasSuffix(word, "loop"))
		}
	}
	return isLoop
}

// isCallItself reports whether a frame is in the kernel, or in the C library on the way there.
func isCallItself(n *profile.Node) bool {
	name := undecorated(n.Function)
	_, isLinux := linuxCalls()[name]
	_, isDarwin := darwinCalls()[name]
	return n.Kernel || !owncode.Is(&n.Location) && (isLinux || isDarwin || isCLibrary(n.Image))
}

func isCLibrary(im *profile.Image) bool {
	if im == nil || im.Main {
		return false
	}
	for _, prefix := range []string{"libc.", "libc-", "ld-", "libpthread", "libsystem_", "[vdso]", "linux-vdso"} {
		if strings.HasPrefix(im.Name(), prefix) {
			return true
		}
	}
	return false
}

// wordsOf returns the words in the last part of a function's name, in lower case: process and
// events for shop::Server::processEvents or process_events.
func wordsOf(function string) []string {
	name := untyped(owncode.Qualified(function))
	if i := strings.LastIndexAny(name, ":."); i >= 0 {
		name = name[i+1:]
	}
	var b strings.Builder
	wasLower := false
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c):
			c = ' '
		case unicode.IsUpper(c) && wasLower:
			b.WriteByte(' ')
		}
		wasLower = unicode.IsLower(c)
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.Fields(b.String())
}

// Words in the names of functions that wait for something, and in those of loops.
var (
	waiterWords = set{"wait", "waits", "await", "lock", "locked", "acquire", "sleep", "join", "sync", "block", "barrier", "flush",
		"commit", "fetch", "query", "request", "reply", "response", "result", "handshake", "connect", "recv", "receive", "send",
		"lookup", "resolve", "download", "upload", "rpc", "transaction", "complete", "finish", "drain", "transfer", "write", "read"}
	loopWords = set{"loop", "run", "serve", "server", "poll", "event", "events", "dispatch", "reactor", "worker", "cycle", "accept",
		"listen", "pump", "daemon", "master", "idle", "main"}
)
