// Package counts compares, in tests, the samples by function in a profile with those that
// other programs read from reports.
package counts

import (
	"maps"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// Counts is samples by function: as the innermost one, and anywhere on the stack.
type Counts map[string][2]int64

func (c Counts) Add(self string, functions map[string]bool, n int64) {
	for f := range functions {
		both := c[f]
		both[1] += n
		if f == self {
			both[0] += n
		}
		c[f] = both
	}
}

// Own returns the counts of a profile.
func Own(p *profile.Profile) Counts { return By(p, words.AreaLabel) }

func By(p *profile.Profile, name func(*profile.Node) string) Counts {
	c := Counts{}
	for _, t := range p.Threads {
		c.Add(words.NoStack, map[string]bool{words.NoStack: true}, int64(t.Empty*t.Weight()))
		var path []string
		var cut string
		for depth, n := range t.Nodes() {
			if depth == 0 {
				cut = ""
			}
			if n.Cut != nil {
				cut = words.CutLabel(n.Cut)
			}
			path = append(path[:depth], name(n))
			on := map[string]bool{}
			for _, f := range path {
				on[f] = true
			}
			if cut != "" {
				on[cut] = true
			}
			c.Add(name(n), on, int64(n.Self*t.Weight()))
		}
	}
	maps.DeleteFunc(c, func(_ string, n [2]int64) bool { return n[1] == 0 })
	return c
}

func SumOf(c Counts) (sum int64) {
	for _, n := range c {
		sum += n[0]
	}
	return sum
}

func WeighedBy(c Counts, selfOnly bool) Counts {
	if !selfOnly {
		return c
	}
	self := Counts{}
	for name, n := range c {
		if n[0] > 0 {
			self[name] = [2]int64{n[0]}
		}
	}
	return self
}

// Uncounted changes a profile so that it has no measured time, and a sample represents a
// nanosecond.
func Uncounted(p *profile.Profile) *profile.Profile {
	for _, t := range p.Threads {
		t.Spent = profile.Spent{}
	}
	p.Interval, p.MissedTicks = time.Nanosecond, 0
	return p
}

// ByLabel returns the counts of a profile merged by function.
func ByLabel(p *profile.Profile) Counts { return By(p.ByFunction(), words.Label) }

// WallOf returns the time of each function, in nanoseconds, as innermost and anywhere on
// the stack. A sample represents the time until the next snapshot.
func WallOf(p *profile.Profile) Counts {
	c := Counts{}
	for t := range words.ThreadsByFunction(p) {
		times := map[*profile.Node]int64{}
		for m := range p.Moments(t) {
			times[m.Node] += (m.Until - m.At).Nanoseconds()
		}
		c.Add(words.NoStack, map[string]bool{words.NoStack: true}, times[nil])
		var path []string
		for depth, n := range t.Nodes() {
			path = append(path[:depth], words.Label(n))
			on := map[string]bool{}
			for _, name := range path {
				on[name] = true
			}
			if n.Cut != nil {
				on[words.CutLabel(n.Cut)] = true
			}
			c.Add(words.Label(n), on, times[n])
		}
	}
	for name, n := range c {
		if n[1] == 0 {
			delete(c, name)
		}
	}
	return c
}
