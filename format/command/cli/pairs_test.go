package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"stacksnap/task/live"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a flag with a value, and the terms of the rules that it makes true.
type sample struct {
	args  string
	terms []string
}

// given are a value of each flag, and more where the rules tell values apart.
func given() []sample {
	one := map[string][]string{
		"pid": {"-p 4711", "-p 4711 -p 4711"}, "wait": {"--wait deep"}, "duration": {"-d 50ms"}, "interval": {"-i 1ms"}, "rate": {"-r 100"},
		"count": {"-n 2"}, "suspend": {"--suspend task", "--suspend thread"}, "max-stop": {"--max-stop 5ms"}, "thread": {"--thread 4711"}, "only": {"--only gil"},
		"hang": {"--hang 1h"}, "max-hang": {"--max-hang 3s"}, "every": {"--every 10ms"}, "dir": {"--dir DIR"}, "keep": {"--keep 3"},
		"exec": {"--exec true"}, "push": {"--push env"}, "push-headers": {"--push-headers TOKEN"}, "spool": {"--spool SPOOL"}, "format": {"-f json", "-f folded", "-f summary"}, "output": {"-o OUT", "-o OUT.folded.gz", "-o OUT.html"}, "save": {"--save SAVE"},
		"focus": {"--focus main"}, "ignore": {"--ignore nothing"}, "hide": {"--hide _start"}, "min": {"--min 1%"}, "depth": {"--depth 3"},
		"by": {"--by state", "--by thread"}, "color": {"--color always"}, "measure": {"--measure samples"}, "scale": {"--scale none"}, "binaries": {"--binaries ."}, "symbols": {"--symbols ."},
	}
	sampling := []string{"duration", "interval", "rate", "count", "no-stop", "suspend=thread"}
	var all []sample
	for _, g := range newOptions().groups() {
		for _, f := range g.flags {
			values := one[f.name]
			if values == nil {
				values = []string{"--" + f.name}
			}
			for _, args := range values {
				s := sample{args, []string{f.name}}
				if _, value, ok := strings.Cut(args, " "); ok {
					s.terms = append(s.terms, f.name+"="+value)
				}
				if strings.Contains(args, ".folded") {
					s.terms = append(s.terms, "format=folded")
				}
				if strings.Contains(args, ".html") {
					s.terms = append(s.terms, "format=html", "page")
				}
				if f.name == "tree" || f.name == "all" || strings.Count(args, "-p ") > 1 {
					s.terms = append(s.terms, "several")
				}
				if slices.ContainsFunc(s.terms, func(term string) bool { return slices.Contains(sampling, term) }) {
					s.terms = append(s.terms, "sampling")
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// targets are what a command line may be for. A command comes last.
var targets = []sample{{"-p 4711", []string{"pid"}}, {"-- sleep 0.1", []string{"command", "sampling"}}, {"FILE", []string{"file"}}, {"diff FILE FILE", []string{"file", "diff"}}, {"top -p 4711", []string{"pid", "top", "sampling"}}}

// broken returns the first rule that terms break, as the table is read by hand.
func broken(terms []string) *rule {
	any := func(of string) (n int) {
		for term := range strings.FieldsSeq(of) {
			if slices.Contains(terms, term) || term == "anything" && len(terms) > 1 {
				n++
			}
		}
		return n
	}
	for i := range rules() {
		r := &rules()[i]
		beside := r.with == "" || any(r.with) > 0 && (r.flags != r.with || any(r.with) > 1)
		if any(r.flags) > 0 && beside && any(r.needs) == 0 {
			return r
		}
	}
	return nil
}

// line is a command line that is tried.
type line []sample

func (l line) terms() (terms []string) {
	for _, s := range l {
		terms = append(terms, s.terms...)
	}
	if slices.Contains(terms, "format") { // which a single file's name does not outdo
		terms = slices.DeleteFunc(terms, func(term string) bool { return term == "page" || term == "format=html" })
	}
	return terms
}

// args puts the command behind the flags.
func (l line) args() string {
	var flags, last []string
	for _, s := range l {
		if strings.HasPrefix(s.args, "diff ") || strings.HasPrefix(s.args, "top ") {
			flags = append([]string{s.args}, flags...)
		} else if strings.HasPrefix(s.args, "-- ") {
			last = append(last, s.args)
		} else {
			flags = append(flags, s.args)
		}
	}
	return strings.Join(append(flags, last...), " ")
}

// completed are the lines to which two flags can be completed: by a target, if
// they have none, and by what the rules say that they need.
func completed(pair line, all []sample) []line {
	var open []line
	if terms := pair.terms(); slices.Contains(terms, "pid") || slices.Contains(terms, "wait") || slices.Contains(terms, "version") || slices.Contains(terms, "sign") {
		open = append(open, pair)
	} else {
		for _, target := range targets {
			open = append(open, append(line{target}, pair...))
		}
	}
	for i := 0; i < len(open); i++ { // grows: needs have needs
		r := broken(open[i].terms())
		if r == nil || r.needs == "" || len(open[i]) > 6 {
			continue
		}
		for need := range strings.FieldsSeq(r.needs) {
			for _, s := range all {
				if need == "page" && slices.Contains(strings.Fields(open[i].args()), "OUT.html") {
					continue // once is as good as twice
				}
				if s.terms[0] == need || need == "sampling" && s.terms[0] == "duration" || need == "page" && slices.Contains(s.terms, need) {
					open = append(open, append(slices.Clone(open[i]), s))
				}
			}
		}
	}
	return open
}

// TestEveryPair walks all pairs of flags: each is refused as the table says, or can
// be completed to a line that is accepted. testdata/pairs.txt has what comes of
// each, to be read, and run by scripts/e2e.
func TestEveryPair(t *testing.T) {
	golden, err := filepath.Abs("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, ".", "FILE", "", 0o600)
	all := given()
	var table strings.Builder
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.terms[0] == b.terms[0] {
				continue
			}
			fmt.Fprintf(&table, "%s %s: %s\n", a.args, b.args, outcome(t, line{a, b}, all))
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || table.String() != string(want) {
		t.Errorf("%v\n%s (go test ./format/command/cli -update writes it)", err, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(table.String(), "\n")))
	}
}

// outcome tries all lines that two flags can be completed to, and returns the
// first that is accepted, or why the first is not.
func outcome(t *testing.T, pair line, all []sample) string {
	t.Helper()
	var refusal, accepted string
	for _, l := range completed(pair, all) {
		o, err := Parse(strings.Fields(l.args()), "", live.Runs)
		r := broken(l.terms())
		if o != nil && o.version {
			r = nil // prints the version, whatever else there is
		}
		switch {
		case (err == nil) != (r == nil):
			t.Errorf("%s: %v; by the table: %+v", l.args(), err, r)
		case err == nil && accepted == "":
			accepted = "stacksnap " + l.args()
		case err != nil && refusal == "":
			refusal = err.Error()
		}
		if err != nil {
			checkRefusal(t, l, r, err)
		}
	}
	if accepted != "" {
		return accepted
	}
	return "refused: " + refusal
}

// checkRefusal requires the line of the rule that is broken.
func checkRefusal(t *testing.T, l line, r *rule, err error) {
	t.Helper()
	text, _, _ := strings.Cut(strings.TrimPrefix(r.line, "{target}"), "{")
	if !isUsage(err) || !strings.Contains(err.Error(), text) || strings.ContainsAny(err.Error(), "{}\n") {
		t.Errorf("%s: %v, want %s", l.args(), err, r.line)
	}
}
