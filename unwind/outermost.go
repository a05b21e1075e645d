package unwind

import (
	"strings"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/unwind/rule"
)

// outermost recognises, by name, the functions that have no caller although no unwind
// information says so. It is a [rule.Source].
type outermost struct {
	images rule.PerImage[tops]
}

// tops holds an image's outermost functions.
type tops struct {
	names []string // as in the symbol table
}

// The functions where threads begin. On Linux that is _start (crt1.o, ld.so), or the
// name that musl's loader has. Darwin's are in dyld (dyldStartup.s), libdyld
// (start_glue.s: a nop, then what main returns to) and libpthread (pthread_asm.s);
// other images may use those names for something else.
var (
	elfTops     = []string{"_start", "_dlstart", "_dl_start_user"}
	dyldTops    = []string{"_dyld_start", "__dyld_start"}
	libdyldTops = []string{"start"}
	pthreadTops = []string{"thread_start", "start_wqthread", "_thread_start", "_start_wqthread"}
)

// find selects the names by the library's name.
func (t *tops) find(im *images.Image) {
	name := im.Name()
	_, machO := object.TextSegment(im.File)
	switch {
	case !machO:
		t.names = elfTops
	case name == "dyld":
		t.names = dyldTops
	case strings.HasPrefix(name, "libdyld."):
		t.names = libdyldTops
	case strings.HasPrefix(name, "libsystem_pthread."), strings.HasPrefix(name, "libSystem."):
		t.names = pthreadTops
	}
}

// Rule implements [rule.Source].
func (o *outermost) Rule(q rule.Query) (rule.Rule, error) {
	if q.Image == nil || q.Image.File == nil {
		return rule.Rule{}, rule.ErrNone
	}
	if o.images.Of(q.Image, (*tops).find).named(&q) {
		return rule.Bottom(), nil
	}
	return rule.Rule{}, rule.ErrNone
}

func (t *tops) named(q *rule.Query) bool {
	if t.names == nil {
		return false
	}
	sym, ok := q.Image.File.Symbol(q.VMAddr())
	if !ok {
		return false
	}
	for _, name := range t.names {
		if sym.Name == name {
			return true
		}
	}
	return false
}
