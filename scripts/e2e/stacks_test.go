//go:build linux

package e2e

import (
	"regexp"
	"slices"
	"strings"
)

// frame is one line of a stack: the address as printed and the function's name,
// empty where the tool had none.
type frame struct{ addr, name string }

// stacks are a process's threads by id, innermost frame first.
type stacks map[string][]frame

var (
	ourThread = regexp.MustCompile(`^\s*Thread (\d+)\b`)
	ourFrame  = regexp.MustCompile(`^\s+(\S.*?)(?: \+ (?:\d+|0x[0-9a-f]+))?(?: \([^()]*\))? \[0x([0-9a-f]+)\]`)
	euThread  = regexp.MustCompile(`^TID (\d+):`)
	euFrame   = regexp.MustCompile(`^#\d+\s+0x([0-9a-f]+)(?: - \d+)?\s*(\S*)`)
	gdbThread = regexp.MustCompile(`^Thread \d+ .*LWP (\d+)`)
	gdbFrame  = regexp.MustCompile(`^#\d+\s+0x([0-9a-f]+) in (\S+)`)
)

// parseOurs reads stacksnap's tree, whose outermost frame comes first. Calls that were
// inlined, as debug packages tell them, are left out: others tell frames alone.
func parseOurs(report string) stacks {
	s := parse(report, ourThread, func(line string) (frame, bool) {
		m := ourFrame.FindStringSubmatch(line)
		if m == nil || strings.HasSuffix(m[1], " [inlined]") {
			return frame{}, false
		}
		name := m[1]
		if strings.HasPrefix(name, "???") {
			name = ""
		}
		return frame{trim(m[2]), name}, true
	})
	for _, frames := range s {
		slices.Reverse(frames)
	}
	return s
}

func parseEU(report string) stacks {
	return parse(report, euThread, func(line string) (frame, bool) {
		m := euFrame.FindStringSubmatch(line)
		if m == nil {
			return frame{}, false
		}
		return frame{trim(m[1]), m[2]}, true
	})
}

func parseGDB(report string) stacks {
	return parse(report, gdbThread, func(line string) (frame, bool) {
		m := gdbFrame.FindStringSubmatch(line)
		if m == nil {
			return frame{}, false
		}
		return frame{trim(m[1]), strings.TrimSuffix(m[2], "()")}, true
	})
}

func parse(report string, thread *regexp.Regexp, line func(string) (frame, bool)) stacks {
	s := stacks{}
	id := ""
	for l := range strings.Lines(report) {
		if strings.HasPrefix(l, "Binary Images") {
			break
		}
		if m := thread.FindStringSubmatch(l); m != nil {
			id = m[1]
			s[id] = nil
		} else if f, ok := line(l); ok && id != "" {
			s[id] = append(s[id], f)
		}
	}
	return s
}

func trim(hex string) string { return strings.TrimLeft(hex, "0") }
