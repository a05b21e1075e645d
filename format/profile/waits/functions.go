package waits

import (
	"slices"
	"strings"

	"stacksnap/task"
	"stacksnap/unwind"
)

// The functions, without leading underscores, that say more about a wait than its system
// call does (glibc 2.36, nptl/pthread_mutex_lock.c, pthread_mutex_timedlock.c,
// pthread_rwlock_*.c, pthread_join_common.c).
var (
	mutexFunctions = set{"pthread_mutex_lock", "pthread_mutex_lock_full", "pthread_mutex_timedlock",
		"pthread_mutex_clocklock", "pthread_mutex_clocklock_common", "pthread_mutex_cond_lock",
		"pthread_mutex_cond_lock_full", "lll_lock_wait", "lll_lock_wait_private"}
	readFunctions  = set{"pthread_rwlock_rdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock"}
	writeFunctions = set{"pthread_rwlock_wrlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock"}
	joinFunctions  = set{"pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np", "pthread_clockjoin_ex"}
	condFunctions  = set{"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"}
	semFunctions   = set{"sem_wait", "sem_timedwait", "sem_clockwait", "new_sem_wait", "new_sem_wait_slow",
		"new_sem_wait_fast"}
	onceFunctions = set{"pthread_once", "pthread_once_slow"}
	// Those that look up names of machines, without digits at the end (glibc, nss/getXXbyYY_r.c and
	// resolv/; musl, src/network/).
	lookUpFunctions = set{"getaddrinfo", "getaddrinfo_a", "getnameinfo", "gethostbyname", "gethostbyname_r", "gethostbyname2_r",
		"gethostbyaddr", "gethostbyaddr_r", "gaih_inet", "res_search", "res_query", "res_nquery", "res_send", "res_nsend",
		"res_context_search", "res_context_query", "res_context_send", "nss_dns_gethostbyname_r", "nss_dns_gethostbyname2_r",
		"nss_dns_gethostbyname3_r", "nss_dns_gethostbyname4_r", "nss_dns_gethostbyaddr_r", "nss_dns_gethostbyaddr2_r",
		"name_from_dns", "lookup_name", "res_msend", "res_msend_rc"}
)

// set is a set of names. It is no map: the program would make that each time that it starts.
type set []string

func (s set) has(name string) bool { return slices.Contains(s, name) }

// functions returns the names of the innermost maxFrames frames, without the decoration of
// libraries and compilers ("__GI___pthread_mutex_lock",
// "__new_sem_wait_slow64.constprop.0").
func (f *Finder) functions(frames []unwind.Frame) []string {
	return f.functionsOf(frames[:min(len(frames), maxFrames)])
}

func (f *Finder) functionsOf(frames []unwind.Frame) []string {
	if f.images == nil {
		return nil
	}
	names := make([]string, len(frames))
	for i := range frames {
		names[i] = f.located(frames, i).name
	}
	return names
}

// frameKey is all of a frame and its caller that its name depends on.
type frameKey struct {
	pc, caller            task.Addr
	isReturn, callerKnown bool
}

// located is a frame's function, and its name without decoration.
type located struct{ function, name string }

// maxLocated is how many functions are kept.
const maxLocated = 1 << 12

// located returns the function of frame i. Threads that wait in the same place have it looked up once.
func (f *Finder) located(frames []unwind.Frame, i int) located {
	key := frameKey{pc: frames[i].PC, isReturn: frames[i].Return}
	if i+1 < len(frames) && frames[i+1].Return && !frames[i+1].By.Guess() {
		key.caller, key.callerKnown = frames[i+1].PC, true
	}
	is, ok := f.functionsAt[key]
	if !ok {
		if f.functionsAt == nil || len(f.functionsAt) == maxLocated {
			f.functionsAt = map[frameKey]located{}
		}
		is = f.locate(key)
		f.functionsAt[key] = is
	}
	return is
}

func (f *Finder) locate(key frameKey) located {
	l := f.images.Locate(key.pc, key.isReturn)
	raw := l.Raw
	if raw == "" && key.callerKnown {
		raw = f.callee(key.caller)
	}
	if i := strings.IndexAny(raw, "@.$"); i > 0 {
		raw = raw[:i]
	}
	return located{l.Function, strings.TrimRight(undecorated(raw), "0123456789")}
}

// undecorated removes glibc's prefixes from the name of a function ("__GI___poll").
func undecorated(name string) string {
	return strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(name, "_"), "GI_"), "_")
}

// within returns the innermost function of a thread that is in one of the sets, empty if there
// is none.
func (f *Finder) within(frames []unwind.Frame, sets ...set) string {
	for _, name := range f.functions(frames) {
		if slices.ContainsFunc(sets, func(s set) bool { return s.has(name) }) {
			return name
		}
	}
	return ""
}
