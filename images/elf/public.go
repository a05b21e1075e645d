package elf

import (
	"cmp"
	"iter"
	"strings"

	"stacksnap/images/object"
)

// publicName returns a public alias ("poll") of a function whose preferred name is
// reserved to its library ("__poll", "__libc_malloc"): an exported symbol of the same
// address and size. It prefers current versions, then the strongest binding, then the
// shortest name: open, not open64. It is "" if there is none.
func publicName(s *object.Symbol, aliases iter.Seq2[object.Entry, string]) string {
	if !isReserved(s.Name) {
		return ""
	}
	var best alias
	for e, name := range aliases {
		a := alias{name, isOutdated(name), e.Rank}
		if e.Size != s.Size || e.Size == 0 || e.Rank >= rankLocal || isReserved(name) {
			continue
		}
		if best.name == "" || a.compare(best) < 0 {
			best = a
		}
	}
	return best.name
}

// alias is one of the names of a function.
type alias struct {
	name     string
	outdated bool
	rank     uint8
}

// compare is negative if a is better than b.
func (a alias) compare(b alias) int {
	if a.outdated != b.outdated {
		if b.outdated {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.name), len(b.name)))
}

// isReserved reports whether C reserves a name to the implementation (ISO C, 7.1.3),
// or it is "". Mangled names of C++ and Rust are not reserved.
func isReserved(name string) bool {
	if strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") {
		return false
	}
	return name == "" || name[0] == '_'
}

// isOutdated reports whether a symbol version is no longer linked against:
// name@VERSION, unlike name@@VERSION.
func isOutdated(name string) bool {
	at := strings.IndexByte(name, '@')
	return at > 0 && !strings.HasPrefix(name[at:], "@@")
}
