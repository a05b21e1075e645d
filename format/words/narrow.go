package words

import (
	"iter"
	"slices"
	"strings"
)

// Narrow shortens the name of a function to at most room columns, as a person would. It drops
// first the arguments, then the template arguments, from the inside out, then the return type,
// and then the namespaces. It never cuts the class and the function, so the result may be wider
// than room.
func Narrow(name string, room int) string {
	for short := range narrowed(name) {
		if short == "" { // nothing follows the last separator
			break
		}
		if name = short; Columns(name) <= room {
			break
		}
	}
	return name
}

// narrowed yields a name in ever shorter forms.
func narrowed(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		short := name
		for short = range unfilled(name) {
			if !yield(short) {
				return
			}
		}
		short = untyped(short)
		if !yield(short) {
			return
		}
		for short = range unqualified(short) {
			if !yield(short) {
				return
			}
		}
		yield(unmarked(short))
	}
}

// phrases occur in the names that Swift gives to code that the compiler has made for a function.
var phrases = []string{" in ", " of ", " for ", " to "}

// untyped drops the return type of a function: before its name in C++, after it in Swift. It
// also drops what follows the arguments.
func untyped(name string) string {
	for _, phrase := range phrases {
		if strings.Contains(name, phrase) {
			return name
		}
	}
	last, arrow := 0, -1
	for i := range outside(name) {
		switch {
		case arrow < 0 && strings.HasPrefix(name[i:], " -> "):
			arrow = i
		case name[i] == ')':
			last = i + 1
		}
	}
	switch {
	case arrow > 0:
		return name[:arrow]
	case last == 0 || last < len(name) && name[last] != ' ':
		return name
	}
	if short := lastWord(name[:last]); !strings.HasPrefix(short, "(*") && !strings.HasPrefix(short, "(.") {
		return short
	}
	return name
}

// lastWord returns the part of a name after its last blank outside brackets.
func lastWord(name string) string {
	begin := 0
	for i := range outside(name) {
		if name[i] == ' ' {
			begin = i + 1
		}
	}
	return name[begin:]
}

// unqualified yields a name with its namespaces or packages dropped one by one, from the left.
// The last two parts are kept, and those of closures.
func unqualified(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if short := plainTypes(name); short != name {
			if name = short; !yield(name) {
				return
			}
		}
		starts := parts(name)
		for _, start := range starts[:max(len(starts)-kept(name, starts), 0)] {
			if !yield(name[start:]) {
				return
			}
		}
	}
}

// plainTypes drops the namespaces of Rust's types in <TYPE as TRAIT>::function.
func plainTypes(name string) string {
	if !strings.HasPrefix(name, "<") {
		return name
	}
	for i := range outside(name) {
		if name[i] == '>' {
			of, trait, both := strings.Cut(name[1:i], " as ")
			short := "<" + lastPart(of)
			if both {
				short += " as " + lastPart(trait)
			}
			return short + name[i:]
		}
	}
	return name
}

func lastPart(name string) string {
	if starts := parts(name); len(starts) > 0 {
		return name[starts[len(starts)-1]:]
	}
	return name
}

// parts returns the indices at which the parts of a qualified name begin, except the first:
// those of C++ and Rust, the last package of a path in Go, and those of a function in Swift.
func parts(name string) []int {
	var scopes, dots []int
	slash := -1
	for i := range outside(name) {
		switch {
		case strings.HasPrefix(name[i:], "::") && !strings.HasPrefix(name[i:], "::<"): // Rust's ::<T> belongs to the function
			scopes = append(scopes, i+len("::"))
		case name[i] == '/':
			slash = i + 1
		case name[i] == '.':
			dots = append(dots, i+1)
		}
	}
	switch {
	case len(scopes) > 0:
		return scopes
	case slash > 0:
		return []int{slash, slash} // the package and the function stay
	case strings.HasSuffix(name, ")") && !strings.Contains(name, " "):
		return dots
	}
	return nil
}

// kept returns the number of parts to keep besides the first: the function, and the closures in
// it.
func kept(name string, starts []int) int {
	n := 1
	for i := len(starts) - 1; i > 0; i-- {
		part := name[starts[i]:]
		if !hasOneOf(part, "{", "'", "operator()") {
			break
		}
		n++
	}
	return n
}

// unmarked drops the marks that replace dropped parts of a name, except in its class.
func unmarked(name string) string {
	short := strings.ReplaceAll(name, "(…)", "")
	if !strings.HasSuffix(short, "operator()") {
		short = strings.TrimSuffix(short, "()")
	}
	short = strings.TrimRight(strings.TrimSuffix(short, "<…>"), " :")
	if short == "" {
		return name
	}
	return short
}

// outside iterates over the indices of a name that are outside brackets. A bracket itself is
// outside if no other brackets enclose it.
func outside(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		depth, last := 0, rune(0)
		for i := 0; i < len(name); {
			if word := operatorAt(name[i:], last); word != "" {
				i, last = i+len(word), '_'
				continue
			}
			c := name[i]
			if strings.IndexByte(")>]}", c) >= 0 {
				depth--
			}
			if depth == 0 && !yield(i) {
				return
			}
			if strings.IndexByte("(<[{", c) >= 0 {
				depth++
			}
			last = rune(c)
			i++
		}
	}
}

// operatorAt returns the operator's name with which a text begins, if any, so that its brackets
// and its blank are not counted.
func operatorAt(text string, last rune) string {
	const word = "operator "
	s := shortener{in: text, last: last}
	if name := s.operator(); name != "" {
		return name
	}
	if strings.HasPrefix(text, word) && !isWord(last) {
		return word
	}
	return ""
}

func hasOneOf(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}
