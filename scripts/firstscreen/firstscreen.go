// Package firstscreen judges what a person sees first of a report at a terminal: for the tests
// of broken programs, on Linux (scripts/e2e) and in a Darwin user space (scripts/darwinlive).
package firstscreen

import (
	"regexp"
	"strings"
)

// The size of the terminal. Its last row has the prompt of the pager or of the shell.
const (
	Columns = 80
	Rows    = 24
)

// styles are what colours and weights are written as (ECMA-48, SGR).
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Of returns what is on the first screen of a terminal, without styles. A line that is too
// long goes on in the next row.
func Of(text []byte) string {
	var shown []string
	for line := range strings.Lines(string(styles.ReplaceAll(text, nil))) {
		row := []rune(strings.TrimRight(line, "\r\n"))
		for len(row) > Columns {
			shown, row = append(shown, string(row[:Columns])), row[Columns:]
		}
		shown = append(shown, string(row))
	}
	return strings.Join(shown[:min(len(shown), Rows-1)], "\n") + "\n"
}

// continued is where a line goes on in the next one, indented.
var continued = regexp.MustCompile(`\n {2,}`)

// Joined returns a screen with each line and what continues it in one, without how long a wait
// has lasted.
func Joined(screen string) string { return Ageless(continued.ReplaceAllString(screen, " ")) }

// lasted matches how long at least something has lasted, which a busy machine adds.
var lasted = regexp.MustCompile(`(has|have) waited at least \d+ (s|min)|,? for at least \d+ (s|min)`)

// Ageless returns a report as it is of what has just begun.
func Ageless(report string) string {
	return lasted.ReplaceAllStringFunc(report, func(s string) string {
		switch {
		case strings.HasPrefix(s, "has"):
			return "waits"
		case strings.HasPrefix(s, "have"):
			return "wait"
		}
		return ""
	})
}

// misleads matches what is not said of a program that is broken.
var misleads = regexp.MustCompile(`\bidle\b|no hang`)

// Misleading returns what a screen says that is not said of a program that is broken; "" if it
// says nothing of the kind.
func Misleading(screen string) string { return misleads.FindString(screen) }

// Says reports whether a screen matches a regular expression, each line joined with what
// continues it.
func Says(screen, expression string) bool {
	return regexp.MustCompile(expression).MatchString(Joined(screen))
}

// varying are the parts of a screen that differ from run to run.
var varying = regexp.MustCompile(`0x[0-9a-f]+|\d+(,\d{3})*(\.\d+)?( (µs|ms|s)\b)?`)

// unchecked is said, or not, depending on which processes start and end meanwhile.
const unchecked = " (not all others could be checked)"

// Headline returns the first line of a screen, without what differs from run to run.
func Headline(screen string) string {
	line, _, _ := strings.Cut(Joined(screen), "\n")
	return varying.ReplaceAllString(strings.ReplaceAll(line, unchecked, ""), "#")
}
