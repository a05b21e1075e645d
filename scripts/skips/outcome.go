package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// skip is a test that has not run.
type skip struct {
	pkg, test string
	name      string // of what is missing; empty: none is named
	said      string
}

// outcome is what has come of all tests.
type outcome struct {
	passed, failed int
	broken         int // packages that do not build, or whose tests ended otherwise
	skips          []skip
}

// event is what go test -json writes a line of (go doc test2json).
type event struct {
	Action, Package, Test, Output, FailedBuild string
}

type place struct{ pkg, test string }

// read collects the outcome, and prints what go test would print without -v.
func read(from io.Reader, w io.Writer) (o outcome, err error) {
	said := map[place][]string{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Action == "" {
			fmt.Fprintln(w, lines.Text()) // go itself
			continue
		}
		at := place{e.Package, e.Test}
		switch e.Action {
		case "output", "build-output":
			said[at] = append(said[at], e.Output)
		case "pass", "fail", "skip", "build-fail":
			if e.Test == "" && e.Action == "fail" {
				unended(said, e.Package, w)
			}
			o.end(e, said[at], w)
			delete(said, at)
		}
	}
	return o, lines.Err()
}

// unended prints what tests said that had not ended when their package did, as by a limit
// of time.
func unended(said map[place][]string, pkg string, w io.Writer) {
	for at, lines := range said {
		if at.pkg == pkg && at.test != "" {
			fmt.Fprintf(w, "--- NOT ENDED: %s\n%s", at.test, strings.Join(told(lines), ""))
			delete(said, at)
		}
	}
}

// end counts a test or a package that has ended.
func (o *outcome) end(e event, said []string, w io.Writer) {
	switch {
	case e.Action == "build-fail":
		fmt.Fprint(w, strings.Join(said, ""))
	case e.Test == "":
		if e.Action == "fail" {
			o.broken++
		}
		fmt.Fprint(w, strings.Join(told(said), ""))
	case e.Action == "pass":
		o.passed++
	case e.Action == "fail":
		o.failed++
		fmt.Fprint(w, strings.Join(told(said), ""))
	default:
		pkg := strings.TrimPrefix(e.Package, "stacksnap/")
		text := reason(said)
		o.skips = append(o.skips, skip{pkg, e.Test, need(text), text})
	}
}

// told leaves out what only go test -v prints.
func told(said []string) (rest []string) {
	for _, line := range said {
		if !strings.HasPrefix(line, "=== ") && line != "PASS\n" {
			rest = append(rest, line)
		}
	}
	return rest
}

// reason is what a test said last before it was skipped, without the place in its source.
func reason(said []string) string {
	for i := len(said) - 1; i >= 0; i-- {
		line := strings.TrimSpace(said[i])
		if strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if at, text, ok := strings.Cut(line, ": "); ok && strings.Contains(at, ".go:") {
			return text
		}
	}
	return ""
}

// need is the name of what is missing, by the form that package needs has.
func need(text string) string {
	rest, ok := strings.CutPrefix(text, "needs ")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, ": ")
	return name
}

// judge prints what was not expected.
func (o *outcome) judge(rules []rule, w io.Writer) error {
	unexpected := 0
	for _, s := range o.skips {
		if !expected(rules, s) {
			unexpected++
			fmt.Fprintf(w, "--- SKIP NOT EXPECTED: %s %s: %s\n", s.pkg, s.test, s.said)
		}
	}
	fmt.Fprintf(w, "%d tests passed, %d failed, %d were skipped; %d packages failed\n", o.passed, o.failed, len(o.skips), o.broken)
	switch {
	case o.failed > 0 || o.broken > 0:
		return errors.New("tests have failed")
	case unexpected > 0:
		return fmt.Errorf("%d skips are not in the list", unexpected)
	case o.passed == 0:
		return errors.New("no test has run")
	}
	return nil
}

// expected reports whether a rule has a skip.
func expected(rules []rule, s skip) bool {
	return s.name != "" && slices.ContainsFunc(rules, func(r rule) bool { return r.allows(s) })
}
