package unwind

import (
	"strings"

	"stacksnap/images"
	"stacksnap/unwind/rule"
)

// outermost knows the functions that nothing has called, and of which no unwind
// information says so, by their names. It is a rule.Source.
type outermost struct {
	images rule.PerImage[tops]
}

// tops is what one image has of such functions.
type tops struct {
	names []string // as the symbols have them
}

// Where threads begin. On Linux it is _start (crt1.o, ld.so), musl's loader has a
// name of its own. Darwin's names are
// those of dyld (dyldStartup.s), libdyld (start_glue.s: nop, and then what stands
// in for the caller of main) and libpthread (pthread_asm.s); other programs may
// use them for what they like.
var (
	elfTops     = []string{"_start", "_dlstart", "_dl_start_user"}
	dyldTops    = []string{"_dyld_start", "__dyld_start"}
	libdyldTops = []string{"start"}
	pthreadTops = []string{"thread_start", "start_wqthread", "_thread_start", "_start_wqthread"}
)

// find goes by the names of libraries.
func (t *tops) find(im *images.Image) {
	switch name := im.Name(); {
	case !isMachOFile(im.File):
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
