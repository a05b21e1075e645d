package golang

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"stacksnap/images/object"
	"stacksnap/task"
)

// users of the runtime's variables: functions that every Go program has, by the names in Go's own table.
var codeOf = []string{"runtime.schedinit", "runtime.forEachGRace", "runtime.goroutineheader", "runtime.mcommoninit", "runtime.semacquire1"}

var errNotInCode = errors.New("the code does not show where they are")

// search finds the variables in a program without symbols: by the functions that use them, and by what is in them.
// What does not prove to be one of them is not taken for it.
func (r *Runtime) search() error {
	functions := object.GoFunctions(r.image.File, codeOf...)
	if functions == nil {
		return errNotInCode
	}
	var uses [5][]task.Addr
	for i := range functions {
		uses[i] = r.references(functions[i])
	}
	version := slices.IndexFunc(uses[0], r.isVersion)
	if version < 0 {
		return errNotInCode
	}
	if err := r.identify(uses[0][version]); err != nil {
		return err
	}
	if !r.findList(uses[1]) || !r.findReasons(uses[2]) {
		return errNotInCode
	}
	if i := slices.IndexFunc(uses[3], r.isThreads); i >= 0 {
		r.allm = uses[3][i]
	}
	r.semaphoreTables, r.unproven = uses[4], true
	return nil
}

// versionText is what a program's version begins with.
var versionText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(go1\.|devel go1\.)\d+`) })

func (r *Runtime) isVersion(at task.Addr) bool {
	text, err := readString(r.memory, at, maxVersion)
	return err == nil && versionText().MatchString(text)
}

// findList finds the list of goroutines and its length among variables.
func (r *Runtime) findList(among []task.Addr) bool {
	for _, r.length = range among {
		for _, r.list = range among {
			if r.length != r.list && r.isList() {
				return true
			}
		}
	}
	return false
}

// maxProven is how many elements of a list are read to prove it.
const maxProven = 256

// isList reports whether the list is one of goroutines, beginning with the main one.
func (r *Runtime) isList() bool {
	length, err := task.ReadPointer(r.memory, r.length, 8)
	if err != nil || length == 0 || length > maxGoroutines {
		return false
	}
	list, _, err := r.addresses()
	if err != nil || len(list) != int(length) {
		return false
	}
	w := make(words, r.layout.used())
	for i, at := range list[:min(len(list), maxProven)] {
		if !r.readGoroutine(w, at) || i == 0 && w.word(r.layout.id) != mainID {
			return false
		}
	}
	return true
}

// readGoroutine reads the goroutine at an address. It returns false if there is none.
func (r *Runtime) readGoroutine(w words, at task.Addr) bool {
	for range maxTries { // it may change meanwhile
		if task.ReadFull(r.memory, w, at) == nil && r.isGoroutine(w, at) {
			return true
		}
	}
	return false
}

// isGoroutine reports whether a goroutine was read from an address.
func (r *Runtime) isGoroutine(w words, at task.Addr) bool {
	s, ok := r.layout.decode(w, at)
	switch {
	case s.status == isCopied:
		return s.id != 0
	case !ok:
		return false
	case s.status.isNone():
		return true
	}
	isStack := s.low < s.high && s.high-s.low <= maxStack
	return isStack && s.id != 0 && w.addr(r.layout.self) == at && (s.status.isThread() || r.inImage(task.Addr(s.pc)))
}

func (r *Runtime) inImage(a task.Addr) bool { return a >= r.image.Load && a < r.image.End() }

// findReasons finds the table of wait reasons among variables.
func (r *Runtime) findReasons(among []task.Addr) bool {
	for _, at := range among {
		reasons := r.readReasons(at, 16*maxReasons)
		if len(reasons) == 0 || reasons[0] != "" {
			continue
		}
		if end := slices.IndexFunc(reasons[1:], isNoReason); end >= 0 {
			reasons = reasons[:1+end] // what follows is another variable
		}
		if slices.Contains(reasons, receives) && slices.Contains(reasons, "select") && slices.Contains(reasons, "semacquire") {
			r.reasons = reasons
			return true
		}
	}
	return false
}

// isNoReason reports whether a text is none of the table's, after its first.
func isNoReason(text string) bool {
	return text == "" || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' })
}

// isThreads reports whether a variable is the list of threads: each has a goroutine for the scheduler, which refers
// to the thread.
func (r *Runtime) isThreads(at task.Addr) bool {
	m, err := task.ReadPointer(r.memory, at, 8)
	n := 0
	for ; err == nil && m != 0 && n < maxProven; n++ {
		g0, err := task.ReadPointer(r.memory, m, 8)
		if err != nil {
			return false
		}
		if of, err := task.ReadPointer(r.memory, g0+task.Addr(r.layout.m), 8); err != nil || of != m {
			return false
		}
		m, err = task.ReadPointer(r.memory, m+task.Addr(r.layout.nextM), 8)
		if err != nil {
			return false
		}
	}
	return err == nil && n > 0
}
