package generated

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// Entry describes a piece of code: [Start, End).
type Entry struct {
	Start, End uint64
	Name       string // "": the code that was there before is gone
	Lines      *Lines // nil: not known
	// Code is the offset of the code's bytes in the file, relative to the start of
	// Decode's argument. 0: the file has no bytes, or they were changed when the code
	// was moved.
	Code int64
}

func (e *Entry) contains(a uint64) bool { return a >= e.Start && a < e.End }

// Line is the source line of the code from Start to the next Line's Start.
type Line struct {
	Start uint64
	File  string // "": not known for this code
	Line  int
}

// Lines are the source lines of one piece of code.
type Lines struct{ all []Line }

// NewLines sorts lines by address. Of several at one address the last one counts.
func NewLines(all []Line) *Lines {
	slices.SortStableFunc(all, func(a, b Line) int { return cmp.Compare(a.Start, b.Start) })
	return &Lines{all}
}

// Moved returns the lines of code that was moved by a distance, modulo 2^64.
func (l *Lines) Moved(by uint64) *Lines {
	if l == nil {
		return nil
	}
	moved := slices.Clone(l.all)
	for i := range moved {
		moved[i].Start += by
	}
	return NewLines(moved)
}

// at returns the line at a, or the zero Line before the first.
func (l *Lines) at(a uint64) Line {
	if l == nil {
		return Line{}
	}
	i, _ := slices.BinarySearchFunc(l.all, a, func(l Line, a uint64) int {
		if l.Start <= a {
			return -1
		}
		return 1
	})
	if i == 0 {
		return Line{}
	}
	return l.all[i-1]
}

const (
	maxName = 1 << 10 // bytes of a name; a longer one is cut
	cutMark = "…"
)

// Name returns b without surrounding blanks, cut to maxName bytes at a character
// boundary.
func Name(b []byte) string {
	b = bytes.TrimSpace(b)
	if len(b) <= maxName {
		return string(b)
	}
	n := maxName
	for n > maxName-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return string(b[:n]) + cutMark
}
