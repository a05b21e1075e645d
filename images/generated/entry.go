package generated

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// Entry is a piece of code: [Start, End).
type Entry struct {
	Start, End uint64
	Name       string // empty: what was there before is there no more
	Lines      *Lines // nil: not known
	// Code is where the file has the bytes of the code, from what Decode was given on; 0:
	// it has them not, or not as they are where the code is now.
	Code int64
}

func (e *Entry) contains(a uint64) bool { return a >= e.Start && a < e.End }

// Line is where code from an address on is in the source, up to that of the next.
type Line struct {
	Start uint64
	File  string // empty: of this code it is not known
	Line  int
}

// Lines are those of one piece of code.
type Lines struct{ all []Line }

// NewLines takes lines in any order. Of several at one address the last one holds.
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

// at returns nothing for what comes before the first line.
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
	maxName = 1 << 10 // bytes of a name, what is longer is cut
	cutMark = "…"
)

// Name is a name without the blanks around it, bounded between two characters.
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
